"""The command line: what it lists, what it explains, and how it ends."""

import io
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from service import VERSION
from service.pipeline import routing

from .process import RUN, bare_environment, run, run_process
from .sandbox import needs_seccomp, refusing

COMMANDS = re.compile(r"^    ([a-z-]+)(?:  |$)", re.MULTILINE)


def test_help_lists_every_command_and_every_command_has_help_of_its_own(tmp_path: Path) -> None:
    shown = run("--help", folder=tmp_path)
    assert (shown.returncode, shown.stderr) == (0, "")
    commands = COMMANDS.findall(shown.stdout)
    assert {"serve", "routes", "mcp", "import-trello", "agent-demo"} <= set(commands)
    for command in commands:
        of_its_own = run(command, "--help", folder=tmp_path)
        assert (of_its_own.returncode, of_its_own.stderr) == (0, "")
        assert f"tandem {command}" in of_its_own.stdout


@pytest.mark.parametrize("arguments", [("routes",), ("juggle",), ("doctor",), ("restore", "nowhere")])
def test_a_command_ends_alike_in_this_process_and_in_its_own(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    within, alone = (runner(*arguments, folder=tmp_path) for runner in (run, run_process))
    assert (within.returncode, within.stdout, within.stderr) == (alone.returncode, alone.stdout, alone.stderr)


def test_version_is_that_of_the_program(tmp_path: Path) -> None:
    shown = run("--version", folder=tmp_path)
    assert (shown.returncode, shown.stdout) == (0, f"Tandem {VERSION}\n")


@pytest.mark.parametrize("arguments", [("juggle",), ("--juggle",), ("routes", "--juggle"), ("serve", "extra")])
def test_wrong_usage_ends_with_exit_code_2_and_says_what_is_wrong(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = run_process(*arguments, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert arguments[-1] in done.stderr
    assert "Traceback" not in done.stderr


def test_routes_lists_every_route_with_scheme_and_gate(tmp_path: Path) -> None:
    shown = run("routes", folder=tmp_path)
    assert (shown.returncode, shown.stderr) == (0, "")
    head, *rows = shown.stdout.splitlines()
    assert head.split() == ["METHOD", "PATH", "SCHEME", "POLICY", "LIMIT"]
    listed = {tuple(row.split()[:3]) for row in rows}
    assert listed == {(entry.method, "/api/v1" + entry.path, entry.policy.scheme) for entry in routing.ROUTES}
    assert len(rows) == len(routing.ROUTES)
    (login,) = [row for row in rows if "/auth/login" in row]
    assert "per address" in login


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("routes",), ("juggle",)])
def test_only_serving_writes_into_the_working_folder(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    run(*arguments, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def serve_refusing(folder: Path, *calls: str, port: int = 0) -> str:
    """Start the service without some system calls, and return the line with which it ends."""
    environment = bare_environment() | {"SERVICE_PORT": str(port)}
    command = [sys.executable, str(refusing(folder, *calls))]
    ended = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=30, check=False
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "Traceback" not in ended.stderr
    (line,) = [line for line in ended.stderr.splitlines() if line.startswith("tandem: ")]
    return line


@needs_seccomp
@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("flock", "cannot use data: flock: Operation not permitted"),
        ("epoll_create1", "uvloop.loop.uvloop.loop.Loop.__cinit__ failed: Operation not permitted"),
    ],
)
def test_a_refused_system_call_that_the_start_needs_is_named(tmp_path: Path, call: str, said: str) -> None:
    assert serve_refusing(tmp_path, call) == f"tandem: {said}"


def test_only_a_port_that_cannot_be_used_is_called_so(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        line = serve_refusing(tmp_path, port=port)
    assert line.startswith(f"tandem: cannot listen on 127.0.0.1:{port}: ")
    assert line.endswith("address already in use")


@pytest.mark.slow
@pytest.mark.parametrize("output", ["closed pipe", "full disk"])
def test_a_service_whose_output_cannot_be_written_serves_and_says_how_to_get_a_password(
    tmp_path: Path, output: str
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path / "log"
    with log.open("w") as errors, open_unwritable(output) as unwritable:
        service = subprocess.Popen(
            [sys.executable, str(RUN)],
            cwd=tmp_path,
            env=bare_environment() | {"SERVICE_PORT": str(port)},
            stdin=subprocess.DEVNULL,
            stdout=unwritable,
            stderr=errors,
        )
    try:
        deadline = time.monotonic() + 30
        while "could not be printed" not in log.read_text():
            assert service.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        assert "tandem reset-password admin@localhost" in log.read_text()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz") as answer:
            assert answer.status == 200
        service.terminate()
        assert service.wait(timeout=20) == 0
    finally:
        service.kill()
        service.wait()


def open_unwritable(output: str) -> io.FileIO:
    """Open what every write to fails: a pipe without a reader, or a disk without space."""
    if output == "full disk":
        return io.FileIO("/dev/full", "w")
    reader, writer = os.pipe()
    os.close(reader)
    return io.FileIO(writer, "w")
