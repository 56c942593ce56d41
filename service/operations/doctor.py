"""Checks of an installation for the command `doctor`, each with advice on how to solve the problems that it finds."""

import http.client
import os
import shutil
import socket
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..auth import reencryption
from ..auth.encryption import Encryptor
from ..clock import now, parse_timestamp
from ..config import ConfigError, Settings, format_address, read_secrets
from ..database import copies, migrate
from ..database.damage import is_damage
from ..database.queries import sql
from ..runtime import copy_ages, mounts, open_files
from . import folder, secret
from .manifest import SECRETS

PROBLEM, NOTE, OK = "problem", "note", "well"
TIMEOUT_SECONDS = 5  # for the response of a running service
CLOCK_SKEW_SECONDS_MAX = 120
COPY_SECONDS_MAX = 36 * 3600  # a nightly backup that failed once
COPIES = {copy_ages.BACKUP: "backup", copy_ages.LITESTREAM: "copy of Litestream"}
EXAMPLES_MAX = 5  # examples of one kind of problem


@dataclass(frozen=True)
class Finding:
    """The result of a check: a problem loses data or makes requests fail; a note is only a hint."""

    level: str
    check: str
    text: str
    advice: str = ""


Check = Callable[[Settings], Iterator[Finding]]


def run_checks(settings: Settings, checks: Sequence[Check] = ()) -> Iterator[Finding]:
    """Run these checks, or all, none of which changes anything, and yield their findings."""
    for check in checks or CHECKS:
        try:
            found = list(check(settings))
        except (OSError, copies.Error, migrate.MigrationError) as error:
            found = [Finding(PROBLEM, _name(check), str(error), _advise(error))]
        yield from found or [Finding(OK, _name(check), "")]


def _advise(error: Exception) -> str:
    cause = error.__cause__ or error
    is_damaged = isinstance(cause, copies.Error) and is_damage(cause)
    return "Restore a backup if you cannot repair it." if is_damaged else "Remove the cause, then run doctor again."


def _name(check: Check) -> str:
    return check.__name__.removeprefix("check_")


def check_folders(settings: Settings) -> Iterator[Finding]:
    """Check that the folders exist, can be written, and cannot be read by other users."""
    for path in (settings.data_path, settings.files):
        if not path.is_dir():
            yield Finding(NOTE, "folders", f"{path} does not exist yet", "The first start creates it.")
        elif not os.access(path, os.R_OK | os.W_OK | os.X_OK):
            yield Finding(PROBLEM, "folders", f"{path} cannot be written by this user", "Run as its owner.")
        elif path.stat().st_mode & 0o077:
            yield Finding(NOTE, "folders", f"other users can list {path}", f"chmod 700 {path}")
    databases = sorted(settings.data_path.glob(f"{settings.database.name}*"))  # with its write-ahead log and its copies
    for path in (*databases, *(settings.data_path / name for name in SECRETS)):
        if path.is_file() and path.stat().st_mode & 0o077:
            yield Finding(NOTE, "folders", f"other users can read {path}", f"chmod 600 {path}")


def check_owners(settings: Settings) -> Iterator[Finding]:
    """Check that everything in the folders belongs to their owner, as whom the service runs."""
    for top in (settings.data_path, settings.files):
        foreign = folder.list_foreign_files(top) if top.is_dir() else []
        for path in foreign[:EXAMPLES_MAX]:
            text, advice = f"{path} belongs to another user than {top}", f"chown -R --reference={top} {top}"
            yield Finding(PROBLEM, "owners", text, f"The service may not be able to use it: {advice}")
        if foreign:
            return


def check_database(settings: Settings) -> Iterator[Finding]:
    """Check the integrity and the schema of the database."""
    if remains := folder.find_remains(settings):
        text = f"{settings.database} does not exist, but {remains} does"
        advice = "Restore a backup: the service does not start without the database."
        yield Finding(PROBLEM, "database", text, advice)
        return
    if not settings.database.is_file():
        yield Finding(NOTE, "database", f"{settings.database} does not exist", "The first start creates it.")
        return
    for message in copies.find_problems(settings.database, is_live=True):
        yield Finding(PROBLEM, "database", message, "Restore the newest backup that passes `backup --verify`.")
    with copies.open_for_reading(settings.database, is_live=True) as tx:
        found, expected = tx.value(sql.operations.schema_version), migrate.schema_version()
    if found > expected:
        text = f"it has schema {found}, newer than schema {expected} of this program"
        yield Finding(PROBLEM, "database", text, "Run the newer program, or go back with `rollback`.")
    elif found < expected:
        text = f"it has schema {found}; the next start migrates it to {expected}"
        yield Finding(NOTE, "database", text, "Create a backup.")


def _is_readable(settings: Settings) -> bool:
    """Return whether the database exists and has the schema of this program."""
    if not settings.database.is_file():
        return False
    with copies.open_for_reading(settings.database, is_live=True) as tx:
        return bool(tx.value(sql.operations.schema_version) == migrate.schema_version())


def check_contents(settings: Settings) -> Iterator[Finding]:
    """Compare the files on the disk with the rows that refer to them."""
    if not _is_readable(settings):
        return
    lost, known = [], set()
    with copies.open_for_reading(settings.database, is_live=True) as tx:
        for row in tx.each(sql.operations.list_files):
            path = settings.files / row["org_id"] / row["card_id"] / row["id"]
            known.add(path)
            if not path.is_file() or path.stat().st_size != row["size_bytes"]:
                lost.append(path)
    for path in lost[:EXAMPLES_MAX]:
        advice = "Copy it there from a backup, or upload it again on its card; Settings, Data lists all."
        yield Finding(PROBLEM, "contents", f"{path} is missing or has the wrong size", advice)
    if len(lost) > EXAMPLES_MAX:
        yield Finding(PROBLEM, "contents", f"and {len(lost) - EXAMPLES_MAX} more")
    more = sum(1 for path in settings.files.glob("org_*/*/*") if path.is_file() and path not in known)
    if more:
        advice = "The next start moves them to a quarantine folder for a week."
        yield Finding(NOTE, "contents", f"{more} files on the disk belong to no row", advice)


def check_counts(settings: Settings) -> Iterator[Finding]:
    """Compare the counts stored on cards (comments, replies, history, files, parts, blockers) with what they have."""
    if not _is_readable(settings):
        return
    with copies.open_for_reading(settings.database, is_live=True) as tx:
        wrong = [row["card_key"] for row in tx.each(sql.operations.list_wrong_counts)]
    if wrong:
        text = f"{len(wrong)} cards have wrong stored counts: {', '.join(wrong[:EXAMPLES_MAX])}"
        advice = "Answers show these numbers. Export the data and import it into a new installation, which counts anew."
        yield Finding(PROBLEM, "counts", text, advice)


def check_search_index(settings: Settings) -> Iterator[Finding]:
    """Compare the search index with its texts, which locks the database, so only while no service runs."""
    if not _is_readable(settings):
        return
    if folder.is_in_use(settings.data_path):
        text, advice = "not checked, since the service is running", "stop it to check the search index"
        yield Finding(OK, "search_index", f"{text}; {advice}")
    elif (problem := copies.find_search_problem(settings.database)) is not None:
        yield Finding(PROBLEM, "search_index", problem, "Rebuild it: doctor --rebuild-search")


def check_clock(settings: Settings) -> Iterator[Finding]:
    """Check that the clock is not behind the latest timestamp in the database."""
    if not _is_readable(settings):
        return
    with copies.open_for_reading(settings.database, is_live=True) as tx:
        latest = tx.value(sql.operations.latest_timestamp)
    ahead = (parse_timestamp(latest) - parse_timestamp(now())).total_seconds() if latest else 0
    if ahead > CLOCK_SKEW_SECONDS_MAX:
        text = f"the latest timestamp is {latest}, {ahead:.0f} s in the future"
        yield Finding(PROBLEM, "clock", text, "Set the clock (timedatectl set-ntp true): sign-ins depend on it.")


def check_secret(settings: Settings) -> Iterator[Finding]:
    """Check that the secret exists and decrypts the stored secrets of webhooks and tool servers."""
    try:
        current, previous = read_secrets(settings)
        secret.require_matching_secret(settings)
    except ConfigError as error:
        yield Finding(PROBLEM, "secret", str(error), "The service does not start until then.")
        return
    if current is None:
        yield Finding(NOTE, "secret", "there is none yet", "The next start creates one, and everybody signs in again.")
        return
    if not _is_readable(settings):
        return
    with copies.open_for_reading(settings.database, is_live=True) as tx:
        lost = reencryption.list_lost_rows(tx, Encryptor(current, previous))
    if lost:
        text = f"the secrets of {len(lost)} rows cannot be decrypted: {', '.join(lost[:EXAMPLES_MAX])}"
        advice = "Set them again, or restore the former secret; serve --new-secret empties them."
        yield Finding(PROBLEM, "secret", text, advice)


def check_disk(settings: Settings) -> Iterator[Finding]:
    """Check the free space, also for a copy of the database before the next migration."""
    for path in {settings.data_path, settings.files}:
        if not path.is_dir():
            continue
        free = shutil.disk_usage(path).free
        if free < settings.disk_free_min_bytes:
            text = f"{free >> 20} MiB are free at {path}, fewer than disk_free_min_bytes"
            advice = "Free some disk space: /readyz and whatever needs space are 503 until then."
            yield Finding(PROBLEM, "disk", text, advice)
    size = settings.database.stat().st_size if settings.database.is_file() else 0
    if size and shutil.disk_usage(settings.data_path).free < 2 * size:
        yield Finding(NOTE, "disk", "an update may lack the space to copy the database", "Free some disk space.")
    older = [path for path in settings.data_path.glob("service.db.*") if path.suffix not in (".db-wal", ".db-shm")]
    if older:
        text = f"{len(older)} older copies of the database take {sum(path.stat().st_size for path in older) >> 20} MiB"
        yield Finding(NOTE, "disk", text, f"Delete those that you no longer need in {settings.data_path}.")


def check_quota(settings: Settings) -> Iterator[Finding]:
    """Report organizations whose files have more bytes than files_quota_bytes."""
    if not settings.files_quota_bytes or not _is_readable(settings):
        return
    with copies.open_for_reading(settings.database, is_live=True) as tx:
        rows = tx.all(sql.operations.list_over_quota, quota=settings.files_quota_bytes)
    for row in rows:
        text = (
            f'the files of "{row["title"]}" ({row["id"]}) have {row["size_bytes"]} bytes, more than files_quota_bytes'
        )
        uploads = "are refused" if settings.is_files_quota_set else "go on until files_quota_bytes is set"
        yield Finding(
            NOTE, "quota", text, f"Its uploads {uploads}; {settings.files_quota_bytes} is in force for others."
        )


def check_database_quota(settings: Settings) -> Iterator[Finding]:
    """Report the organizations that use most of the database, and which of them have used database_quota_bytes."""
    if not _is_readable(settings):
        return
    with copies.open_for_reading(settings.database, is_live=True) as tx:
        rows = tx.all(sql.operations.list_database_usage, limit=EXAMPLES_MAX)
    quota = settings.database_quota_bytes
    for row in rows:
        of_quota = f"{quota} of database_quota_bytes" if quota else "any (database_quota_bytes is 0)"
        text = f'"{row["title"]}" ({row["id"]}) uses about {row["used_bytes"]} bytes of the database, of {of_quota}'
        is_bound = settings.is_database_quota_set or not row["is_exempt"]
        if not quota or row["used_bytes"] < quota:
            yield Finding(OK, "database quota", text)
        elif is_bound:
            yield Finding(NOTE, "database quota", text, "What needs space is refused: delete data there, or raise it.")
        else:
            yield Finding(NOTE, "database quota", text, "It was larger before: it goes on until the setting is set.")


def check_port(settings: Settings) -> Iterator[Finding]:
    """Check that a running service is ready, or else that its port is free."""
    if settings.data_path.is_dir() and folder.is_in_use(settings.data_path):
        # With port 0 nobody but the log knows the port.
        yield from check_readiness(settings) if settings.port else ()
        return
    try:
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        with socket.socket(family) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind((settings.host, settings.port))
    except OSError as error:
        text = f"cannot listen on {settings.host}:{settings.port}: {error.strerror}"
        yield Finding(PROBLEM, "port", text, "Stop the program that uses it, or set another host or port.")


def check_readiness(settings: Settings) -> Iterator[Finding]:
    """Check that a service answers at the configured address and is ready."""
    address = format_address(settings.local_host, settings.port)
    try:
        # Not through the proxy that a variable such as http_proxy names.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        opener.open(f"{address}/readyz", timeout=TIMEOUT_SECONDS).close()
    except urllib.error.HTTPError as error:
        with error:
            text = f"the running service is not ready: {error.read(2000).decode(errors='replace')}"
        yield Finding(PROBLEM, "port", text, "Follow the message.")
    except (OSError, http.client.HTTPException) as error:
        text = f"no service responds at {address}: {error}"
        yield Finding(PROBLEM, "port", text, "Start it, or read its log; restart it if it hangs.")


def check_proxy(settings: Settings) -> Iterator[Finding]:
    """Check that the service can determine the addresses of callers behind a proxy."""
    if settings.public_url and not settings.trusted_proxies:
        text = "public_url is set, but trusted_proxies is not: all sign-ins seem to come from the proxy"
        yield Finding(PROBLEM, "proxy", text, 'Set trusted_proxies to its address, for example ["127.0.0.1"].')
    if any(network.prefixlen == 0 for network in settings.trusted_proxies):
        text = "trusted_proxies contains all addresses: every client can claim any address"
        yield Finding(PROBLEM, "proxy", text, "List the addresses of the proxy only.")
    if not settings.public_url and settings.host not in ("127.0.0.1", "::1", "localhost"):
        text = f"it listens on {settings.host} without TLS, and no public_url is set"
        yield Finding(NOTE, "proxy", text, "Put a proxy with TLS in front of it: see deploy/.")


def check_copies(settings: Settings) -> Iterator[Finding]:
    """Report the ages of the copies that are known on this machine."""
    if not settings.database.is_file():
        return
    ages = copy_ages.list_copy_ages(settings.database)
    if not ages:
        yield Finding(NOTE, "copies", "no backup has been made", "Create one each night: tandem backup --keep 14 DIR")
    for kind, age in ages.items():
        text = f"the newest {COPIES[kind]} is {age / 3600:.1f} hours old" if age else f"the {COPIES[kind]} is current"
        is_old = age > COPY_SECONDS_MAX
        yield Finding(NOTE if is_old else OK, "copies", text, "Check the timer or program that makes it." * is_old)


def check_file_system(settings: Settings) -> Iterator[Finding]:
    """Check that the database is not on a network file system, where SQLite cannot lock it reliably."""
    if found := mounts.find_network_type(settings.data_path):
        text = f"{settings.data_path} is on a network file system ({found}), where the database can be damaged"
        yield Finding(PROBLEM, "file_system", text, "Move data_path to a local disk; files_path may stay there.")


def check_open_files(settings: Settings) -> Iterator[Finding]:
    """Check the limit of open files, which bounds the number of connected clients."""
    if (limit := open_files.get_attainable_limit()) < open_files.OPEN_FILES_LOW:
        text = f"a process of this user may open {limit} files, and each connected client is one"
        yield Finding(NOTE, "open_files", text, "Raise the limit: LimitNOFILE= in the unit, or ulimit -n.")


CHECKS: tuple[Check, ...] = (
    check_folders, check_owners, check_database, check_contents, check_counts, check_search_index, check_clock,
    check_secret, check_disk, check_quota, check_database_quota, check_port, check_proxy, check_copies,
    check_file_system, check_open_files,
)  # fmt: skip


def rebuild_search(settings: Settings) -> None:
    """Rebuild the search index from its stored texts; raise ConfigError if a service runs."""
    with folder.lock_data_folder(settings.data_path), copies.open_for_writing(settings.database) as tx:
        tx.run(sql.operations.rebuild_search)
        tx.run(sql.operations.rebuild_search_parts)
        tx.run(sql.operations.rebuild_titles)
