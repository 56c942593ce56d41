"""Redo log of an import: the statements that it runs, recorded in batches before the first of them is applied."""

import contextlib
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from ...database.queries import sql
from ...database.statement import Row, Statement
from ...database.store import Tx
from ...runtime.disk_space import DiskSpace

BATCH_STATEMENTS_MAX = 25
BATCH_BYTES_MAX = 32 << 10  # uncompressed; a batch ends at the limit that it reaches first
COMPRESSION_LEVEL = 1  # of zlib, the fastest: the statements are very similar
NOW = "now"  # the parameter that is set to the time at which the statement is applied
# Former names of statements: this version completes imports that an earlier version has begun.
FORMER_NAMES = {
    "events.add": "events.create",
    "field_values.remove": "field_values.delete",
    "field_values.write": "field_values.upsert",
    "imports.add_organization": "imports.create_organization",
    "imports.count_number": "imports.raise_last_number",
    "imports.deactivate": "imports.deactivate_version",
    "imports.join_team": "imports.add_team_member",
    "imports.leave_no_version": "imports.clear_current_version",
    "imports.permit": "imports.update_permission",
    "imports.place_column": "imports.set_column_position",
    "imports.place_field": "imports.set_field_position",
    "members.add": "members.create",
    "organizations.edit": "organizations.update",
    "permissions.add": "permissions.create",
    "retries.forget": "retries.delete_old",
    "retries.keep": "retries.upsert",
}


class RedoLog:
    """The statements of one import, in compressed batches in an unnamed file."""

    def __init__(self, folder: Path, disk_space: DiskSpace) -> None:
        self._disk_space = disk_space
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  # see close
        self.uncompressed_bytes = 0
        self._batch_sizes: list[int] = []
        self._lines: list[bytes] = []  # of the current batch
        self._bytes = 0
        self._last_lines: list[bytes] = []
        self._is_deferring = False

    def add(self, statement: Statement[Row], parameters: dict[str, Any]) -> None:
        """Record a statement; parameters that are null are left out."""
        values = {name: value for name, value in parameters.items() if value is not None and name != NOW}
        line = orjson.dumps([statement.name, values])
        self.uncompressed_bytes += len(line)
        if self._is_deferring:
            self._last_lines.append(line)
            return
        self._lines.append(line)
        self._bytes += len(line)
        if len(self._lines) == BATCH_STATEMENTS_MAX or self._bytes >= BATCH_BYTES_MAX:
            self._write_batch()

    def defer_from_here(self) -> None:
        """Put all statements that are added from here on into the last batch."""
        self._is_deferring = True

    @contextlib.contextmanager
    def deferred(self) -> Iterator[None]:
        """Put the statements of a block into the last batch, which makes the import visible to other requests."""
        was, self._is_deferring = self._is_deferring, True
        try:
            yield
        finally:
            self._is_deferring = was

    def _write_batch(self) -> None:
        compressed = zlib.compress(b"\n".join(self._lines), COMPRESSION_LEVEL)
        # The scratch database grows along with the log, so this checks the space for both.
        self._disk_space.require(len(compressed))
        self._file.write(compressed)
        self._batch_sizes.append(len(compressed))
        self._lines, self._bytes = [], 0

    def finish(self) -> None:
        """Write the deferred statements as the last batch."""
        if self._lines:
            self._write_batch()
        self._lines = self._last_lines
        self._write_batch()

    def __len__(self) -> int:
        return len(self._batch_sizes)

    def batches(self) -> Iterator[bytes]:
        """Return the compressed batches in order."""
        self._file.seek(0)
        return (self._file.read(size) for size in self._batch_sizes)

    def close(self) -> None:
        """Free the disk space."""
        self._file.close()


def apply_batch(tx: Tx, batch: bytes) -> None:
    """Run the statements of a compressed batch."""
    for line in zlib.decompress(batch).split(b"\n"):
        name, values = orjson.loads(line)
        folder, _, name_in_folder = FORMER_NAMES.get(name, name).partition(".")
        statement = getattr(getattr(sql, folder), name_in_folder)
        values[NOW] = tx.now
        tx.run(statement, **{parameter: values.get(parameter) for parameter in statement.parameters})
