"""Files on cards: the values of file fields, with their contents on disk."""

import re
from functools import partial

from pydantic import Field

from ..auth.context import Call, CardCall, FileCall
from ..auth.policies import CARD, FILE, agent, may
from ..database.queries import sql
from ..database.store import Row, Tx
from ..domain import field_values
from ..errors import BadRequest, invalid
from ..pipeline.routing import routes
from ..runtime.file_store import Key
from ..schemas import Output, Success
from ..text.comparison import is_blank
from . import history

CARD_PATH = "/files/card/{card_id}"
FIELD_PATH = CARD_PATH + "/field/{field_id}"
_PATH_PARTS = re.compile(r".*[/\\]", re.DOTALL)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
NAME_CHARACTERS_MAX = 255  # of a file, without folders


class File(Output):
    """A file of a card, without its contents."""

    id: str
    name: str
    mime_type: str
    size_bytes: int
    sha256: str | None = Field(description="SHA-256 of the contents; null until the service has calculated it.")
    card_id: str
    card_key: str
    field_id: str
    uploaded_at: str


@routes.get(CARD_PATH, may("read", "File", CARD), on_reader_thread=True)
@routes.get(CARD_PATH + "/mcp", agent(CARD), on_reader_thread=True)
def list_card_files(call: CardCall, card_id: str) -> list[File]:
    """List the files in all fields of a card, newest last."""
    rows = call.tx.all(sql.files.list_of_card, card_id=card_id)
    return [File.of({**row, "card_key": call.card["key"]}) for row in rows]


@routes.get(FIELD_PATH, may("read", "File", CARD))
@routes.get(FIELD_PATH + "/mcp", agent(CARD))
def list_field_files(call: CardCall, card_id: str, field_id: str) -> list[File]:
    """List the files in one field of a card, newest last; 400 not_a_file_field."""
    call.require(sql.fields.find, "field", field_id=field_id, org_id=call.org_id)
    require_file_field(call, field_id)
    rows = call.tx.all(sql.files.list, card_id=card_id, field_id=field_id)
    return [File.of({**row, "card_key": call.card["key"]}) for row in rows]


def require_file_field(call: CardCall, field_id: str) -> Row:
    """Return a file field of the card's type; raise not_a_file_field."""
    type_id = call.card["card_type_id"]
    row = call.tx.one(sql.fields.get, field_id=field_id, card_type_id=type_id, org_id=call.org_id)
    if row is None or row["kind"] != "file":
        message = (
            "The field is not a file field, or cards of this type do not have it; use a file field of the card's type."
        )
        raise BadRequest("not_a_file_field", message, fieldId=field_id)
    return row


def delete_with_contents(call: Call, row: Row) -> None:
    """Delete a file, and its contents after the commit."""
    call.tx.run(sql.files.delete, file_id=row["id"])
    _delete_contents_on_commit(call, row)


def _delete_contents_on_commit(call: Call, row: Row) -> None:
    call.tx.on_commit(partial(call.service.file_store.remove_later, row["org_id"], row["card_id"], row["id"]))


def update_field_value(call: CardCall, target: Row, action: str, change: tuple[str | None, str | None]) -> None:
    """Set the field's value to the ids of its files, with the next version of the card and one history row."""
    card_id = call.card["id"]
    rows = call.tx.all(sql.files.list, card_id=card_id, field_id=target["id"])
    value: list[str] | None = [row["id"] for row in rows] or None
    changes = field_values.write_values(call, card_id, {target["id"]: (target, value)})
    call.tx.run(sql.cards.increment_version, card_id=card_id, now=call.now)
    history.record(call, card_id, action, {**changes, "fileId": change})


def remove_path(name: str) -> str:
    """Return a file name without folders and control characters."""
    return _CONTROL.sub("", _PATH_PARTS.sub("", name))


def sanitize_name(name: str) -> str:
    """Return a name without folders and control characters; raise validation_failed if it is too long."""
    name = remove_path(name)
    if is_blank(name) or name in (".", ".."):
        return "file"
    if len(name) > NAME_CHARACTERS_MAX:
        raise invalid("file", f"may have a name of at most {NAME_CHARACTERS_MAX} characters; rename the file")
    return name


@routes.delete("/files/{file_id}", may("delete", "File", FILE, requires_architect=True))
def delete_file(call: FileCall, file_id: str) -> Success:
    """Delete a file with its contents (SA)."""
    target = require_file_field(call, call.file["field_id"])
    delete_with_contents(call, call.file)
    update_field_value(call, target, "fileRemoved", (file_id, None))
    return Success()


def delete_batch(call: Call, field_id: str, limit: int) -> int:
    """Delete at most `limit` files in a field that is being deleted, with their contents; return their number."""
    rows = call.tx.all(sql.removal.delete_files_of_field, field_id=field_id, limit=limit)
    for row in rows:
        _delete_contents_on_commit(call, row)
    return len(rows)


def list_expected_contents(tx: Tx) -> tuple[set[str], set[Key]]:
    """Return what the files folder must contain: the ids of all organizations and the keys of all files."""
    organizations = {row["id"] for row in tx.all(sql.organizations.list_ids)}
    return organizations, {(row["org_id"], row["card_id"], row["id"]) for row in tx.all(sql.files.list_all)}
