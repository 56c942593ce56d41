"""Tools that read and attach files."""

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aiofiles
from pydantic import Field

from ..auth.context import Call
from ..errors import invalid
from ..pipeline import name_resolution
from ..resources import file_contents, uploads
from ..schemas import Id, Name
from .card_changes import CardArguments, with_claim
from .registry import ImageContent, ToolContext, tool
from .token_limit import TokenLimit, TruncatableResult

Json = dict[str, Any]
Row = Mapping[str, Any]

TEXT_BYTES_MAX, IMAGE_BYTES_MAX = 1 << 20, 1 << 20  # larger files are not read
IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")


class GetFile(TokenLimit):
    file: Id = Field(description="id, from get_card")
    offset: int = Field(0, ge=0)


class AttachFile(CardArguments):
    field: Name = Field(description="name of a file field")
    name: str
    mime_type: str = "text/plain"
    text: str | None = Field(None)
    base64: str | None = Field(None, description="at most about 700 KB")


@tool(
    "Read a file",
    "Read a file: its text, or the image; of others type and size.",
    read_only=True,
)
async def get_file(ctx: ToolContext, arguments: GetFile) -> TruncatableResult | tuple[TruncatableResult, ImageContent]:
    """Return a file as text or as an image; of any other file its type and size."""
    operation = ctx.create_operation(file_contents.get_contents, file_id=arguments.file)
    file, path = await file_contents.require_file(operation)
    content = {key: file[key] for key in ("id", "name")} | {"mimeType": file["mime_type"], "bytes": file["size_bytes"]}
    result = TruncatableResult(content, {}, "ask again with offset, or maxTokens=8000")
    if file["mime_type"] in IMAGES and file["size_bytes"] <= IMAGE_BYTES_MAX:
        return result, ImageContent(file["mime_type"], base64.b64encode(await _read(path)).decode())
    text = _decode(await _read(path)) if file["size_bytes"] <= TEXT_BYTES_MAX else None
    if text is None:
        content["note"] = f"It is not a text of up to {TEXT_BYTES_MAX} bytes; ask a person what is in it."
    else:
        content |= {"length": len(text), "text": text[arguments.offset :]}
    return result


async def _read(path: Path) -> bytes:
    async with aiofiles.open(path, "rb") as file:
        return bytes(await file.read())


def _decode(raw: bytes) -> str | None:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


@tool(
    "Attach a file",
    "Attach a text (or base64) to a file field. If the field is not multiple, it replaces the file.",
    destructive=True,
)
async def attach_file(ctx: ToolContext, arguments: AttachFile) -> Json:
    """Attach a file to a file field of a card."""

    def resolve(call: Call) -> tuple[Row, Row]:
        card = name_resolution.find_card(call, arguments.card)
        return card, name_resolution.find_field(call, arguments.field, card["card_type_id"])

    card, field = ctx.lookup(resolve)
    ids = {"cardId": card["id"], "fieldId": field["id"]}
    operation = with_claim(ctx, arguments).create_operation(uploads.upload_file)
    file = await uploads.attach_file(operation, ids, arguments.name, arguments.mime_type, _decode_content(arguments))
    return {"id": file.id, "cardKey": card["key"], "field": field["name"], "bytes": file.size_bytes}


def _decode_content(arguments: AttachFile) -> bytes:
    if (arguments.text is None) == (arguments.base64 is None):
        raise invalid("text", "give either text or base64")
    if arguments.text is not None:
        return arguments.text.encode()
    assert arguments.base64 is not None
    try:
        return base64.b64decode(arguments.base64, validate=True)
    except ValueError:
        raise invalid("base64", "is not valid base64") from None
