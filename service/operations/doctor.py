"""Doctor: what is wrong with an installation, and what to do about it."""

import os
import shutil
import socket
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..auth import reencryption
from ..auth.encryption import Encryptor
from ..clock import now, parse_timestamp
from ..config import Settings
from ..database import copies, migrate
from ..database.queries import sql
from . import folder
from .manifest import SECRETS

PROBLEM, NOTE, WELL = "problem", "note", "well"
TIMEOUT_SECONDS = 5  # for the service that runs to answer
CLOCK_SKEW_SECONDS_MAX = 120
EXAMPLES_MAX = 5  # of many that are alike


@dataclass(frozen=True)
class Finding:
    """What was found; a problem loses data or refuses requests, a note is good to know."""

    level: str
    about: str
    text: str
    advice: str = ""


def examine(settings: Settings) -> Iterator[Finding]:
    """Look at everything that can be looked at without changing it."""
    for check in CHECKS:
        try:
            found = list(check(settings))
        except (OSError, copies.Error, migrate.MigrationError) as error:
            found = [Finding(PROBLEM, check.__name__, str(error), "Restore a backup if it cannot be mended.")]
        yield from found or [Finding(WELL, check.__name__, "")]


def folders(settings: Settings) -> Iterator[Finding]:
    """Look whether the folders are there, can be written, and are closed to others."""
    for path in (settings.data_path, settings.files):
        if not path.is_dir():
            yield Finding(NOTE, "folders", f"{path} is not there yet", "The first start makes it.")
        elif not os.access(path, os.R_OK | os.W_OK | os.X_OK):
            yield Finding(PROBLEM, "folders", f"{path} cannot be written by this user", "Run as its owner.")
        elif path.stat().st_mode & 0o077:
            yield Finding(NOTE, "folders", f"others can look into {path}", f"chmod 700 {path}")
    databases = sorted(settings.data_path.glob(f"{settings.database.name}*"))  # with its log and its copies
    for path in (*databases, *(settings.data_path / name for name in SECRETS)):
        if path.is_file() and path.stat().st_mode & 0o077:
            yield Finding(NOTE, "folders", f"others can read {path}", f"chmod 600 {path}")


def database(settings: Settings) -> Iterator[Finding]:
    """Look through the database, and compare its schema with that of the program."""
    if left := folder.left_behind(settings):
        text, advice = f"{settings.database} is not there, but {left} is", "Restore a backup: no start does without it."
        yield Finding(PROBLEM, "database", text, advice)
        return
    if not settings.database.is_file():
        yield Finding(NOTE, "database", f"{settings.database} is not there", "The first start makes it.")
        return
    for message in copies.problems(settings.database, is_live=True):
        yield Finding(PROBLEM, "database", message, "Restore the newest backup that `backup --verify` calls whole.")
    with copies.looking(settings.database, is_live=True) as tx:
        found, ours = tx.value(sql.operations.schema_version), migrate.schema_version()
    if found > ours:
        text = f"it has schema {found}, newer than this program's {ours}"
        yield Finding(PROBLEM, "database", text, "Run the newer program, or go back with `rollback`.")
    elif found < ours:
        yield Finding(NOTE, "database", f"it has schema {found}; the next start brings it to {ours}", "Make a backup.")


def _is_readable(settings: Settings) -> bool:
    """Tell whether there is a database whose tables are those of the program."""
    if not settings.database.is_file():
        return False
    with copies.looking(settings.database, is_live=True) as tx:
        return bool(tx.value(sql.operations.schema_version) == migrate.schema_version())


def contents(settings: Settings) -> Iterator[Finding]:
    """Compare the files on the disk with the rows that name them."""
    if not _is_readable(settings):
        return
    lost, known = [], set()
    with copies.looking(settings.database, is_live=True) as tx:
        for row in tx.each(sql.operations.list_files):
            path = settings.files / row["org_id"] / row["card_id"] / row["id"]
            known.add(path)
            if not path.is_file() or path.stat().st_size != row["size_bytes"]:
                lost.append(path)
    for path in lost[:EXAMPLES_MAX]:
        advice = "Bring it back from a backup: POST /files/{id}/content, or copy it there while the service is stopped."
        yield Finding(PROBLEM, "contents", f"{path} is missing or not whole", advice)
    if len(lost) > EXAMPLES_MAX:
        yield Finding(PROBLEM, "contents", f"and {len(lost) - EXAMPLES_MAX} more")
    more = sum(1 for path in settings.files.glob("org_*/*/*") if path.is_file() and path not in known)
    if more:
        advice = "The next start puts them aside for a week."
        yield Finding(NOTE, "contents", f"{more} files on the disk belong to no row", advice)


def search_index(settings: Settings) -> Iterator[Finding]:
    """Compare the search index with its texts; only while no service runs, since that takes the database's lock."""
    if not _is_readable(settings):
        return
    if folder.is_served(settings.data_path):
        yield Finding(NOTE, "search_index", "not looked at, since the service runs", "Stop it to have that looked at.")
    elif (wrong := copies.search_problem(settings.database)) is not None:
        yield Finding(PROBLEM, "search_index", wrong, "Make it anew: doctor --rebuild-search")


def clock(settings: Settings) -> Iterator[Finding]:
    """Look whether the clock has gone back since something happened."""
    if not _is_readable(settings):
        return
    with copies.looking(settings.database, is_live=True) as tx:
        latest = tx.value(sql.operations.latest_timestamp)
    ahead = (parse_timestamp(latest) - parse_timestamp(now())).total_seconds() if latest else 0
    if ahead > CLOCK_SKEW_SECONDS_MAX:
        text = f"the last thing happened at {latest}, {ahead:.0f} s in the future"
        yield Finding(PROBLEM, "clock", text, "Set the clock (timedatectl set-ntp true): sign-ins go by it.")


def secret(settings: Settings) -> Iterator[Finding]:
    """Look whether the secret is there, and opens what it once sealed."""
    path = settings.data_path / SECRETS[0]
    value = settings.jwt_secret or (path.read_text("utf-8").strip() if path.is_file() else None)
    if value is None:
        yield Finding(NOTE, "secret", "there is none yet", "The first start makes one.")
        return
    if len(value.encode()) < 32:
        yield Finding(PROBLEM, "secret", f"{path} has fewer than 32 bytes", "Restore it from a backup.")
        return
    if not _is_readable(settings):
        return
    encryptor = Encryptor(value, settings.jwt_secret_previous)
    with copies.looking(settings.database, is_live=True) as tx:
        closed = reencryption.closed(tx, encryptor)
    if closed:
        advice = "Set SERVICE_JWT_SECRET to what it was then, or those secrets anew."
        yield Finding(
            PROBLEM, "secret", f"{len(closed)} kept secrets do not open: {', '.join(closed[:EXAMPLES_MAX])}", advice
        )


def disk(settings: Settings) -> Iterator[Finding]:
    """Look whether there is space for what comes, and for a copy before the next migration."""
    for path in {settings.data_path, settings.files}:
        if not path.is_dir():
            continue
        free = shutil.disk_usage(path).free
        if free < settings.disk_free_min_bytes:
            text = f"{free >> 20} MiB are free at {path}, fewer than disk_free_min_bytes"
            yield Finding(PROBLEM, "disk", text, "Make room: /readyz answers 503 until then.")
    size = settings.database.stat().st_size if settings.database.is_file() else 0
    if size and shutil.disk_usage(settings.data_path).free < 2 * size:
        yield Finding(NOTE, "disk", "an update that copies the database may not find room", "Make room.")
    kept = [path for path in settings.data_path.glob("service.db.*") if path.suffix not in (".db-wal", ".db-shm")]
    if kept:
        text = f"{len(kept)} older copies of the database take {sum(path.stat().st_size for path in kept) >> 20} MiB"
        yield Finding(NOTE, "disk", text, f"Delete those that you no longer need in {settings.data_path}.")


def quota(settings: Settings) -> Iterator[Finding]:
    """Report organizations whose files have more bytes than files_quota_bytes."""
    if not settings.files_quota_bytes or not _is_readable(settings):
        return
    with copies.looking(settings.database, is_live=True) as tx:
        rows = tx.all(sql.operations.list_over_quota, quota=settings.files_quota_bytes)
    for row in rows:
        text = (
            f'the files of "{row["title"]}" ({row["id"]}) have {row["size_bytes"]} bytes, more than files_quota_bytes'
        )
        uploads = "are refused" if settings.is_files_quota_set else "go on until files_quota_bytes is set"
        yield Finding(
            NOTE, "quota", text, f"Its uploads {uploads}; {settings.files_quota_bytes} is in force for others."
        )


def port(settings: Settings) -> Iterator[Finding]:
    """Look whether the service that runs is ready, or else whether its port is free."""
    if settings.data_path.is_dir() and folder.is_served(settings.data_path):
        yield from _asked(settings)
        return
    try:
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        with socket.socket(family) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind((settings.host, settings.port))
    except OSError as error:
        text = f"{settings.host}:{settings.port} cannot be listened on: {error.strerror}"
        yield Finding(PROBLEM, "port", text, "Stop what uses it, or set another host or port.")


def _asked(settings: Settings) -> Iterator[Finding]:
    if settings.port == 0:
        return
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.host, settings.host)  # noqa: S104  # it is compared
    try:
        urllib.request.urlopen(f"http://{host}:{settings.port}/readyz", timeout=TIMEOUT_SECONDS).close()
    except urllib.error.HTTPError as error:
        with error:
            text = f"the service that runs is not ready: {error.read(2000).decode(errors='replace')}"
        yield Finding(PROBLEM, "port", text, "Do what the message says.")
    except OSError as error:
        text = f"a service runs on the data folder, and does not answer at {host}:{settings.port}: {error}"
        yield Finding(PROBLEM, "port", text, "See its log; restart it if it hangs.")


def proxy(settings: Settings) -> Iterator[Finding]:
    """Look whether the addresses of callers can be told behind a proxy."""
    if settings.public_url and not settings.trusted_proxies:
        text = "public_url is set, and trusted_proxies is not: all sign-ins count as those of the proxy"
        yield Finding(PROBLEM, "proxy", text, 'Set trusted_proxies to its address, for example ["127.0.0.1"].')
    if any(network.prefixlen == 0 for network in settings.trusted_proxies):
        text = "trusted_proxies trusts everybody: anyone can claim to be at any address"
        yield Finding(PROBLEM, "proxy", text, "Name the addresses of the proxy only.")
    if not settings.public_url and settings.host not in ("127.0.0.1", "::1", "localhost"):
        text = f"it listens on {settings.host} without TLS, and no public_url is set"
        yield Finding(NOTE, "proxy", text, "Put a proxy with TLS in front: see deploy/.")


CHECKS: tuple[Callable[[Settings], Iterator[Finding]], ...] = (
    folders, database, contents, search_index, clock, secret, disk, quota, port, proxy,
)  # fmt: skip


def rebuild_search(settings: Settings) -> None:
    """Make the search index anew from the texts that it keeps; raise ConfigError beside a running service."""
    with folder.sole_user(settings.data_path), copies.writing(settings.database) as tx:
        tx.run(sql.operations.rebuild_search)
        tx.run(sql.operations.rebuild_titles)
