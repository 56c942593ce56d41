"""Prompts and resources of the tool server."""

import json

import pytest
from mcp.shared.exceptions import MCPError

from ..world import World
from .talk import ERAS, talking


@pytest.mark.parametrize("mode", ERAS)
async def test_the_prompt_library_is_listed_as_prompts(world: World, mode: str) -> None:
    prompt = (await world.sa.post("/prompts", {"name": "How to triage", "body": "Read the card."})).ok()
    (await world.outsider.post("/prompts", {"name": "Theirs", "body": "x"})).ok()
    async with talking(await world.agent(), mode) as talk:
        assert [item.name for item in (await talk.client.list_prompts()).prompts] == ["How to triage"]
        (message,) = (await talk.client.get_prompt("How to triage")).messages
        assert (message.role, message.content.text) == ("user", "Read the card.")
        with pytest.raises(MCPError, match="the prompts are How to triage"):
            await talk.client.get_prompt("Theirs")
        path = f"/prompts/{prompt['id']}/versions/{prompt['versions'][0]['id']}"
        (await world.sa.patch(path, {"active": False})).ok()
        assert (await talk.client.list_prompts()).prompts == []


@pytest.mark.parametrize("mode", ERAS)
async def test_cards_are_resources_by_their_keys(world: World, mode: str) -> None:
    board, foreign = await world.board(), await world.board(world.outsider, title="Foreign")
    await world.card(foreign, by=world.outsider)
    for number in range(101):
        await world.card(board, title=f"Card {number}")
    async with talking(await world.agent(), mode) as talk:
        (template,) = (await talk.client.list_resource_templates()).resource_templates
        assert template.uri_template == "tandem://cards/{key}"
        first = await talk.client.list_resources()
        assert (str(first.resources[0].uri), first.resources[0].title) == ("tandem://cards/BOA-1", "Card 0")
        rest = await talk.client.list_resources(cursor=first.next_cursor)
        assert (len(first.resources), len(rest.resources), rest.next_cursor) == (100, 1, None)
        (content,) = (await talk.client.read_resource("tandem://cards/BOA-101")).contents
        assert json.loads(content.text)["card"]["title"] == "Card 100"
        for uri in ("tandem://cards/FOR-1", "tandem://cards/", "file:///etc/passwd"):
            with pytest.raises(MCPError, match="There is no such"):
                await talk.client.read_resource(uri)
        with pytest.raises(MCPError, match="no such cursor"):
            await talk.client.list_resources(cursor="-1")


async def test_an_agent_that_is_not_approved_sees_no_prompts_and_resources(world: World) -> None:
    await world.card(await world.board())
    async with talking(await world.agent(approve=False)) as talk:
        for work in (talk.client.list_prompts(), talk.client.list_resources()):
            with pytest.raises(MCPError, match="has not approved you yet"):
                await work
