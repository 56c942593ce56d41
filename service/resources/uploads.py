"""Uploads: a file is taken in as a stream, and stored only for whom it may be stored (contract, section 5: files)."""

from dataclasses import dataclass, field, replace
from typing import NoReturn

from ..auth.authentication import API_KEY
from ..auth.context import CardCall
from ..auth.policies import CARD, MODERATE, PICKUP, agent, agent_where, may
from ..database.queries import sql
from ..database.store import Row
from ..domain import quotas
from ..errors import BadRequest, Forbidden, invalid, invalid_fields
from ..http import multipart
from ..ids import new_id
from ..pipeline import admission, reference_errors
from ..pipeline.parsing import ParsedRequest
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..runtime.file_store import Incoming
from ..schemas import json_text
from . import files

EARLY_BYTES_MAX = 8 << 20  # of contents that come before it is known which card they are for: held in memory


@dataclass
class Upload:
    """What an upload has brought so far."""

    incoming: Incoming
    has_file: bool = False
    name: str = ""
    mime_type: str = ""
    ids: dict[str, str] = field(default_factory=dict)
    is_admitted: bool = False  # until then nothing is stored
    held: bytearray = field(default_factory=bytearray)

    @property
    def size(self) -> int:
        """Count the bytes of the contents."""
        return self.incoming.size + len(self.held)

    @property
    def is_placed(self) -> bool:
        """Tell whether it is known where the file belongs."""
        return bool(self.ids.get("cardId") and self.ids.get("fieldId"))

    def missing(self) -> list[str]:
        """Name the parts that an upload must have and this one has not."""
        return ([] if self.has_file else ["file"]) + [key for key in ("cardId", "fieldId") if not self.ids.get(key)]


@routes.post("/files", may("create", "File", CARD), streams=True)
@routes.post("/files/mcp", agent_where(PICKUP, MODERATE), streams=True)
async def add(operation: Operation[CardCall]) -> files.File:
    """Upload a file into a file field of a card: a multiple field keeps all, another gives up what it had.

    Send `cardId` and `fieldId` (agents: and `agentId`) before `file`: what is wrong with them is answered before the
    contents are taken. A file of more than 8 MiB that comes first is 400, since nothing is stored before it is known
    which card it is for. Raises files_disabled, not_a_file_field, payload_too_large, quota_exceeded.
    """
    form = multipart.Form(operation.request, operation.service.settings.files_max_bytes)
    length = operation.request.content_length or 0
    async with operation.service.file_store.incoming(new_id("file"), length) as incoming:
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
    told = [upload.size, upload.name, upload.mime_type, sorted(upload.ids.items())]
    operation.update_digest(json_text(told).encode(), is_last=True)


def _ids(operation: Operation[CardCall]) -> tuple[str, ...]:
    is_agents = operation.route.policy.scheme == API_KEY
    return ("cardId", "fieldId", "agentId") if is_agents else ("cardId", "fieldId")


def _refuse(operation: Operation[CardCall], part: multipart.FormPart) -> NoReturn:
    allowed = ", ".join(("file", *_ids(operation)))
    raise invalid(part.name[:100], f"is an unknown part or comes twice; allowed here, once each: {allowed}")


async def _receive_file(operation: Operation[CardCall], upload: Upload, part: multipart.FormPart) -> None:
    upload.is_admitted, upload.has_file = _may_begin(operation, upload), True
    if not upload.is_admitted:
        ahead = min(EARLY_BYTES_MAX, operation.request.content_length or EARLY_BYTES_MAX)
        admission.count(operation.service, operation.caller, operation.request, ahead)
    upload.name, upload.mime_type = files.sanitize_name(part.file_name or ""), part.mime_type
    async for chunk in part.chunks():
        operation.update_digest(chunk)
        await _take_in(operation, upload, chunk)


async def _take_in(operation: Operation[CardCall], upload: Upload, chunk: bytes) -> None:
    limit = operation.service.settings.files_max_bytes
    if upload.size + len(chunk) > limit:
        raise multipart.too_large(limit)
    if upload.is_admitted:
        await upload.incoming.write(chunk)
    elif upload.size + len(chunk) > EARLY_BYTES_MAX:
        before = ", ".join(_ids(operation))
        raise invalid("file", f"must come after {before} in the form if it has more than {EARLY_BYTES_MAX:,} bytes")
    else:
        upload.held += chunk


async def attach(
    operation: Operation[CardCall], ids: dict[str, str], name: str, mime_type: str, content: bytes
) -> files.File:
    """Keep contents that are in memory already as an upload would; raises what an upload raises."""
    async with operation.service.file_store.incoming(new_id("file"), len(content)) as incoming:
        upload = Upload(
            incoming, True, files.sanitize_name(name), multipart.parse_mime_type(mime_type), ids, is_admitted=True
        )
        _judge(operation, upload)
        await _take_in(operation, upload, content)
        return await _keep(operation, upload)


def _may_begin(operation: Operation[CardCall], upload: Upload) -> bool:
    """Tell whether contents may be stored as they come; refuse who may upload nothing, whatever is still to come."""
    try:
        (_judge if upload.is_placed else _judge_sender)(operation, upload)
    except Forbidden as error:
        if error.code != "agent_unknown" or operation.parsed.agent_id:  # which agent it is may still come, as a part
            raise
        return False
    return upload.is_placed


def _judge_sender(operation: Operation[CardCall], _: Upload) -> None:
    is_agents = operation.route.policy.scheme == API_KEY
    route = replace(operation.route, policy=agent() if is_agents else may("create", "File"))
    parsed = ParsedRequest({}, {}, operation.parsed.org_id, operation.parsed.agent_id, None)
    replace(operation, route=route, parsed=parsed).read_inline(quotas.require_space)


def _judge(operation: Operation[CardCall], upload: Upload) -> Row:
    """Refuse an upload that may not be; else give the card that it is for."""
    operation.about(upload.ids["cardId"], upload.ids.get("agentId"))
    return operation.read_inline(lambda call: _target(call, upload) and call.card)


def _target(call: CardCall, upload: Upload) -> Row:
    """Give the field that an upload is for."""
    if not call.card["files_enabled"]:
        raise BadRequest("files_disabled", "Cards of this type take no files.")
    if not call.tx.one(sql.fields.find, field_id=upload.ids["fieldId"], org_id=call.org_id):
        raise reference_errors.field(call, "fieldId", call.card["card_type_id"], "names no field")
    quotas.require_space(call, upload.size)
    return files.require_file_field(call, upload.ids["fieldId"])


async def _keep(operation: Operation[CardCall], upload: Upload) -> files.File:
    card, file_store = _judge(operation, upload), operation.service.file_store
    await upload.incoming.write(bytes(upload.held))
    upload.held.clear()
    await file_store.keep(upload.incoming, card["org_id"], card["id"])
    try:
        return await operation.write(lambda call: _record(call, upload))
    except Exception:  # not when cancelled: the row is being written all the same
        await file_store.remove(card["org_id"], card["id"], upload.incoming.file_id)
        raise


def _record(call: CardCall, upload: Upload) -> files.File:
    target, file_id = _target(call, upload), upload.incoming.file_id
    place = {"card_id": call.card["id"], "field_id": target["id"]}
    replaced = [] if target["multiple"] else call.tx.all(sql.files.list, **place)
    for row in replaced:
        files.delete_with_contents(call, row)
    about = {"name": upload.name, "mime_type": upload.mime_type, "size_bytes": upload.incoming.size}
    call.tx.run(sql.files.create, id=file_id, org_id=call.org_id, now=call.now, **place, **about)
    files.update_field_value(call, target, "fileAdded", (replaced[-1]["id"] if replaced else None, file_id))
    return files.File(id=file_id, card_key=call.card["key"], uploaded_at=call.now, **place, **about)
