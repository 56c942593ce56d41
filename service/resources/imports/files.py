"""Files of a snapshot: their rows, their contents where they came along, and presets, which need the same fields."""

import os
from pathlib import Path

from ...blobs import through_to_disk
from ...database.queries import sql
from .inlined import Content
from .merging import Group, Merge
from .snapshot import unshapely
from .staging import Draft

FILES = Group(
    key="files",
    read=sql.imports.read_files,
    write=sql.imports.write_files,
    needs=(("card_id", "cards"), ("field_id", "fields")),
    fixed=("card_id", "field_id"),
)
PRESETS = Group(
    key="presets",
    read=sql.imports.read_presets,
    write=sql.imports.write_presets,
    twin=sql.imports.twin_presets,
    needs=(("card_type_id", "cardTypes"), ("field_id", "fields")),
    fixed=("card_type_id", "field_id"),
)


def write(merge: Merge, folder: Path, limit: int) -> None:
    """Write presets and files, and last of all put the contents into their places under a folder."""
    merge.each(PRESETS, lambda path, row: _preset(merge, path, row))
    arrivals: dict[Path, Content] = {}
    merge.each(FILES, lambda path, row: _file(merge, path, row, folder, limit, arrivals))
    for target, content in arrivals.items():
        _arrive(target, content, merge.staged.placed)


def _preset(merge: Merge, path: str, row: Draft) -> None:
    field = merge.find("fields", row["field_id"])
    if field and field["card_type_id"] != row["card_type_id"]:
        raise unshapely(f"{path}.fieldId", "names a field of another card type")
    merge.put(PRESETS, path, row)


def _file(merge: Merge, path: str, row: Draft, folder: Path, limit: int, arrivals: dict[Path, Content]) -> None:
    token = row.pop("content_base64")
    field = merge.find("fields", row["field_id"])
    if field and field["kind"] != "file":
        raise unshapely(f"{path}.fieldId", "names a field that takes no files")
    merge.put(FILES, path, row)
    if token is not None:
        arrivals[folder / merge.org_id / row["card_id"] / row["id"]] = _content(merge, path, row, token, limit)


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
