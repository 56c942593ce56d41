"""What an import will do to the database, put down step by step before the first of them is done."""

import contextlib
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from ...database.queries import Statement, sql
from ...database.store import Tx
from ...runtime.disk_space import DiskSpace

PORTION_STEPS_MAX = 25
PORTION_BYTES_MAX = 32 << 10  # of steps as they are told, whatever is reached first
COMPRESSION_LEVEL = 1  # of zlib, the fastest: steps are much alike
NOW = "now"  # a parameter that is the time at which the step is done
# The names that statements had in earlier versions: an import that one of these began is completed by this one.
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


class Steps:
    """The steps of one import: packed in portions, in a file without a name until they are wanted."""

    def __init__(self, folder: Path, disk_space: DiskSpace) -> None:
        self._disk_space = disk_space
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  # see close
        self.told_bytes = 0  # of all steps, before they are packed
        self._sizes: list[int] = []  # of the portions
        self._lines: list[bytes] = []  # of the portion in the making
        self._bytes = 0
        self._last: list[bytes] = []
        self._is_late = False

    def add(self, statement: Statement, parameters: dict[str, Any]) -> None:
        """Put a statement down; what is null need not be."""
        given = {name: value for name, value in parameters.items() if value is not None and name != NOW}
        line = orjson.dumps([statement.name, given])
        self.told_bytes += len(line)
        if self._is_late:
            self._last.append(line)
            return
        self._lines.append(line)
        self._bytes += len(line)
        if len(self._lines) == PORTION_STEPS_MAX or self._bytes >= PORTION_BYTES_MAX:
            self._pack()

    def come_to_the_end(self) -> None:
        """Put down from here on what is to be done last."""
        self._is_late = True

    @contextlib.contextmanager
    def late(self) -> Iterator[None]:
        """Put down meanwhile what is to be done last, together: what shows the import to others."""
        was, self._is_late = self._is_late, True
        try:
            yield
        finally:
            self._is_late = was

    def _pack(self) -> None:
        packed = zlib.compress(b"\n".join(self._lines), COMPRESSION_LEVEL)
        # The scratch database grows along with the steps, so this checks the space for both.
        self._disk_space.require(len(packed))
        self._file.write(packed)
        self._sizes.append(len(packed))
        self._lines, self._bytes = [], 0

    def end(self) -> None:
        """See that the last portion is the one of what is to be done last."""
        if self._lines:
            self._pack()
        self._lines = self._last
        self._pack()

    def __len__(self) -> int:
        return len(self._sizes)

    def portions(self) -> Iterator[bytes]:
        """Give the portions in their order."""
        self._file.seek(0)
        return (self._file.read(size) for size in self._sizes)

    def close(self) -> None:
        """Give the disk space back."""
        self._file.close()


def do(tx: Tx, portion: bytes) -> None:
    """Do the steps of a portion."""
    for line in zlib.decompress(portion).split(b"\n"):
        name, given = orjson.loads(line)
        folder, _, name_in_folder = FORMER_NAMES.get(name, name).partition(".")
        statement = getattr(getattr(sql, folder), name_in_folder)
        given[NOW] = tx.now
        tx.run(statement, **{parameter: given.get(parameter) for parameter in statement.parameters})
