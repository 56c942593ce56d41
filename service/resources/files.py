"""Files: the values of file fields, with their contents on disk (contract, section 5: files)."""

import re
from functools import partial

from ..auth.context import Call, CardCall, FileCall
from ..auth.policies import CARD, FILE, agent, may
from ..database.queries import sql
from ..database.store import Row, Tx
from ..domain import field_values
from ..errors import BadRequest, NotFound
from ..pipeline.routing import routes
from ..runtime.file_store import Key
from ..schemas import Output, Success
from . import history

OF_CARD = "/files/card/{card_id}"
OF_FIELD = OF_CARD + "/field/{field_id}"
_PATH_PARTS = re.compile(r".*[/\\]", re.DOTALL)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_ENDING = re.compile(r"\.[^.]{1,20}\Z")


class File(Output):
    """What is known of a file (specification, resources)."""

    id: str
    name: str
    mime_type: str
    size_bytes: int
    card_id: str
    card_key: str
    field_id: str
    uploaded_at: str


@routes.get(OF_CARD, may("read", "File", CARD), bulk=True)
@routes.get(OF_CARD + "/mcp", agent(CARD), bulk=True)
def list_card_files(call: CardCall, card_id: str) -> list[File]:
    """List the files of a card in all its fields, newest last."""
    rows = call.tx.all(sql.files.list_of_card, card_id=card_id)
    return [File.of({**row, "card_key": call.card["key"]}) for row in rows]


@routes.get(OF_FIELD, may("read", "File", CARD))
@routes.get(OF_FIELD + "/mcp", agent(CARD))
def list_field_files(call: CardCall, card_id: str, field_id: str) -> list[File]:
    """List the files in a field of a card, newest last; 400 not_a_file_field."""
    if not call.tx.one(sql.fields.find, field_id=field_id, org_id=call.org_id):
        raise NotFound("field")
    require_file_field(call, field_id)
    rows = call.tx.all(sql.files.list, card_id=card_id, field_id=field_id)
    return [File.of({**row, "card_key": call.card["key"]}) for row in rows]


def require_file_field(call: CardCall, field_id: str) -> Row:
    """Give a file field of the card's type; raise not_a_file_field."""
    type_id = call.card["card_type_id"]
    row = call.tx.one(sql.fields.get, field_id=field_id, card_type_id=type_id, org_id=call.org_id)
    if row is None or row["kind"] != "file":
        message = (
            "The field takes no files, or cards of this type do not have it; name a file field of the card's type."
        )
        raise BadRequest("not_a_file_field", message, fieldId=field_id)
    return row


def delete_with_contents(call: Call, row: Row) -> None:
    """Remove a file, and its contents once that is committed."""
    call.tx.run(sql.files.delete, file_id=row["id"])
    call.tx.on_commit(partial(call.service.file_store.drop, row["org_id"], row["card_id"], row["id"]))


def update_field_value(call: CardCall, target: Row, action: str, change: tuple[str | None, str | None]) -> None:
    """Make the card's value the list of its files, as the card's next version, with one history row."""
    card_id = call.card["id"]
    rows = call.tx.all(sql.files.list, card_id=card_id, field_id=target["id"])
    value: list[str] | None = [row["id"] for row in rows] or None
    changes = field_values.write_values(call, card_id, {target["id"]: (target, value)})
    call.tx.run(sql.cards.increment_version, card_id=card_id, now=call.now)
    history.record(call, card_id, action, {**changes, "fileId": change})


def sanitize_name(name: str) -> str:
    """Give a file name without path parts and control characters, 1 to 255 characters long, its ending kept."""
    name = _CONTROL.sub("", _PATH_PARTS.sub("", name))
    if not name.strip() or name in (".", ".."):
        return "file"
    ending = _ENDING.search(name)
    tail = ending[0] if ending and len(name) > 255 else ""
    return name[: 255 - len(tail)] + tail


@routes.delete("/files/{file_id}", may("delete", "File", FILE, sa=True))
def delete_file(call: FileCall, file_id: str) -> Success:
    """Remove a file with its contents (SA)."""
    target = require_file_field(call, call.file["field_id"])
    delete_with_contents(call, call.file)
    update_field_value(call, target, "fileRemoved", (file_id, None))
    return Success()


def delete_batch(call: Call, field_id: str, limit: int) -> int:
    """Remove some files in a field that is being deleted, contents included; return how many."""
    rows = call.tx.all(sql.removal.delete_files_of_field, field_id=field_id, limit=limit)
    for row in rows:
        call.tx.on_commit(partial(call.service.file_store.drop, row["org_id"], row["card_id"], row["id"]))
    return len(rows)


def list_expected_contents(tx: Tx) -> tuple[set[str], set[Key]]:
    """Tell what the files folder must hold: the organizations there are, and the key of every file."""
    organizations = {row["id"] for row in tx.all(sql.organizations.list_ids)}
    return organizations, {(row["org_id"], row["card_id"], row["id"]) for row in tx.all(sql.files.list_all)}
