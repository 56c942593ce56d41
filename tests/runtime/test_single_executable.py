"""The single executable: what killed processes left in the temporary folder is removed, and nothing else."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ..process import RUN, bare_environment

# As PyInstaller runs the program, with the folder into which it has unpacked itself.
RUN_UNPACKED = "import sys; sys._MEIPASS = sys.argv.pop(1); from service import cli; sys.exit(cli.main())"
WAIT = RUN_UNPACKED.replace("sys.exit(cli.main())", "cli.main(); print('ready', flush=True); sys.stdin.read()")


def start(folder: Path, code: str = RUN_UNPACKED) -> subprocess.Popen[str]:
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-c", code, str(folder), "connect", "claude", "--print", "--url", "http://127.0.0.1:1"]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, cwd=RUN.parent, env=bare_environment(), stdin=pipe, stdout=pipe, stderr=pipe, text=True
    )


def test_folders_of_killed_processes_are_removed_and_those_in_use_stay(tmp_path: Path) -> None:
    killed, running = (start(tmp_path / name, WAIT) for name in ("_MEIkilled", "_MEIrunning"))
    for process in (killed, running):
        assert process.stdout is not None
        while process.stdout.readline() != "ready\n":
            assert process.poll() is None
    killed.kill()
    killed.communicate()
    (tmp_path / "_MEIother").mkdir()  # of another program, or of a process that is still unpacking
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "tandem.lock").touch()
    (tmp_path / "_MEIlink").symlink_to(tmp_path / "other")
    done = start(tmp_path / "_MEInew")
    assert done.communicate()[1].startswith("Nothing was written")
    assert done.returncode == 0
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"_MEIrunning", "_MEIother", "_MEIlink", "_MEInew", "other"}
    running.communicate("")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder to another user")
def test_folders_of_other_users_stay(tmp_path: Path) -> None:
    (tmp_path / "_MEIforeign").mkdir()
    (tmp_path / "_MEIforeign" / "tandem.lock").touch()
    os.chown(tmp_path / "_MEIforeign", 65534, 65534)
    start(tmp_path / "_MEInew").communicate()
    assert (tmp_path / "_MEIforeign").exists()


@pytest.mark.slow
@pytest.mark.skipif("TANDEM_SINGLE" not in os.environ, reason=".ci/run builds the executable")
def test_the_executable_removes_what_it_left_when_it_was_killed(tmp_path: Path) -> None:
    program = shutil.copy(os.environ["TANDEM_SINGLE"], tmp_path / "tandem")
    (tmp_path / "tmp").mkdir()
    environment = bare_environment() | {"TMPDIR": str(tmp_path / "tmp"), "SERVICE_PORT": "0"}
    with subprocess.Popen(
        [program, "serve"], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        while "is ready at" not in process.stdout.readline():
            assert process.poll() is None
        os.killpg(process.pid, signal.SIGKILL)
    time.sleep(0.5)  # both processes have ended
    (left,) = (tmp_path / "tmp").glob("_MEI*")
    subprocess.run([program, "--version"], env=environment, check=True, stdout=subprocess.DEVNULL)
    assert not left.exists()
    assert list((tmp_path / "tmp").glob("_MEI*")) == []
