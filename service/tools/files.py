"""Tools that read and attach files."""

import base64
from pathlib import Path

import aiofiles
from pydantic import Field

from ..errors import invalid
from ..resources import file_contents, files
from ..wire import Id, Output
from .bounding import Bounded, Bounds
from .card_changes import OnCard, held
from .registry import Block, Visit, tool
from .written import Written, stretch, written

TEXT_BYTES_MAX, IMAGE_BYTES_MAX = 1 << 20, 1 << 20  # of a file, that are read
IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
OVER_HTTP = "Fetch it over HTTP with your key: GET /api/v1/files/{id}/content/mcp"


class GetFile(Bounds):
    file_id: Id
    offset: int = Field(0, ge=0, description="character of a text to begin at")


class FileShown(Bounded):
    """A file, with its text if it is one."""

    texts = "ask again with offset at that character, or maxTokens=8000"
    id: str
    card_id: str
    name: Written
    mime_type: str
    size_bytes: int
    text: Written | None = None
    note: str | None = None


class AttachFile(OnCard):
    field_id: Id
    name: str
    mime_type: str = "text/plain"
    text: str | None = Field(None, description="the contents, or:")
    base64: str | None = Field(None, description="the contents, about 700 KB at the most")


class FileReceipt(Output):
    """What became of a file."""

    id: str
    card_id: str
    field_id: str
    mime_type: str
    size_bytes: int


@tool(
    "Read a file of a card (the value of a file field lists their ids): its text, or the image itself. "
    "Of others: what it is and how to fetch it.",
    FileShown,
    reads=True,
)
async def get_file(visit: Visit, arguments: GetFile) -> FileShown | tuple[FileShown, Block]:
    """Show a file: text as text, an image as an image, anything else by its size."""
    operation = visit.operation("GET /files/{file_id}/content/mcp", file_id=arguments.file_id)
    file, path = await file_contents.find(operation)
    answer = FileShown.of({**file, "name": written("file name", file["name"])})
    if file["mime_type"] in IMAGES and file["size_bytes"] <= IMAGE_BYTES_MAX:
        return answer, Block(file["mime_type"], base64.b64encode(await _read(path)).decode())
    text = _text(await _read(path)) if file["size_bytes"] <= TEXT_BYTES_MAX else None
    if text is None:
        answer.note = f"It is not a text of up to {TEXT_BYTES_MAX} bytes. {OVER_HTTP.format(id=file['id'])}"
    else:
        answer.text = stretch(written("file", text), arguments.offset)
    return answer


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
    "Attach a file to a file field of a card: text, or base64. A field that is not multiple gives up the file it had.",
    FileReceipt,
    destroys=True,
)
async def attach_file(visit: Visit, arguments: AttachFile) -> FileReceipt:
    """Attach a file."""
    ids = {"cardId": arguments.card_id, "fieldId": arguments.field_id}
    operation = held(visit, arguments).operation("POST /files/mcp")
    file = await files.attach(operation, ids, arguments.name, arguments.mime_type, _content(arguments))
    return FileReceipt.of(file.model_dump(by_alias=True))


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
