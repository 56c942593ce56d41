"""Backups that the service makes by itself, each day at the time of the setting `backup_at`."""

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from .. import config
from ..clock import parse_timestamp, timestamp
from . import copy_ages
from .cpu_scheduling import lower_priority_of_process

INTERVAL_SECONDS = 1.0  # between two looks at the clock
OVERDUE = timedelta(days=3)
STOP_SECONDS = 5  # for a backup that is interrupted to remove what it has written
ALL_COPIED, FILES_MISSING = 0, 3  # exit statuses of the command for a backup that is whole
FAILED = "The last backup failed. The operator finds the reason in the log of the service."
NONE_FOR_DAYS = f"No backup was made for {OVERDUE.days} days, although the service has a schedule."
PACKAGE_FOLDER = Path(__file__).parents[2]
RUN = "import sys; from service.cli import main; sys.exit(main())"
log = logging.getLogger("service")


@dataclass(frozen=True)
class BackupProblem:
    """What is wrong with the scheduled backups, and since when."""

    since: str
    message: str


class ScheduledBackups:
    """Makes and verifies a backup each day, and once after the start if the last one was missed."""

    def __init__(self, settings: config.Settings, clock: Callable[[], str]) -> None:
        """Store the settings and the clock of the service; without `backup_dir` nothing is ever made."""
        self._settings = settings
        self._clock = clock
        self._started = clock()
        self._tried = ""  # the scheduled time of the last attempt
        self._failed_at: str | None = None

    @property
    def is_set(self) -> bool:
        """Return whether the settings have a schedule."""
        return self._settings.backup_dir is not None

    def get_next(self) -> str | None:
        """Return when the next backup is made, or None without a schedule."""
        return self._find_times()[1] if self.is_set else None

    def find_problem(self) -> BackupProblem | None:
        """Return why there is no new backup: the last one failed, or the schedule did not make one for days."""
        if not self.is_set:
            return None
        if self._failed_at:
            return BackupProblem(self._failed_at, FAILED)
        overdue = timestamp(parse_timestamp(self._get_last() or self._started) + OVERDUE)
        return BackupProblem(overdue, NONE_FOR_DAYS) if overdue < self._clock() else None

    async def run(self) -> None:
        """Make backups when they are due. Runs until cancelled; a backup that is being made then is interrupted."""
        while self.is_set:
            due = self._find_times()[0]
            if due != self._tried and (self._get_last() or "") < due:
                self._tried = due
                await self._back_up()
            await asyncio.sleep(INTERVAL_SECONDS)

    def _get_last(self) -> str | None:
        record = copy_ages.read_record(self._settings.data_path)
        return str(record["at"]) if record else None

    def _find_times(self) -> tuple[str, str]:
        """Return the last scheduled time and the next one."""
        at = time.fromisoformat(str(self._settings.backup_at))
        now = parse_timestamp(self._clock()).astimezone(ZoneInfo(self._settings.backup_timezone))
        yesterday, today, tomorrow = (
            datetime.combine(now.date() + timedelta(days=days), at, now.tzinfo) for days in (-1, 0, 1)
        )
        last, following = (today, tomorrow) if today <= now else (yesterday, today)
        return timestamp(last), timestamp(following)

    async def _back_up(self) -> None:
        try:
            status, reason = await self._run_command()
        except (OSError, ValueError, config.ConfigError) as error:  # no process, an endless line, an unusable secret
            status, reason = None, str(error)
        if status in (ALL_COPIED, FILES_MISSING):
            self._failed_at = None
            log.info("a backup was made and verified in %s", self._settings.backup_dir)
        else:
            self._failed_at = self._clock()
            log.error("the scheduled backup failed: %s", reason)

    async def _run_command(self) -> tuple[int, str]:
        """Run the command in a process of its own; return its exit status and the last line that it said."""
        process = await asyncio.create_subprocess_exec(
            *_create_command(self._settings),
            env=_create_environment(self._settings),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        lower_priority_of_process(process.pid)
        try:
            return await _wait(process)
        except asyncio.CancelledError:
            await _interrupt(process)
            raise


async def _wait(process: asyncio.subprocess.Process) -> tuple[int, str]:
    assert process.stderr is not None
    last = ""
    while line := await process.stderr.readline():
        last = line.decode("utf-8", "replace").strip() or last
    return await process.wait(), last


async def _interrupt(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGINT)
        try:
            await asyncio.wait_for(process.wait(), STOP_SECONDS)
        except TimeoutError:
            process.kill()


def _create_command(settings: config.Settings) -> list[str]:
    program = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-c", RUN]
    home = os.path.abspath(str(settings.backup_dir))
    # All settings that count are in the environment; a file of settings in the working folder is none of them.
    return [*program, "--config", os.devnull, "backup", "--keep", str(settings.backup_keep), "--verify", home]


def _create_environment(settings: config.Settings) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("SERVICE_", "SA_BOOTSTRAP_"))}
    kept["SERVICE_DATA_PATH"] = os.path.abspath(settings.data_path)
    kept["SERVICE_FILES_PATH"] = os.path.abspath(settings.files)
    if config.read_secret_file(settings.data_path / config.CURRENT) != settings.secret:
        kept["SERVICE_JWT_SECRET"] = settings.secret  # it was set, so it is not in the data folder
    if getattr(sys, "frozen", False):
        return kept | {"PYINSTALLER_RESET_ENVIRONMENT": "1"}
    return kept | {"PYTHONPATH": str(PACKAGE_FOLDER)}
