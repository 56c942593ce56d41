"""Errors of the commands: one line on standard error that says what to do, and never a traceback."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from service import config

from .process import RUN, bare_environment, run, run_process
from .test_cli import COMMANDS

# Texts of the program's inside: tracebacks, regular expressions, libraries, names of functions.
INSIDE = re.compile(r"Traceback|pattern|pydantic|\[Errno|\^\[|codec|Error:|invalid _|object has no")
NOWHERE = {"SERVICE_API_URL": "http://127.0.0.1:1", "SERVICE_EMAIL": "ada@example.test", "SERVICE_PASSWORD": "x" * 8}
FILES = {
    "broken.json": b"{",
    "list.json": b"[]",
    "bytes": b"\xff\xfe",
    "deep.json": b'{"meta":{},"organization":{"id":"o"},"users":[' + b"[" * 50_000 + b"]" * 50_000 + b"]}",
    "meta.json": b'{"meta":[],"organization":{"id":"o"}}',
    "organization.json": b'{"meta":{},"organization":3}',
    "no-id.json": b'{"meta":{},"organization":{}}',
    "users.json": b'{"meta":{},"organization":{"id":"o"},"users":[1]}',
    "trello.json": b'{"name":1,"lists":3,"cards":[1]}',
    "broken.toml": b"port = ",
    "bytes.toml": b"\xff",
    "wrong.toml": b"port = [1]\n",
}
SETTINGS = ("nowhere", "folder", "broken.toml", "bytes.toml", "wrong.toml")
OPERATORS = {  # with arguments that are right
    "backup": ("copy",),
    "restore": ("copy",),
    "rollback": (),
    "doctor": (),
    "reset-password": ("ada@example.test",),
    "create-admin": ("ada@example.test",),
    "rotate-secret": (),
}
CASES = [
    *((command, *right, "--config", file) for command, right in OPERATORS.items() for file in SETTINGS),
    *(
        (command, file)
        for command in ("import", "import-trello")
        for file in ("nowhere", "folder", *FILES)
        if not file.endswith(".toml")
    ),
    *((command, *right) for command, right in OPERATORS.items() if command != "doctor"),  # nothing is there
    *(("create-admin", email) for email in ("", "ada", "a b@example.test", "a@" + "x" * 300)),
    *(("reset-password", email) for email in ("", "ada", "a b@example.test")),
    ("create-admin", "ada@example.test", "--password-stdin"),
    ("reset-password", "ada@example.test", "--password-stdin"),
    *(("backup", "--keep", number, "copies") for number in ("0", "-1", "x", "9" * 5000)),
    *(("backup", "--verify", path) for path in ("nowhere", "folder", "list.json")),
    *(("restore", path) for path in ("folder", "list.json")),
    ("backup", "list.json"),
    ("backup", "x" * 300),
    ("doctor", "--rebuild-search"),
    ("init", "list.json", "--yes"),
    ("init", "list.json/config.toml", "--yes"),
    ("init", "new.toml"),
    ("init", "new.toml", "--yes", "--data-path", "~"),
    ("export", "nowhere/home.json"),
    ("export", "folder"),
    ("export", "home.json", "--url", "http://["),
    ("export", "home.json", "--url", "ftp://example.test"),
    ("agent-demo", "--cards", "x"),
    ("agent-demo", "--seconds", "nan"),
    ("agent-demo", "--url", "http://127.0.0.1:99999"),
    ("mcp",),
    ("mcp", "--url", "http://["),
    ("connect", "juggler"),
    ("connect", "claude"),
    ("connect", "claude", "--print", "--url", "http://["),
    ("routes", "extra"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Provide a folder with files that no command can use."""
    (tmp_path / "folder").mkdir()
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def require_one_line(done: subprocess.CompletedProcess[str]) -> str:
    """Fail the test unless a command has failed with one line; wrong usage has the synopsis before it."""
    assert done.returncode in (1, 2), done
    assert INSIDE.search(done.stderr) is None, done.stderr
    said = re.sub(r"\Ausage: (.*\n)+?(?=tandem)", "", done.stderr)
    assert len(said.splitlines()) == 1, done.stderr
    return said


@pytest.mark.parametrize("arguments", CASES, ids=lambda arguments: " ".join(arguments)[:60])
def test_a_command_that_cannot_do_its_work_says_why_in_one_line(folder: Path, arguments: tuple[str, ...]) -> None:
    before = sorted(path.name for path in folder.iterdir())
    said = require_one_line(run(*arguments, folder=folder, environment=NOWHERE))
    assert len(said) > len("tandem: .")
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.slow
@pytest.mark.parametrize("file", SETTINGS)
def test_serving_says_in_one_line_why_settings_cannot_be_used(folder: Path, file: str) -> None:
    assert file in require_one_line(run_process("serve", "--config", file, folder=folder))


def test_every_command_is_in_the_table(tmp_path: Path) -> None:
    commands = set(COMMANDS.findall(run("--help", folder=tmp_path).stdout))
    assert commands - {"serve"} == {case[0] for case in CASES}


def test_an_email_that_is_none_is_explained_by_an_example(tmp_path: Path) -> None:
    done = run("create-admin", "ada", folder=tmp_path)
    assert done.stderr == "tandem: EMAIL: give an e-mail address like ada@example.com\n"


@pytest.mark.skipif(not shutil.which("setpriv") or os.getuid() != 0, reason="root reads everything, unless it may not")
@pytest.mark.parametrize(
    "arguments",
    [
        ("serve", "--config", "secret"),
        ("doctor", "--config", "secret"),
        ("backup", "closed/copy"),
        ("backup", "--verify", "closed"),
        ("restore", "closed"),
        ("init", "closed/config.toml", "--yes"),
        ("import", "secret"),
        ("import-trello", "secret", "--dry-run"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_read_or_written_is_named_in_one_line(
    settings: config.Settings, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "secret").write_text("port = 1\n")
    (tmp_path / "closed").mkdir()
    for name in ("secret", "closed"):
        (tmp_path / name).chmod(0)
    lost = "-dac_override,-dac_read_search"
    command = ["setpriv", f"--bounding-set={lost}", f"--inh-caps={lost}", sys.executable, str(RUN), *arguments]
    environment = bare_environment() | NOWHERE
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=30, check=False
    )
    assert arguments[-2 if arguments[-1].startswith("--") else -1].partition("/")[0] in require_one_line(done)


@pytest.mark.parametrize("arguments", [("routes",), ("doctor",), ("--help",), ("connect", "claude", "--print")])
@pytest.mark.parametrize("output", ["closed pipe", "full disk"])
def test_output_that_cannot_be_written_leaves_no_traceback(
    tmp_path: Path, arguments: tuple[str, ...], output: str
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    if output == "full disk":
        os.close(writing)
        writing = os.open("/dev/full", os.O_WRONLY)
    environment = bare_environment() | NOWHERE
    command = [sys.executable, str(RUN), *arguments]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment,
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=30,
        check=False,
    )
    os.close(writing)
    assert INSIDE.search(done.stderr) is None, done.stderr
    assert "BrokenPipe" not in done.stderr
    if output == "full disk" and arguments != ("--help",):
        assert done.returncode in (1, 2)
        assert done.stderr.splitlines()[-1].endswith("failed: No space left on device")


def test_a_name_that_is_not_text_can_be_printed(folder: Path) -> None:
    name = os.fsdecode(b"copy-\xff")
    done = run_process("init", name, "--yes", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert r"Wrote copy-\udcff" in done.stdout


def test_ctrl_c_ends_a_command_without_a_traceback(tmp_path: Path) -> None:
    command, pipe = [sys.executable, str(RUN), "init"], subprocess.PIPE
    with subprocess.Popen(
        command, cwd=tmp_path, env=bare_environment(), stdin=pipe, stdout=pipe, stderr=pipe
    ) as process:
        assert process.stdout is not None
        assert process.stdout.read(7) == b"Address"  # the first question
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (130, b"")
