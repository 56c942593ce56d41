"""Multipart forms byte by byte, and the files that tests send and look for on disk."""

import asyncio
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .world import Answer, Board, Client, World

BOUNDARY = "a-boundary"
FORM = f"multipart/form-data; boundary={BOUNDARY}"
END = f"--{BOUNDARY}--\r\n".encode()


def head(name: str, file_name: str | None = None, mime_type: str | None = None) -> bytes:
    """Return the headers of a part; the file name is written as it is given."""
    lines = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"'
    lines += f'; filename="{file_name}"' if file_name is not None else ""
    lines += f"\r\nContent-Type: {mime_type}" if mime_type else ""
    return lines.encode() + b"\r\n\r\n"


def text(name: str, value: str) -> bytes:
    """Return a whole part that is a text."""
    return head(name) + value.encode() + b"\r\n"


def blob(content: bytes = b"content", file_name: str | None = "a.txt", mime_type: str | None = "text/plain") -> bytes:
    """Return a whole part that is the file."""
    return head("file", file_name, mime_type) + content + b"\r\n"


def target(card: Mapping[str, Any], field_id: str) -> bytes:
    """Return the parts that say where a file belongs."""
    return text("cardId", card["id"]) + text("fieldId", field_id)


async def send(client: Client, *parts: bytes, **headers: str) -> Answer:
    """Send the parts as one form."""
    path = "/files/mcp" if "ApiKey" in client.headers.get("Authorization", "") else "/files"
    body = io.BytesIO(b"".join(parts) + END)
    return await client.call("POST", path, data=body, headers={"Content-Type": FORM, **headers})


async def upload(world: World, card: Mapping[str, Any], field_id: str, content: bytes = b"content", **file: Any) -> Any:
    """Upload a file as the SA."""
    return (await send(world.sa, target(card, field_id), blob(content, **file))).ok()


async def file_field(world: World, board: Board, name: str = "logo", **wishes: Any) -> str:
    """Give the card type of a board another file field."""
    path = world.sa.org(f"/card-types/{board.card_type['id']}/fields")
    return str((await world.sa.post(path, {"name": name, "kind": "file", **wishes})).ok()["id"])


async def values(world: World, card: Mapping[str, Any]) -> dict[str, Any]:
    """Return the field values of a card by field id."""
    rows = (await world.sa.get(f"/cards/{card['id']}")).ok()["fieldValues"]
    return {row["fieldId"]: row["value"] for row in rows}


async def on_disk(world: World) -> set[str]:
    """Name every file in the files folder, and every folder but the service's own, once nothing is being removed."""
    await world.service.file_store.wait_for_removals()
    folder = world.service.settings.files
    return {str(path.relative_to(folder)) for path in folder.rglob("*")} - {".temporary"}


def find_contents(world: World, file: Mapping[str, Any]) -> Path:
    """Tell where the contents of a file are."""
    return world.service.file_store.get_path(world.sa.org_id, file["cardId"], file["id"])


async def begin_upload(
    client: Client, body: bytes, length: int | None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Send the beginning of an upload, of a length or chunked, and keep the connection open."""
    address = urlsplit(client.base)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    lines = [
        "POST /api/v1/files HTTP/1.1",
        "Host: test",
        f"Authorization: {client.headers['Authorization']}",
        f"Content-Type: {FORM}",
        f"Content-Length: {length}" if length else "Transfer-Encoding: chunked",
    ]
    chunk = b"" if length else b"ffffffff\r\n"
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + chunk + body)
    await writer.drain()
    return reader, writer
