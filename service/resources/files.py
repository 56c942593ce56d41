"""Files: the values of file fields, with their contents on disk (contract, section 5: files)."""

import re
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NoReturn

from ..blobs import Incoming, Key
from ..database.queries import sql
from ..database.store import Row, Tx
from ..errors import BadRequest, Forbidden, NotFound, invalid, invalid_fields
from ..ids import new_id
from ..journey import multipart
from ..journey.call import Call, CardCall, FileCall
from ..journey.caller import API_KEY
from ..journey.gates import CARD, FILE, MODERATE, PICKUP, agent, agent_where, may
from ..journey.inputs import Taken
from ..journey.route import Operation
from ..journey.table import routes
from ..wire import Output, Success, json_text
from . import field_values, history, quotas

OF_FIELD = "/files/card/{card_id}/field/{field_id}"
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


@routes.get(OF_FIELD, may("read", "File", CARD))
@routes.get(OF_FIELD + "/mcp", agent(CARD))
def browse(call: CardCall, card_id: str, field_id: str) -> list[File]:
    """List the files in a field of a card, newest last; 400 not_a_file_field."""
    if not call.tx.one(sql.fields.find, field_id=field_id, org_id=call.org_id):
        raise NotFound("field")
    _file_field(call, field_id)
    rows = call.tx.all(sql.files.browse, card_id=card_id, field_id=field_id)
    return [File.of({**row, "card_key": call.card["key"]}) for row in rows]


def _file_field(call: CardCall, field_id: str) -> Row:
    type_id = call.card["card_type_id"]
    row = call.tx.one(sql.fields.read, field_id=field_id, card_type_id=type_id, org_id=call.org_id)
    if row is None or row["kind"] != "file":
        message = (
            "The field takes no files, or cards of this type do not have it; name a file field of the card's type."
        )
        raise BadRequest("not_a_file_field", message, fieldId=field_id)
    return row


@dataclass
class Upload:
    """What an upload has brought so far."""

    incoming: Incoming
    has_file: bool = False
    name: str = ""
    mime_type: str = ""
    ids: dict[str, str] = field(default_factory=dict)

    @property
    def is_placed(self) -> bool:
        """Tell whether it is known where the file belongs."""
        return bool(self.ids.get("cardId") and self.ids.get("fieldId"))

    def missing(self) -> list[str]:
        """Name the parts that an upload must have and this one has not."""
        return ([] if self.has_file else ["file"]) + [key for key in ("cardId", "fieldId") if not self.ids.get(key)]


@routes.post("/files", may("create", "File", CARD))
@routes.post("/files/mcp", agent_where(PICKUP, MODERATE))
async def add(operation: Operation[CardCall]) -> File:
    """Upload a file into a file field of a card: a multiple field keeps all, another gives up what it had.

    The parts `file`, `cardId`, `fieldId` (agents: `agentId`) come in any order; what is wrong with those
    that come before the file is answered before it is taken. Raises files_disabled, not_a_file_field,
    payload_too_large, quota_exceeded. Contents that come before the ids are taken from whoever may upload at all.
    """
    form = multipart.Form(operation.request, operation.service.settings.files_max_bytes)
    async with operation.service.blobs.incoming(new_id("file")) as incoming:
        upload = Upload(incoming)
        await _receive(operation, form, upload)
        return await _keep(operation, upload)


async def _receive(operation: Operation[CardCall], form: multipart.Form, upload: Upload) -> None:
    async for part in form:
        if part.name == "file" and not upload.has_file:
            await _receive_file(operation, upload, part)
        elif part.name in _ids(operation) and part.name not in upload.ids:
            upload.ids[part.name] = await part.text()
        else:
            _refuse(operation, part)
    if missing := upload.missing():
        raise invalid_fields(
            [{"path": key, "message": "is required; send it as a part of the form"} for key in missing]
        )
    # The parts, not the bytes of the form: its boundary is another one each time that it is sent.
    told = [upload.incoming.size, upload.name, upload.mime_type, sorted(upload.ids.items())]
    operation.hear(json_text(told).encode(), is_last=True)


def _ids(operation: Operation[CardCall]) -> tuple[str, ...]:
    is_agents = operation.route.gate.scheme == API_KEY
    return ("cardId", "fieldId", "agentId") if is_agents else ("cardId", "fieldId")


def _refuse(operation: Operation[CardCall], part: multipart.Part) -> NoReturn:
    allowed = ", ".join(("file", *_ids(operation)))
    raise invalid(part.name[:100], f"is an unknown part or comes twice; allowed here, once each: {allowed}")


async def _receive_file(operation: Operation[CardCall], upload: Upload, part: multipart.Part) -> None:
    _judge(operation, upload) if upload.is_placed else _judge_sender(operation)
    upload.has_file = True
    upload.name, upload.mime_type = clean(part.file_name or ""), part.mime_type
    async for chunk in part.chunks():
        operation.hear(chunk)
        await _take_in(operation, upload, chunk)


async def _take_in(operation: Operation[CardCall], upload: Upload, chunk: bytes) -> None:
    await upload.incoming.write(chunk)
    limit = operation.service.settings.files_max_bytes
    if upload.incoming.size > limit:
        raise multipart.too_large(limit)


async def attach(
    operation: Operation[CardCall], ids: dict[str, str], name: str, mime_type: str, content: bytes
) -> File:
    """Keep contents that are in memory already as an upload would; raises what an upload raises."""
    async with operation.service.blobs.incoming(new_id("file")) as incoming:
        upload = Upload(incoming, True, clean(name), multipart.mime_type_of(mime_type), ids)
        _judge(operation, upload)
        await _take_in(operation, upload, content)
        return await _keep(operation, upload)


def _judge_sender(operation: Operation[CardCall]) -> None:
    """Refuse who may upload nothing at all, where the contents come before it is known which card they are for."""
    is_agents = operation.route.gate.scheme == API_KEY
    route = replace(operation.route, gate=agent() if is_agents else may("create", "File"))
    taken = Taken({}, {}, operation.taken.org_id, operation.taken.agent_id, None)
    try:
        replace(operation, route=route, taken=taken).peek(quotas.judge)
    except Forbidden as error:
        if error.code != "agent_unknown" or taken.agent_id:  # which agent it is may still come, as a part
            raise


def _judge(operation: Operation[CardCall], upload: Upload) -> Row:
    """Refuse an upload that may not be; else give the card that it is for."""
    operation.about(upload.ids["cardId"], upload.ids.get("agentId"))
    return operation.peek(lambda call: _target(call, upload) and call.card)


def _target(call: CardCall, upload: Upload) -> Row:
    """Give the field that an upload is for."""
    if not call.card["files_enabled"]:
        raise BadRequest("files_disabled", "Cards of this type take no files.")
    if not call.tx.one(sql.fields.find, field_id=upload.ids["fieldId"], org_id=call.org_id):
        raise invalid("fieldId", "names no field")
    quotas.judge(call, upload.incoming.size)
    return _file_field(call, upload.ids["fieldId"])


async def _keep(operation: Operation[CardCall], upload: Upload) -> File:
    card, blobs = _judge(operation, upload), operation.service.blobs
    await blobs.keep(upload.incoming, card["org_id"], card["id"])
    try:
        return await operation.write(lambda call: _record(call, upload))
    except Exception:  # not when cancelled: the row is being written all the same
        await blobs.remove(card["org_id"], card["id"], upload.incoming.file_id)
        raise


def _record(call: CardCall, upload: Upload) -> File:
    target, file_id = _target(call, upload), upload.incoming.file_id
    place = {"card_id": call.card["id"], "field_id": target["id"]}
    replaced = [] if target["multiple"] else call.tx.all(sql.files.browse, **place)
    for row in replaced:
        _drop(call, row)
    about = {"name": upload.name, "mime_type": upload.mime_type, "size_bytes": upload.incoming.size}
    call.tx.run(sql.files.add, id=file_id, org_id=call.org_id, now=call.now, **place, **about)
    _write_value(call, target, "fileAdded", (replaced[-1]["id"] if replaced else None, file_id))
    return File(id=file_id, card_key=call.card["key"], uploaded_at=call.now, **place, **about)


def _drop(call: Call, row: Row) -> None:
    call.tx.run(sql.files.remove, file_id=row["id"])
    call.tx.after(partial(call.service.blobs.drop, row["org_id"], row["card_id"], row["id"]))


def _write_value(call: CardCall, target: Row, action: str, change: tuple[str | None, str | None]) -> None:
    """Make the card's value the list of its files, as the card's next version, with one history row."""
    card_id = call.card["id"]
    rows = call.tx.all(sql.files.browse, card_id=card_id, field_id=target["id"])
    value: list[str] | None = [row["id"] for row in rows] or None
    changes = field_values.write(call, card_id, {target["id"]: (target, value)})
    call.tx.run(sql.cards.touch, card_id=card_id, now=call.now)
    history.record(call, card_id, action, {**changes, "fileId": change})


def clean(name: str) -> str:
    """Give a file name without path parts and control characters, 1 to 255 characters long, its ending kept."""
    name = _CONTROL.sub("", _PATH_PARTS.sub("", name))
    if not name.strip() or name in (".", ".."):
        return "file"
    ending = _ENDING.search(name)
    tail = ending[0] if ending and len(name) > 255 else ""
    return name[: 255 - len(tail)] + tail


@routes.delete("/files/{file_id}", may("delete", "File", FILE, sa=True))
def remove(call: FileCall, file_id: str) -> Success:
    """Remove a file with its contents (SA)."""
    target = _file_field(call, call.file["field_id"])
    _drop(call, call.file)
    _write_value(call, target, "fileRemoved", (file_id, None))
    return Success()


def drop_all(call: Call, field_id: str) -> None:
    """Remove the contents of all files in a field that is being deleted; the rows go with it."""
    for row in call.tx.all(sql.files.of_field, field_id=field_id):
        call.tx.after(partial(call.service.blobs.drop, row["org_id"], row["card_id"], row["id"]))


def expected(tx: Tx) -> tuple[set[str], set[Key]]:
    """Tell what the files folder must hold: the organizations there are, and the key of every file."""
    organizations = {row["id"] for row in tx.all(sql.organizations.ids)}
    return organizations, {(row["org_id"], row["card_id"], row["id"]) for row in tx.all(sql.files.everywhere)}
