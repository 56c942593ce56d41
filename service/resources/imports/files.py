"""Files of a snapshot: their rows, their contents where they came along, and presets, which need the same fields."""

import os
from pathlib import Path

from ...auth.context import Call
from ...database.queries import Statement, sql
from ...domain import quotas
from ...runtime.file_store import through_to_disk
from .. import presets
from .inlined import Content
from .merging import Group, Merge
from .snapshot import unshapely
from .staging import Draft

FILES = Group(
    key="files",
    read=sql.imports.get_file,
    write=sql.imports.write_files,
    needs=(("card_id", "cards"), ("field_id", "fields")),
    fixed=("card_id", "field_id"),
)
PRESETS = Group(
    key="presets",
    read=sql.imports.get_preset,
    write=sql.imports.write_presets,
    twin=sql.imports.find_conflicting_preset,
    needs=(("card_type_id", "cardTypes"), ("field_id", "fields")),
    fixed=("card_type_id", "field_id"),
)


def write(merge: Merge, call: Call) -> dict[Path, Content]:
    """Write presets and files, and tell which contents belong where in the folder of files.

    Raises quota_exceeded, or conflict where the presets would be more than the organization may have.
    """
    size = Size(merge, sql.preset_fields.total_size)
    merge.each(PRESETS, lambda path, row: _preset(merge, path, row, size))
    if size.exceeds(presets.CHARACTERS_MAX):
        raise presets.full()
    arrivals: dict[Path, Content] = {}
    limit, size = call.service.settings.files_max_bytes, Size(merge, sql.files.total_size)
    merge.each(FILES, lambda path, row: _file(merge, path, row, limit, size, arrivals))
    quotas.require_allowed_growth(call, size.before, size.after)
    return arrivals


class Size:
    """What the rows of a kind have together in an organization, before an import and after it."""

    def __init__(self, merge: Merge, statement: Statement) -> None:
        self.before = self.after = int(merge.tx.live.value(statement, org_id=merge.org_id))

    def exceeds(self, most: int) -> bool:
        """Tell whether it is more than may be, and more than it was."""
        return self.after > max(most, self.before)


def _preset(merge: Merge, path: str, row: Draft, size: Size) -> None:
    field = merge.find("fields", row["field_id"])
    if field and field["card_type_id"] != row["card_type_id"]:
        raise unshapely(f"{path}.fieldId", "names a field of another card type")
    known = merge.put(PRESETS, path, row)
    size.after += len(row["value"]) - (len(known["value"]) if known else -presets.CHARACTERS_AROUND)


def _file(merge: Merge, path: str, row: Draft, limit: int, size: Size, arrivals: dict[Path, Content]) -> None:
    token = row.pop("content_base64")
    field = merge.find("fields", row["field_id"])
    if field and field["kind"] != "file":
        raise unshapely(f"{path}.fieldId", "names a field that takes no files")
    known = merge.put(FILES, path, row)
    size.after += row["size_bytes"] - (known["size_bytes"] if known else 0)
    if token is not None:
        arrivals[Path(merge.org_id, row["card_id"], row["id"])] = _content(merge, path, row, token, limit)


def _content(merge: Merge, path: str, row: Draft, token: str, limit: int) -> Content:
    content = merge.staged.contents.get(token)
    where = f"{path}.contentBase64"
    if content is None:
        raise unshapely(where, "is not as export writes it")
    if content.size != row["size_bytes"]:
        raise unshapely(where, f"has {content.size} bytes, not the {row['size_bytes']} of sizeBytes")
    if content.size > limit:
        raise unshapely(where, f"is larger than the {limit} bytes that a file may have here (SERVICE_FILES_MAX_BYTES)")
    return content


def arrive(folder: Path, arrivals: dict[Path, Content], placed: list[Path]) -> None:
    """Move contents to their places in the folder of files, noting each; the rows come after."""
    for path, content in arrivals.items():
        _arrive(folder / path, content, placed)


def _arrive(target: Path, content: Content, placed: list[Path]) -> None:
    """Move a content to its place; one that is there already stays, so that a failure has nothing to bring back."""
    if target.exists() and target.stat().st_size == content.size:
        return
    for folder in (target.parent.parent, target.parent):
        folder.mkdir(mode=0o700, exist_ok=True)
    through_to_disk(content.path)
    placed.append(target)
    os.replace(content.path, target)
    through_to_disk(target.parent)
    through_to_disk(target.parent.parent)
