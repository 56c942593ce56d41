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

from service import VERSION

from ..process import RUN

ROOT = RUN.parent
CONSTRAINTS = (ROOT / "deploy" / "constraints.txt").read_text("utf-8").splitlines()


@pytest.fixture(scope="module")
def metadata(tmp_path_factory: pytest.TempPathFactory) -> Message:
    """Provide the metadata of the wheel: of that which .ci/run has made, else of one that is made here, in a copy."""
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


@pytest.mark.slow
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


def test_the_metadata_say_what_the_package_is(metadata: Message) -> None:
    assert (metadata["Name"], metadata["Version"]) == ("tandem-board", VERSION)
    assert metadata["License-Expression"] == "MIT"
    assert metadata["License"] is None  # the former field, which indexes refuse beside the other
    assert metadata.get_all("License-File") == ["LICENSE"]
    assert metadata["Requires-Python"] == ">=3.11"
    assert "kanban" in metadata["Keywords"].split(",")
    assert 20 < len(metadata["Summary"]) < 200
    assert {"aiohttp", "mcp", "python-multipart", "pydantic"} <= {item.name for item in requirements(metadata)}
    assert set(metadata.get_all("Provides-Extra", [])) == {"single", "test"}


def test_the_package_classifiers_match_the_other_metadata(metadata: Message) -> None:
    classifiers = metadata.get_all("Classifier", [])
    assert len(classifiers) == len(set(classifiers)) > 5
    assert all(re.fullmatch(r"[^:]+( :: [^:]+)+", classifier) for classifier in classifiers)
    assert not any(classifier.startswith("License ::") for classifier in classifiers)  # the expression says it
    least = metadata["Requires-Python"].removeprefix(">=")
    assert f"Programming Language :: Python :: {least}" in classifiers


def test_the_metadata_name_no_people_and_no_address(metadata: Message) -> None:
    for field in (
        "Author",
        "Author-email",
        "Maintainer",
        "Maintainer-email",
        "Home-page",
        "Project-URL",
        "Download-URL",
    ):
        assert metadata[field] is None, field


def test_the_description_is_the_readme_without_links_to_its_neighbours(metadata: Message) -> None:
    assert metadata["Description-Content-Type"] == "text/markdown"
    description = metadata.get_payload()
    assert isinstance(description, str)
    readme = (ROOT / "README.md").read_text("utf-8")
    assert re.findall(r"^#.*$", description, re.MULTILINE) == re.findall(r"^#.*$", readme, re.MULTILINE)
    assert all(target.startswith(("https://", "#")) for target in re.findall(r"\]\(([^)]*)\)", description))
    links = re.findall(r"(?<!!)\[([^\]]+)\]\(", readme)
    assert len(links) > 5
    assert all(text in description for text in links)
    assert "![" not in description
