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
from ..schemas import Id
from .bounding import Bounds, Long
from .card_changes import OnCard, held
from .registry import Block, ToolContext, tool

Json = dict[str, Any]
Row = Mapping[str, Any]

TEXT_BYTES_MAX, IMAGE_BYTES_MAX = 1 << 20, 1 << 20  # of a file, that are read
IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")


class GetFile(Bounds):
    file: Id = Field(description="its id, as get_card lists it")
    offset: int = Field(0, ge=0, description="character of a text to begin at")


class AttachFile(OnCard):
    field: Id = Field(description="name of a file field")
    name: str
    mime_type: str = "text/plain"
    text: str | None = Field(None, description="the contents, or:")
    base64: str | None = Field(None, description="the contents, about 700 KB at the most")


@tool("Read a file of a card: its text, or the image itself. Of others you learn kind and size only.", reads=True)
async def get_file(ctx: ToolContext, arguments: GetFile) -> Long | tuple[Long, Block]:
    """Show a file: text as text, an image as an image, anything else by its size."""
    operation = ctx.operation("GET /files/{file_id}/content/mcp", file_id=arguments.file)
    file, path = await file_contents.require_file(operation)
    answer = {key: file[key] for key in ("id", "name")} | {"mimeType": file["mime_type"], "bytes": file["size_bytes"]}
    long = Long(answer, {}, "ask again with offset, or maxTokens=8000")
    if file["mime_type"] in IMAGES and file["size_bytes"] <= IMAGE_BYTES_MAX:
        return long, Block(file["mime_type"], base64.b64encode(await _read(path)).decode())
    text = _text(await _read(path)) if file["size_bytes"] <= TEXT_BYTES_MAX else None
    if text is None:
        answer["note"] = f"It is not a text of up to {TEXT_BYTES_MAX} bytes; ask a person what is in it."
    else:
        answer |= {"length": len(text), "text": text[arguments.offset :]}
    return long


async def _read(path: Path) -> bytes:
    async with aiofiles.open(path, "rb") as file:
        return bytes(await file.read())


def _text(raw: bytes) -> str | None:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


@tool(
    "Attach a file to a file field of a card: text, or base64. A field that is not multiple gives up the file it had. "
    'Example: {"card": "REL-12", "field": "attachments", "name": "report.md", "text": "# Done"}.',
    destroys=True,
)
async def attach_file(ctx: ToolContext, arguments: AttachFile) -> Json:
    """Attach a file."""

    def look(call: Call) -> tuple[Row, Row]:
        card = name_resolution.card(call, arguments.card)
        return card, name_resolution.field(call, arguments.field, card["card_type_id"])

    card, field = ctx.lookup(look)
    ids = {"cardId": card["id"], "fieldId": field["id"]}
    operation = held(ctx, arguments).operation("POST /files/mcp")
    file = await uploads.attach(operation, ids, arguments.name, arguments.mime_type, _content(arguments))
    return {"id": file.id, "cardKey": card["key"], "field": field["name"], "bytes": file.size_bytes}


def _content(arguments: AttachFile) -> bytes:
    if (arguments.text is None) == (arguments.base64 is None):
        raise invalid("text", "give either text or base64")
    if arguments.text is not None:
        return arguments.text.encode()
    assert arguments.base64 is not None
    try:
        return base64.b64decode(arguments.base64, validate=True)
    except ValueError:
        raise invalid("base64", "is not valid base64") from None
