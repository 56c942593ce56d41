"""Files whose contents are missing or damaged."""

import asyncio
import logging
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from ..auth.context import Call, Service
from ..auth.policies import architect
from ..database.queries import sql
from ..database.store import Row, Tx
from ..errors import Unavailable
from ..pipeline.routing import routes
from ..runtime import copy_ages
from ..runtime.file_store import hash_file
from ..schemas import Output, Page, PageQuery

INTERVAL_SECONDS = 600  # between two checks of all files
FILES_PER_READ = 500
PAUSE_FACTOR = 4  # of the time that a file took to read, so that reading old files is slow and disturbs nobody
log = logging.getLogger("service")


class LostFile(Output):
    """A file whose contents are missing or damaged."""

    id: str
    card_id: str
    card_key: str
    name: str


class LostFilesQuery(PageQuery):
    narrowing_hint = "restore or remove the first ones"


@routes.get("/admin/lost-files", architect(), on_reader_thread=True)
def list_lost_files(call: Call, query: LostFilesQuery) -> Page[LostFile]:
    """List files with missing or damaged contents (SA).

    The service looks for them every 10 minutes, and each backup for damage. Restore the contents, or delete the file.
    """
    rows = call.tx.all(sql.lost_files.list, org_id=call.org_id, limit=query.page_size, offset=query.offset)
    total = int(call.tx.value(sql.lost_files.count, org_id=call.org_id))
    items = [LostFile.of(row) for row in rows]
    return Page(items=items, page=query.page, page_size=query.page_size, total=total)


async def keep_checking_files(service: Service) -> None:
    """Look for lost files after the start and then every few minutes. Runs until cancelled."""
    while True:
        try:
            await check_files(service)
        except Unavailable:
            pass  # the folder or the database cannot be used at the moment, which /readyz tells
        except Exception:
            log.exception("the contents of files could not be checked; the next check tries again")
        await asyncio.sleep(INTERVAL_SECONDS)


async def check_files(service: Service) -> None:
    """Store which contents are missing or damaged, and the hashes that are not known yet."""
    suspected = await asyncio.to_thread(copy_ages.list_damaged_files, service.settings.data_path)
    after = ""
    while rows := await service.store.read(partial(_list_rows, after)):
        after = rows[-1]["id"]
        await asyncio.to_thread(service.file_store.check)  # a missing disk does not make every file a lost one
        found = await asyncio.to_thread(_find_complete, service.settings.files, rows)
        for row, is_complete in zip(rows, found, strict=True):
            await _check_file(service, row, is_complete, row["id"] in suspected)


def _list_rows(after: str, tx: Tx) -> list[Any]:
    return list(tx.all(sql.files.list_to_check, after=after, limit=FILES_PER_READ))


def _find_complete(files: Path, rows: list[Row]) -> list[bool]:
    return [_is_complete(files, row) for row in rows]


def _is_complete(files: Path, row: Row) -> bool:
    try:
        return _get_path(files, row).stat().st_size == int(row["size_bytes"])
    except (FileNotFoundError, NotADirectoryError):
        return False


def _get_path(files: Path, row: Row) -> Path:
    return files.joinpath(row["org_id"], row["card_id"], row["id"])


async def _check_file(service: Service, row: Row, is_complete: bool, is_suspected: bool) -> None:
    """Store the state of a file if it has changed; read the contents only if their hash is needed."""
    sha256 = None
    if is_complete and (row["sha256"] is None or row["lost_since"] is not None or is_suspected):
        sha256 = await _hash_slowly(_get_path(service.settings.files, row))
        is_complete = sha256 is None or row["sha256"] in (None, sha256)
    is_new_hash = row["sha256"] is None and sha256 is not None
    if is_new_hash or is_complete != (row["lost_since"] is None):
        await service.store.write(partial(_store_state, service, row, is_complete, sha256))


async def _hash_slowly(path: Path) -> str | None:
    """Return the hash of contents, or None if they cannot be read at the moment."""
    started = monotonic()
    try:
        return await asyncio.to_thread(hash_file, path)
    except OSError as error:
        log.warning("%s cannot be read: %s", path, error.strerror)
        return None
    finally:
        await asyncio.sleep(PAUSE_FACTOR * (monotonic() - started))


def _store_state(service: Service, row: Row, is_complete: bool, sha256: str | None, tx: Tx) -> None:
    tx.clock, tx.org_id = service.clock, row["org_id"]
    lost_since = None if is_complete else row["lost_since"] or tx.now
    tx.run(sql.files.update_state, file_id=row["id"], lost_since=lost_since, sha256=sha256 if is_complete else None)
    if is_complete != (row["lost_since"] is None):
        level = logging.INFO if is_complete else logging.ERROR
        log.log(level, "the contents of file %s are %s", row["id"], "there again" if is_complete else "lost")
        tx.on_commit(partial(service.notify_change, row["org_id"]))


def generate_missing(files: Path, org_id: str, rows: Iterator[Row]) -> Iterator[dict[str, str]]:
    """Yield the files of an organization whose contents are missing or damaged, as an export tells them."""
    for row in rows:
        if row["lost_since"] is not None or not _is_complete(files, {**row, "org_id": org_id}):
            yield {"id": row["id"], "cardId": row["card_id"], "name": row["name"]}
