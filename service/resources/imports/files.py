"""Import of files with the contents that a snapshot includes, and of presets."""

import os
from pathlib import Path

from ...auth.context import Call
from ...database.queries import sql
from ...database.statement import Row, Statement
from ...domain import quotas
from ...runtime.file_store import flush_to_disk
from .. import presets
from .cards import check_form
from .content_extraction import Content
from .merge import Group, Merge
from .snapshot import invalid_snapshot
from .staging import StagedRow

FILES = Group(
    key="files",
    read=sql.imports.get_file,
    write=sql.imports.write_files,
    required_refs=(("card_id", "cards"), ("field_id", "fields")),
    immutable=("card_id",),
)
PRESETS = Group(
    key="presets",
    read=sql.imports.get_preset,
    write=sql.imports.write_presets,
    conflict=sql.imports.find_conflicting_preset,
    required_refs=(("card_type_id", "cardTypes"), ("field_id", "fields")),
    immutable=("card_type_id", "field_id"),
)


def write(merge: Merge, call: Call) -> dict[Path, Content]:
    """Write presets and files; return the file contents by their paths in the files folder.

    Raises quota_exceeded, or conflict if the presets would exceed the limit of an organization.
    """
    size = _TotalSize(merge, sql.preset_fields.total_size)
    merge.for_each_row(PRESETS, lambda path, row: _write_preset(merge, path, row, size))
    if size.exceeds(presets.CHARACTERS_MAX):
        raise presets.build_size_error()
    contents: dict[Path, Content] = {}
    limit, size = call.service.settings.files_max_bytes, _TotalSize(merge, sql.files.total_size)
    merge.for_each_row(FILES, lambda path, row: _write_file(merge, path, row, limit, size, contents))
    quotas.require_allowed_growth(call, size.before, size.after)
    return contents


class _TotalSize:
    """The total size of the rows of one kind in an organization, before and after an import."""

    def __init__(self, merge: Merge, statement: Statement[Row]) -> None:
        self.before = self.after = int(merge.tx.live.value(statement, org_id=merge.org_id))

    def exceeds(self, limit: int) -> bool:
        """Return whether the new size exceeds the limit and the size before the import."""
        return self.after > max(limit, self.before)


def _write_preset(merge: Merge, path: str, row: StagedRow, size: _TotalSize) -> None:
    field = merge.find_row("fields", row["field_id"])
    if field and field["card_type_id"] != row["card_type_id"]:
        raise invalid_snapshot(f"{path}.fieldId", "names a field of another card type")
    if field:
        row = {**row, "value": check_form(field, f"{path}.value", row["value"])}
    existing = merge.upsert(PRESETS, path, row)
    size.after += len(row["value"]) - (len(existing["value"]) if existing else -presets.CHARACTERS_PER_ROW)


def _write_file(
    merge: Merge, path: str, row: StagedRow, limit: int, size: _TotalSize, contents: dict[Path, Content]
) -> None:
    token = row.pop("content_base64")
    field = merge.find_row("fields", row["field_id"])
    if field and field["kind"] != "file":
        raise invalid_snapshot(f"{path}.fieldId", "names a field that accepts no files")
    content = None if token is None else _find_content(merge, path, row, token, limit)
    existing = merge.upsert(FILES, path, row if content is None else {**row, "sha256": content.sha256})
    size.after += row["size_bytes"] - (existing["size_bytes"] if existing else 0)
    if content is not None:
        contents[Path(merge.org_id, row["card_id"], row["id"])] = content


def _find_content(merge: Merge, path: str, row: StagedRow, token: str, limit: int) -> Content:
    content = merge.staged.contents.get(token)
    where = f"{path}.contentBase64"
    if content is None:
        raise invalid_snapshot(where, "does not have the form of an export")
    if content.size != row["size_bytes"]:
        raise invalid_snapshot(where, f"has {content.size} bytes, not the {row['size_bytes']} of sizeBytes")
    if row["sha256"] not in (None, content.sha256):
        raise invalid_snapshot(where, "does not have the sha256 of the file; take another export")
    if content.size > limit:
        raise invalid_snapshot(
            where, f"is larger than the {limit} bytes that a file may have here (SERVICE_FILES_MAX_BYTES)"
        )
    return content


def place_contents(folder: Path, contents: dict[Path, Content], placed: list[Path]) -> None:
    """Move contents to their paths in the files folder and append them to `placed`, before the rows are written."""
    for path, content in contents.items():
        _place_content(folder / path, content, placed)


def _place_content(target: Path, content: Content, placed: list[Path]) -> None:
    """Move a content to its path; existing files are kept, so that a failed import deletes only new files."""
    if target.exists() and target.stat().st_size == content.size:
        return
    for folder in (target.parent.parent, target.parent):
        folder.mkdir(mode=0o700, exist_ok=True)
    flush_to_disk(content.path)
    placed.append(target)
    os.replace(content.path, target)
    flush_to_disk(target.parent)
    flush_to_disk(target.parent.parent)
