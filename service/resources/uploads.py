"""File uploads as a stream, stored only once the caller is authorized."""

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
from ..runtime.file_store import IncomingFile
from ..schemas import json_text
from . import files

EARLY_BYTES_MAX = 8 << 20  # contents that arrive before the id of their card; buffered in memory


@dataclass
class Upload:
    """The parts of an upload that have arrived so far."""

    incoming: IncomingFile
    has_file: bool = False
    name: str = ""
    mime_type: str = ""
    ids: dict[str, str] = field(default_factory=dict)
    is_authorized: bool = False  # nothing is stored before
    buffer: bytearray = field(default_factory=bytearray)

    @property
    def size(self) -> int:
        """Return the size of the contents so far in bytes."""
        return self.incoming.size + len(self.buffer)

    @property
    def has_target(self) -> bool:
        """Return whether the card and the field of the file have arrived."""
        return bool(self.ids.get("cardId") and self.ids.get("fieldId"))

    def missing(self) -> list[str]:
        """Return the names of the required parts that have not arrived."""
        return ([] if self.has_file else ["file"]) + [key for key in ("cardId", "fieldId") if not self.ids.get(key)]


@routes.post("/files", may("create", "File", CARD), streams=True)
@routes.post("/files/mcp", agent_where(PICKUP, MODERATE), streams=True)
async def upload_file(operation: Operation[CardCall]) -> files.File:
    """Upload a file into a file field of a card; a field that is not `multiple` has its file replaced.

    Send `cardId` and `fieldId` (agents: also `agentId`) before `file`, so that errors in them are returned before the
    contents are sent. If `file` comes first and is larger than 8 MiB, the request fails with 400, because nothing is
    stored before its card is known. Raises files_disabled, not_a_file_field, payload_too_large, quota_exceeded.
    """
    form = multipart.Form(operation.request, operation.service.settings.files_max_bytes)
    length = operation.request.content_length or 0
    async with operation.service.file_store.open_incoming(new_id("file"), length) as incoming:
        upload = Upload(incoming)
        await _receive_form(operation, form, upload)
        return await _store_file(operation, upload)


async def _receive_form(operation: Operation[CardCall], form: multipart.Form, upload: Upload) -> None:
    async for part in form:
        if part.name == "file" and not upload.has_file:
            await _receive_file(operation, upload, part)
        elif part.name in _id_parts(operation) and part.name not in upload.ids:
            upload.ids[part.name] = await part.text()
        else:
            _raise_unexpected_part(operation, part)
    if missing := upload.missing():
        raise invalid_fields(
            [{"path": key, "message": "is required; send it as a part of the form"} for key in missing]
        )
    # Hash the parts instead of the raw form: a client uses another boundary each time it sends the same form.
    parts = [upload.size, upload.name, upload.mime_type, sorted(upload.ids.items())]
    operation.update_digest(json_text(parts).encode(), is_last=True)


def _id_parts(operation: Operation[CardCall]) -> tuple[str, ...]:
    is_agent_route = operation.route.policy.scheme == API_KEY
    return ("cardId", "fieldId", "agentId") if is_agent_route else ("cardId", "fieldId")


def _raise_unexpected_part(operation: Operation[CardCall], part: multipart.FormPart) -> NoReturn:
    allowed = ", ".join(("file", *_id_parts(operation)))
    raise invalid(part.name[:100], f"is an unknown or repeated part; allowed parts, once each: {allowed}")


async def _receive_file(operation: Operation[CardCall], upload: Upload, part: multipart.FormPart) -> None:
    upload.is_authorized, upload.has_file = _can_store(operation, upload), True
    if not upload.is_authorized:
        expected_bytes = min(EARLY_BYTES_MAX, operation.request.content_length or EARLY_BYTES_MAX)
        admission.reserve_memory(operation.service, operation.caller, operation.request, expected_bytes)
    upload.name, upload.mime_type = files.sanitize_name(part.file_name or ""), part.mime_type
    async for chunk in part.chunks():
        operation.update_digest(chunk)
        await _append(operation, upload, chunk)


async def _append(operation: Operation[CardCall], upload: Upload, chunk: bytes) -> None:
    limit = operation.service.settings.files_max_bytes
    if upload.size + len(chunk) > limit:
        raise multipart.too_large(limit)
    if upload.is_authorized:
        await upload.incoming.write(chunk)
    elif upload.size + len(chunk) > EARLY_BYTES_MAX:
        before = ", ".join(_id_parts(operation))
        raise invalid("file", f"must come after {before} in the form if it is larger than {EARLY_BYTES_MAX:,} bytes")
    else:
        upload.buffer += chunk


async def attach_file(
    operation: Operation[CardCall], ids: dict[str, str], name: str, mime_type: str, content: bytes
) -> files.File:
    """Store contents that are already in memory; raises the same errors as an upload."""
    async with operation.service.file_store.open_incoming(new_id("file"), len(content)) as incoming:
        upload = Upload(
            incoming, True, files.sanitize_name(name), multipart.parse_mime_type(mime_type), ids, is_authorized=True
        )
        _authorize_upload(operation, upload)
        await _append(operation, upload, content)
        return await _store_file(operation, upload)


def _can_store(operation: Operation[CardCall], upload: Upload) -> bool:
    """Return whether contents can be stored as they arrive; raise Forbidden for a caller that may not upload at all."""
    try:
        (_authorize_upload if upload.has_target else _authorize_sender)(operation, upload)
    except Forbidden as error:
        if error.code != "agent_unknown" or operation.parsed.agent_id:  # agentId may still arrive as a part
            raise
        return False
    return upload.has_target


def _authorize_sender(operation: Operation[CardCall], _: Upload) -> None:
    is_agent_route = operation.route.policy.scheme == API_KEY
    route = replace(operation.route, policy=agent() if is_agent_route else may("create", "File"))
    parsed = ParsedRequest({}, {}, operation.parsed.org_id, operation.parsed.agent_id, None)
    replace(operation, route=route, parsed=parsed).read_inline(quotas.require_space)


def _authorize_upload(operation: Operation[CardCall], upload: Upload) -> Row:
    """Return the card of an upload; raise an error if the upload is not allowed."""
    operation.set_card(upload.ids["cardId"], upload.ids.get("agentId"))
    return operation.read_inline(lambda call: _require_field(call, upload) and call.card)


def _require_field(call: CardCall, upload: Upload) -> Row:
    """Return the file field of an upload."""
    if not call.card["files_enabled"]:
        raise BadRequest("files_disabled", "Cards of this type take no files.")
    if not call.tx.one(sql.fields.find, field_id=upload.ids["fieldId"], org_id=call.org_id):
        raise reference_errors.unknown_field(call, "fieldId", call.card["card_type_id"], "is not the id of a field")
    quotas.require_space(call, upload.size)
    return files.require_file_field(call, upload.ids["fieldId"])


async def _store_file(operation: Operation[CardCall], upload: Upload) -> files.File:
    card, file_store = _authorize_upload(operation, upload), operation.service.file_store
    await upload.incoming.write(bytes(upload.buffer))
    upload.buffer.clear()
    await file_store.store(upload.incoming, card["org_id"], card["id"])
    try:
        return await operation.write(lambda call: _create_file(call, upload))
    except Exception:  # not on cancellation, because the write still completes
        await file_store.remove(card["org_id"], card["id"], upload.incoming.file_id)
        raise


def _create_file(call: CardCall, upload: Upload) -> files.File:
    target, file_id = _require_field(call, upload), upload.incoming.file_id
    owner = {"card_id": call.card["id"], "field_id": target["id"]}
    replaced = [] if target["multiple"] else call.tx.all(sql.files.list, **owner)
    for row in replaced:
        files.delete_with_contents(call, row)
    about = {"name": upload.name, "mime_type": upload.mime_type, "size_bytes": upload.incoming.size}
    about["sha256"] = upload.incoming.sha256
    call.tx.run(sql.files.create, id=file_id, org_id=call.org_id, now=call.now, **owner, **about)
    files.update_field_value(call, target, "fileAdded", (replaced[-1]["id"] if replaced else None, file_id))
    return files.File(id=file_id, card_key=call.card["key"], uploaded_at=call.now, **owner, **about)
