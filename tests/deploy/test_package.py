"""The package: what its metadata say, and the versions that are written down for it."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from email.message import Message
from email.parser import BytesParser
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from ..process import RUN

ROOT = RUN.parent
CONSTRAINTS = (ROOT / "deploy" / "constraints.txt").read_text("utf-8").splitlines()


@pytest.fixture(scope="module")
def metadata(tmp_path_factory: pytest.TempPathFactory) -> Message:
    """The metadata of the wheel: of that which .ci/run has made, else of one that is made here, in a copy."""
    folder = tmp_path_factory.mktemp("package")
    if made := os.environ.get("TANDEM_WHEEL"):
        wheel = Path(made)
    else:
        left_out = shutil.ignore_patterns(".*", "build", "dist", "data", "*.egg-info", "__pycache__")
        shutil.copytree(ROOT, folder / "source", ignore=left_out)
        command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), str(folder / "source")]
        subprocess.run(command, check=True)
        (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return BytesParser().parsebytes(archive.read(name))


def requirements(metadata: Message) -> list[Requirement]:
    """Return what a runtime install requires."""
    found = [Requirement(line) for line in metadata.get_all("Requires-Dist", [])]
    return [requirement for requirement in found if "extra" not in str(requirement.marker)]


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_constraints_name_one_version_of_each_package_and_none_that_only_tests_need(metadata: Message) -> None:
    comments, lines = CONSTRAINTS[:2], CONSTRAINTS[2:]
    assert all(comment.startswith("# ") for comment in comments)
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in lines)
    names = [normalized(line.partition("==")[0]) for line in lines]
    assert len(names) == len(set(names))
    extras = [Requirement(line) for line in metadata.get_all("Requires-Dist", []) if "extra ==" in line]
    assert {normalized(requirement.name) for requirement in extras}.isdisjoint(names)
    assert normalized(metadata["Name"]) not in names


def test_the_constraints_do_not_contradict_what_the_package_requires(metadata: Message) -> None:
    versions = {normalized(line.partition("==")[0]): line.partition("==")[2] for line in CONSTRAINTS[2:]}
    contradicting = [
        str(requirement)
        for requirement in requirements(metadata)
        if (version := versions.get(normalized(requirement.name))) and version not in requirement.specifier
    ]
    assert contradicting == [], "remove these lines from deploy/constraints.txt: .ci/run writes them anew"
    assert len(requirements(metadata)) > 15
