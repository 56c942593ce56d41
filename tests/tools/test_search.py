"""The tool that searches cards."""

from ..world import World
from .talk import talking


async def test_cards_are_found_by_title_field_and_comment(world: World) -> None:
    board = await world.board()
    value = {"fieldId": board.field("description"), "value": "The login takes too long"}
    by_field = await world.card(board, title="Slow", fieldValues=[value])
    by_comment = await world.card(board, title="Other")
    comment = (await world.sa.post(f"/cards/{by_comment['id']}/comments", {"content": "See the login page"})).ok()
    by_title = await world.card(board, title="Login fails")
    async with talking(await world.agent()) as talk:
        found = await talk.ok("search", q="login")
        assert [item["cardKey"] for item in found["items"]] == [by_title["key"], by_field["key"], by_comment["key"]]
        assert (found["items"][0]["title"], found["items"][0]["column"]) == ("Login fails", "Todo")
        (snippet,) = found["items"][1]["snippets"]
        assert snippet == {"source": "field", "field": "description", "text": "The login takes too long"}
        assert found["items"][2]["snippets"][0]["comment"] == comment["id"]
        assert (await talk.ok("search", q="login", pageSize=1, page=3))["items"][0]["cardKey"] == by_comment["key"]
        assert (await talk.ok("search", q="nothing of it"))["total"] == 0
        await talk.refused("search", "validation_failed", q="")


async def test_the_answer_names_the_words_that_are_not_searched(world: World) -> None:
    words = [f"word{letter}" for letter in "abcdefghij"]
    await world.card(await world.board(), title=" ".join(words))
    async with talking(await world.agent()) as talk:
        found = await talk.ok("search", q=" ".join(["cat", *words]))
        assert (found["total"], found["ignored"]) == (1, ["cat"])
        assert "ignored" not in await talk.ok("search", q="worda")


async def test_other_organizations_are_not_searched(world: World) -> None:
    await world.card(await world.board(world.outsider), by=world.outsider, title="Login fails")
    async with talking(await world.agent()) as talk:
        assert (await talk.ok("search", q="login"))["items"] == []


async def test_many_results_stay_within_the_token_limit(world: World) -> None:
    board = await world.board()
    for _ in range(60):
        value = {"fieldId": board.field("description"), "value": "login 😀" * 100}
        await world.card(board, title="login " + "😀" * 490, fieldValues=[value])
    async with talking(await world.agent()) as talk:
        for tokens in (1000, 2000, 8000):
            found = await talk.ok("search", q="login", pageSize=100, maxTokens=tokens)
            assert 0 < len(found["items"]) < 60
            assert found["total"] == 60
            assert found["leftOut"]
