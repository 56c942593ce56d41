"""The program's commands, in this process or as processes of their own, and the service as a process.

A process is for what only a process can show: signals, exit statuses, crashes. `serve` always has one: it changes
limits, cores and signal handlers of the process that it runs in.
"""

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self
from unittest import mock

from service import cli

RUN = Path(__file__).parent.parent / "run.py"
READY = re.compile(r"Tandem is ready at (http://127\.0\.0\.1:\d+)")
COMMAND_TIMEOUT_SECONDS = 30  # that a start, a stop or a command may take before the test gives up
_one_command = threading.Lock()  # working folder, environment and standard streams belong to the whole process


def bare_environment() -> dict[str, str]:
    """Return this process's environment without anything that sets the service up."""
    return {key: value for key, value in os.environ.items() if not key.startswith(("SERVICE_", "SA_BOOTSTRAP_"))}


def run(
    *arguments: str, folder: Path, environment: Mapping[str, str] | None = None, text: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run one command in a working folder, within this process; `serve` needs `run_process`.

    It has a thread of its own, since an event loop may run on the caller's.
    """
    assert cli._parse_serve(list(arguments)) is None, "serve needs run_process"
    results: list[subprocess.CompletedProcess[str]] = []

    def work() -> None:
        with _one_command, _surroundings(folder, environment or {}, text) as (output, errors):
            code = _exit_status(arguments)
        results.append(subprocess.CompletedProcess(arguments, code, output.getvalue(), errors.getvalue()))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(COMMAND_TIMEOUT_SECONDS)
    assert results, f"{arguments} did not end within {COMMAND_TIMEOUT_SECONDS} s"
    return results[0]


@contextlib.contextmanager
def _surroundings(folder: Path, environment: Mapping[str, str], text: str) -> Iterator[tuple[io.StringIO, io.StringIO]]:
    """Set working folder, environment and standard streams as those of a new process, and restore them."""
    output, errors, given = io.StringIO(), io.StringIO(), io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8")
    with (
        contextlib.chdir(folder),
        mock.patch.dict(os.environ, bare_environment() | dict(environment), clear=True),
        mock.patch.object(sys, "stdin", given),
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(errors),
    ):
        yield output, errors


def _exit_status(arguments: Sequence[str]) -> int:
    """Run a command; return the exit status that its process would have had."""
    try:
        return cli.main(arguments)
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception:
        traceback.print_exc()
        return 1


def run_process(
    *arguments: str, folder: Path, environment: Mapping[str, str] | None = None, text: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run one command of the program to its end in a working folder, as a process of its own."""
    return subprocess.run(
        [sys.executable, str(RUN), *arguments],
        cwd=folder,
        env=bare_environment() | dict(environment or {}),
        input=text,
        capture_output=True,
        text=True,
        timeout=COMMAND_TIMEOUT_SECONDS,
        check=False,
    )


class ServiceProcess:
    """`python run.py` in a working folder, on a free port; a `with` block starts it and leaves nothing running."""

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.environment = {"SERVICE_PORT": "0"} | dict(environment or {})
        self.run = RUN
        self.arguments: Sequence[str] = ()
        self.log = folder / "log"  # what all starts in this folder wrote to standard error
        self.url = ""
        self.said = ""  # what the last start printed up to the line that says it is ready

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.kill()

    @property
    def port(self) -> int:
        """Return the port that the service listens on."""
        return int(self.url.rpartition(":")[2])

    def start(self) -> None:
        """Start the service and return once it is ready; fail the test if it never is."""
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(self.run), *self.arguments],
                cwd=self.folder,
                env=bare_environment() | self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        patience = threading.Timer(COMMAND_TIMEOUT_SECONDS, self.process.kill)
        patience.start()
        try:
            self._wait_until_ready()
        finally:
            patience.cancel()

    def _wait_until_ready(self) -> None:
        assert self.process.stdout is not None
        self.said = ""
        for line in self.process.stdout:
            self.said += line
            if match := READY.search(line):
                self.url = match[1]
                return
        raise AssertionError(f"the service did not start: {self.said}{self.log.read_text()}")

    def signal(self, number: int = signal.SIGTERM) -> None:
        """Send a signal."""
        self.process.send_signal(number)

    def wait(self) -> int:
        """Wait for the end and return the exit code."""
        code = self.process.wait(COMMAND_TIMEOUT_SECONDS)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def stop(self) -> int:
        """Ask the service to stop, wait for it and return the exit code."""
        self.signal()
        return self.wait()

    def kill(self) -> None:
        """End the service at once, as a power cut would."""
        self.process.kill()
        self.wait()
