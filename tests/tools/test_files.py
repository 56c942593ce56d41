"""The tools that read and attach files."""

import base64
import json
from typing import Any

import pytest

from service import config

from .. import forms
from ..running import running
from ..world import Board, World
from .talk import get_size, talking

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def place(board: Board, card: Any) -> dict[str, str]:
    return {"card": card["key"], "field": "attachments"}


async def test_a_text_is_attached_and_read_again(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    async with talking(await world.agent()) as talk:
        done = await talk.ok("attach_file", name="../notes.txt", text="Grüße\n", **place(board, card))
        assert done == {"id": done["id"], "cardKey": card["key"], "field": "attachments", "bytes": 8}
        shown = await talk.ok("get_file", file=done["id"])
        assert (shown["name"], shown["text"], shown["mimeType"]) == ("notes.txt", "Grüße\n", "text/plain")
    content = await world.sa.get(f"/files/{done['id']}/content")
    assert content.body == "Grüße\n".encode()
    rows = await world.history(card["id"])
    assert [(row["action"], row["actor"]["id"]) for row in rows[1:]] == [("fileAdded", "bot")]


async def test_an_image_is_returned_as_an_image_and_other_bytes_as_a_note(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    async with talking(await world.agent()) as talk:
        given = {"name": "dot.png", "mimeType": "image/png", "base64": base64.b64encode(PNG).decode()}
        image = await talk.ok("attach_file", **given, **place(board, card))
        result = await talk.raw("get_file", file=image["id"])
        assert result.content[1].type == "image"
        assert base64.b64decode(result.content[1].data) == PNG
        given = {"name": "x.bin", "mimeType": "nonsense", "base64": base64.b64encode(b"\xff\x00").decode()}
        other = await talk.ok("attach_file", **given, **place(board, card))
        shown = await talk.ok("get_file", file=other["id"])
        assert shown["mimeType"] == "application/octet-stream"
        assert "text" not in shown
        assert "ask a person" in shown["note"]


async def test_a_long_text_is_read_piece_by_piece(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    text = "".join(f"{number:06d}\n" for number in range(10_000))
    async with talking(await world.agent()) as talk:
        file_id = (await talk.ok("attach_file", name="long.txt", text=text, **place(board, card)))["id"]
        first = await talk.raw("get_file", file=file_id)
        assert get_size(first) <= 8000
        assert json.loads(first.content[0].text)["length"] == len(text)
        read = ""
        while len(read) < len(text):
            piece = await talk.ok("get_file", file=file_id, offset=len(read), maxTokens=8000)
            read += piece["text"]
        assert read == text


async def test_what_was_uploaded_by_people_is_read_by_tools(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    target = forms.target(card, board.field("attachments"))
    file = (await forms.send(world.sa, target, forms.blob())).ok()
    async with talking(await world.agent()) as talk:
        assert (await talk.ok("get_file", file=file["id"]))["bytes"] == file["sizeBytes"]


async def test_a_single_valued_field_replaces_its_file(world: World) -> None:
    board = await world.board()
    field_id = await world.field(board, "single", "file")
    card = await world.card(board)
    async with talking(await world.agent()) as talk:
        for name in ("first", "second"):
            await talk.ok("attach_file", card=card["id"], field="single", name=name, text=name)
    files = (await world.sa.get(f"/files/card/{card['id']}/field/{field_id}")).ok()
    assert [file["name"] for file in files] == ["second"]


@pytest.mark.parametrize(
    "wrong",
    [{}, {"text": "a", "base64": "YQ=="}, {"base64": "no base64!"}, {"base64": "Grüße"}, {"text": "a", "name": None}],
)
async def test_wrong_contents_are_denied_and_nothing_is_stored(world: World, wrong: dict[str, Any]) -> None:
    board = await world.board()
    card = await world.card(board)
    async with talking(await world.agent()) as talk:
        await talk.refused("attach_file", "validation_failed", **({"name": "x"} | wrong), **place(board, card))
    assert len(await world.history(card["id"])) == 1


async def test_other_fields_and_closed_columns_deny_files(world: World) -> None:
    board = await world.board()
    card, closed = await world.card(board), await world.card(board, "Backlog")
    async with talking(await world.agent()) as talk:
        wrong = {"card": card["id"], "field": "description"}
        await talk.refused("attach_file", "not_a_file_field", name="x", text="x", **wrong)
        await talk.refused("attach_file", "agent_pickup_disabled", name="x", text="x", **place(board, closed))
        await talk.refused("get_file", "not_found", file="file_none")


async def test_the_size_limit_of_uploads_applies_to_attached_files(settings: config.Settings) -> None:
    async with running(settings.model_copy(update={"files_max_bytes": 10})) as world:
        board = await world.board()
        card = await world.card(board)
        async with talking(await world.agent()) as talk:
            await talk.ok("attach_file", name="x", text="x" * 10, **place(board, card))
            await talk.refused("attach_file", "payload_too_large", name="x", text="x" * 11, **place(board, card))


async def test_files_of_another_organization_are_not_found(world: World) -> None:
    foreign = await world.board(world.outsider)
    card = await world.card(foreign, by=world.outsider)
    target = forms.target(card, foreign.field("attachments"))
    file = (await forms.send(world.outsider, target, forms.blob())).ok()
    async with talking(await world.agent()) as talk:
        await talk.refused("get_file", "not_found", file=file["id"])
