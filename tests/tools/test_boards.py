"""The tool that shows a board."""

from service.http.rate_limits import Buckets

from ..world import World
from .talk import talking


async def test_without_a_project_all_projects_are_listed(world: World) -> None:
    for title in ("First", "Second"):
        await world.board(title=title)
    async with talking(await world.agent()) as talk:
        shown = await talk.ok("get_board", show=["columns"])
    assert shown["projects"] == [{"key": "FIR", "title": "First"}, {"key": "SEC", "title": "Second"}]
    assert {column["project"] for column in shown["columns"]} == {"FIR", "SEC"}


async def test_a_board_has_columns_with_counts_transitions_and_types_and_cards_on_demand(world: World) -> None:
    board = await world.board()
    for _ in range(3):
        await world.card(board)
    async with talking(await world.agent()) as talk:
        shown = await talk.ok("get_board", project=board.id)
        assert {column["title"]: column["cards"] for column in shown["columns"]} == {
            "Backlog": 0,
            "Todo": 3,
            "In Progress": 0,
            "Review": 0,
            "Done": 0,
        }
        assert {column["title"]: column["agents"] for column in shown["columns"]} == {
            "Backlog": "look",
            "Todo": "work",
            "In Progress": "work",
            "Review": "talk",
            "Done": "look",
        }
        assert [column["title"] for column in shown["columns"] if column.get("done")] == ["Done"]
        approvals = [edge for edge in shown["transitions"] if "requiresApproval" in edge]
        assert approvals == [{"from": "Review", "to": "Done", "requiresApproval": True}]
        (card_type,) = shown["cardTypes"]
        assert card_type["title"] == "Task"
        assert "description" in [field["name"] for field in card_type["fields"]]
        assert "cards" not in shown
        cards = (await talk.ok("get_board", project=board.id, show=["cards"]))["cards"]
        assert cards == [{"key": f"BOA-{number}", "column": "Todo", "title": "Card"} for number in (1, 2, 3)]
        for name in ("BOA", "boa", "board"):
            assert (await talk.ok("get_board", project=name))["projects"] == [{"key": "BOA", "title": "Board"}]


async def test_a_full_board_stays_within_the_token_limit_and_notes_omissions(world: World) -> None:
    board = await world.board()
    for number in range(450):
        await world.card(board, title=f"Card number {number}")
    async with talking(await world.agent()) as talk:
        shown = await talk.ok("get_board", project=board.id, show=["columns", "cards"])
        (note,) = shown["leftOut"]
        assert note.startswith(f"cards: {450 - len(shown['cards'])} of 450 left out; list_cards")
        more = await talk.ok("get_board", project=board.id, show=["columns", "cards"], maxTokens=8000)
        assert len(more["cards"]) > 3 * len(shown["cards"]) > 0
        assert sum(column["cards"] for column in more["columns"]) == 450


async def test_the_tool_and_its_route_share_a_rate_limit(world: World) -> None:
    world.service.buckets = Buckets(lambda: 0.0)  # nothing flows back meanwhile
    board, agent = await world.board(), await world.agent()
    async with talking(agent) as talk:
        for number in range(15):
            await talk.ok("get_board", project=board.id)
            answer = await agent.get(agent.org("/board-flow/mcp"))
            assert int(answer.headers["X-RateLimit-Remaining"]) == 28 - 2 * number
        details = await talk.refused("get_board", "rate_limited", project=board.id)
        assert details["retryAfter"] >= 1
    (await agent.get(agent.org("/board-flow/mcp"))).refused(429, "rate_limited")


async def test_projects_of_other_organizations_are_not_found(world: World) -> None:
    foreign = await world.board(world.outsider)
    async with talking(await world.agent()) as talk:
        error = await talk.error("get_board", "validation_failed", project=foreign.id)
        assert "there are no projects" in error["message"]
        assert (await talk.ok("get_board"))["projects"] == []
