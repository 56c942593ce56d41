"""The commands of the README under Deploy, run one by one as on an empty machine."""

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..process import RUN, bare_environment

README = (RUN.parent / "README.md").read_text("utf-8")
BLOCK = r"## Deploy\n.*?```sh\n(.*?)```"
# A replacement for systemctl, since test machines have no systemd: it runs the commands of the installed units.
SYSTEMCTL = """\
#!{python}
import pathlib, re, shlex, subprocess, sys, time
units, words = pathlib.Path({units!r}), [word for word in sys.argv[1:] if not word.startswith("-")]
for name in words[1:]:
    text = (units / name).read_text()
    if name.endswith(".timer"):
        continue
    folder = re.search(r"^WorkingDirectory=(.*)$", text, re.M)[1]
    commands = re.findall(r"^Exec(?:Start|StartPost)=(.*)$", text, re.M)
    if "Type=notify" in text:
        with open({log!r}, "a") as log:
            process = subprocess.Popen(shlex.split(commands[0]), cwd=folder, stdout=log, stderr=log)
        pathlib.Path({pid!r}).write_text(str(process.pid))
        for _ in range(300):
            if "is ready at" in pathlib.Path({log!r}).read_text():
                break
            time.sleep(0.1)
    else:
        for command in commands:
            subprocess.run(shlex.split(command), cwd=folder, check=True)
"""


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """Return a folder in the role of a machine, and the environment of a shell on it."""
    root, tools = tmp_path / "machine", tmp_path / "tools"
    (root / "work" / "dist").mkdir(parents=True)
    tools.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    known = {"python": sys.executable, "log": str(tmp_path / "journal"), "pid": str(tmp_path / "pid")}
    scripts = {
        "sudo": '#!/bin/sh\n[ "$1" = -u ] && shift 2\nexec "$@"\n',
        "systemctl": SYSTEMCTL.format(**known, units=str(root / "etc/systemd/system")),
        "journalctl": f"#!/bin/sh\ncat {tmp_path}/journal\n",
    }
    for name, text in scripts.items():
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    path = f"{tools}:{root}/usr/local/bin:{os.environ['PATH']}"
    yield root, bare_environment() | {"PATH": path, "DESTDIR": str(root), "SERVICE_PORT": port}
    if (tmp_path / "pid").exists():
        os.kill(int((tmp_path / "pid").read_text()), 15)


def program(folder: Path) -> None:
    """Put the program where the first command builds it: the real one, if .ci/run has built it."""
    if made := os.environ.get("TANDEM_SINGLE"):
        shutil.copy(made, folder / "tandem")
    else:
        (folder / "tandem").write_text(f'#!/bin/sh\nexec "{sys.executable}" "{RUN}" "$@"\n')
        (folder / "tandem").chmod(0o755)


@pytest.mark.slow
def test_the_commands_under_deploy_install_start_check_and_back_up_the_service(
    machine: tuple[Path, dict[str, str]],
) -> None:
    root, environment = machine
    found = re.search(BLOCK, README, re.DOTALL)
    assert found
    build, *commands = found[1].strip().splitlines()
    assert "deploy/single.py" in build  # .ci/run runs this one, since it takes a minute
    program(root / "work" / "dist")
    shutil.copytree(RUN.parent / "deploy", root / "work" / "deploy")
    said = []
    for command in commands:
        line = re.sub(r"(?<![\w/.])(/etc/tandem|/var/lib/tandem|/var/backups/tandem)", rf"{root}\1", command)
        line = line.replace("8080", environment["SERVICE_PORT"])
        script = ["bash", "-euo", "pipefail", "-c", line]
        done = subprocess.run(
            script, cwd=root / "work", env=environment, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        said.append(done.stdout)
    everything = "".join(said)
    for wanted in ("Installed Tandem", "no problems", '"status":"ready"', "tandem_ready", ": whole", "Password (shown"):
        assert wanted in everything, wanted
    assert len(list((root / "var/backups/tandem").iterdir())) == 1


def test_every_command_that_the_readme_mentions_exists(machine: tuple[Path, dict[str, str]]) -> None:
    root, environment = machine
    commands = set(re.findall(r"`tandem ([a-z][a-z-]*)", README))
    shown = subprocess.run(
        [sys.executable, str(RUN), "--help"], cwd=root, env=environment, capture_output=True, text=True, check=True
    ).stdout
    assert commands
    assert all(re.search(rf"^    {command}\b", shown, re.MULTILINE) for command in commands), commands
