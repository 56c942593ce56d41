"""Filters of lists: what names nothing is an error with the options, what was removed or archived finds nothing."""

from typing import Any

from ..tools.talk import talking
from ..world import OUTSIDER, Client, World


async def ask(who: Client, path: str, **query: str) -> Any:
    path = path if path in ("/prompts", "/preset-fields") else who.org(path)
    return await who.get(path, params=query)


def count(body: Any) -> int:
    return len(body if isinstance(body, list) else body["items"])


async def test_a_filter_that_names_nothing_is_refused_with_the_options(world: World) -> None:
    board = await world.board()
    await world.agent("bot")
    foreign = await world.board(world.outsider)
    (await world.sa.post(world.sa.org("/members"), {"email": OUTSIDER, "role": "Member"})).ok()  # only invited
    (await world.sa.post("/prompt-categories", {"name": "Rules"})).ok()
    projects, columns, types = ["Board"], list(board.columns), [board.card_type["title"]]
    cases: list[tuple[str, str, str, list[str] | None]] = [
        ("/cards", "projectId", foreign.id, projects),
        ("/cards", "columnId", foreign.columns["Todo"], columns),
        ("/cards", "cardTypeId", foreign.card_type["id"], types),
        ("/cards", "assignedAgentId", "nobody", ["bot"]),
        ("/cards", "assignedUserId", world.outsider.id, ["Ada Architect", "Mo Member"]),
        ("/cards", "claimedBy", "nobody", ["bot"]),
        ("/columns", "projectId", foreign.id, projects),
        ("/transitions", "projectId", "Board", projects),
        ("/card-types", "projectId", "", projects),
        ("/search", "projectId", "proj_x", projects),
        ("/analytics", "projectId", foreign.id, projects),
        ("/analytics/series", "projectId", "proj_x", projects),
        ("/changes", "projectId", "proj_x", projects),
        ("/agents", "teamId", "team_x", ["Team of bot"]),
        ("/refusals", "agentId", "nobody", ["bot"]),
        ("/prompts", "categoryId", "cat_x", ["Rules"]),
        ("/preset-fields", "cardTypeId", "type_x", types),
        ("/changes", "cardId", "BOA-1", None),
        ("/refusals", "cardId", "nothing", None),
        ("/move-requests", "cardId", "ZZZ-1", None),
        ("/relationships", "cardId", "nothing", None),
    ]
    for path, key, value, options in cases:
        answer = await ask(world.sa, path, **{key: value, **({"q": "x"} if path == "/search" else {})})
        assert answer.invalid() == [key], path
        assert answer.body["error"]["details"].get("options") == options, path
    assert "options" not in (await ask(world.member, "/agents", teamId="team_x")).refused(400, "validation_failed")


async def test_a_filter_that_names_something_removed_or_archived_finds_nothing(world: World) -> None:
    board, gone = await world.board(), await world.board(title="Gone")
    agent = await world.agent("bot")
    await world.agent("left")
    (team,) = [row for row in (await world.sa.get(world.sa.org("/teams"))).ok() if row["name"] == "Team of left"]
    card = await world.card(board, by=agent)
    (await world.sa.delete("/agents/left")).ok()
    (await world.sa.delete(world.sa.org(f"/teams/{team['id']}?mode=permanent"))).ok()
    (await world.sa.delete(world.sa.org(f"/columns/{board.columns['Review']}"))).ok()
    (await world.sa.delete(world.sa.org(f"/projects/{gone.id}"))).ok()
    (await world.sa.delete(f"/cards/{card['id']}?mode=permanent")).ok()
    (await world.sa.delete(world.sa.org(f"/members/{world.member.id}"))).ok()
    cases = [
        ("/cards", "projectId", gone.id),
        ("/cards", "columnId", board.columns["Review"]),
        ("/cards", "columnId", gone.columns["Todo"]),
        ("/cards", "assignedAgentId", "left"),
        ("/cards", "claimedBy", "left"),
        ("/cards", "assignedUserId", world.member.id),
        ("/columns", "projectId", gone.id),
        ("/agents", "teamId", team["id"]),
        ("/refusals", "agentId", "left"),
        ("/relationships", "cardId", card["id"]),
        ("/move-requests", "cardId", card["key"]),
    ]
    for path, key, value in cases:
        assert count((await ask(world.sa, path, **{key: value})).ok()) == 0, (path, key)
    third = await world.board(title="Third")
    (await world.sa.delete(world.sa.org(f"/projects/{third.id}?mode=permanent"))).ok()
    for key, value in (("projectId", third.id), ("columnId", third.columns["Todo"])):
        assert count((await ask(world.sa, "/cards", **{key: value})).ok()) == 0


async def test_lists_of_tools_find_nothing_by_the_name_of_something_removed_or_archived(world: World) -> None:
    board, gone = await world.board(), await world.board(title="Gone")
    agent = await world.agent("bot")
    await world.agent("left")
    card = await world.card(board)
    await world.column(board, "In Progress", title="Parking")
    (await world.sa.delete(world.sa.org(f"/columns/{board.columns['In Progress']}"))).ok()
    (await world.sa.delete("/agents/left")).ok()
    (await world.sa.delete(world.sa.org(f"/projects/{gone.id}"))).ok()
    (await world.sa.delete(world.sa.org(f"/columns/{board.columns['Review']}"))).ok()
    (await world.sa.delete(f"/cards/{card['id']}?mode=permanent")).ok()
    (await world.sa.delete(world.sa.org(f"/members/{world.member.id}"))).ok()
    async with talking(agent) as talk:
        for key, former, unknown, option in [
            ("project", "gone", "Nowhere", "BOA"),
            ("column", "REVIEW", "Nowhere", "Todo"),
            ("assignedAgentId", "left", "nobody", "bot"),
            ("assignedUserId", "mo member", "Nobody", "Ada Architect"),
        ]:
            assert (await talk.ok("list_cards", **{key: former}))["items"] == []
            error = await talk.error("list_cards", "validation_failed", **{key: unknown})
            assert [field["path"] for field in error["details"]["fields"]] == [key]
            assert any(option in listed for listed in error["details"]["options"])
        other = await world.board(title="Other")
        assert (await talk.ok("list_cards", project="Board", column="Parking"))["items"] == []
        await talk.error("list_cards", "validation_failed", project=other.id, column="Parking")
        assert (await talk.ok("search", q="Card", project="Gone"))["items"] == []
        assert (await talk.ok("wait_for_changes", project="Gone"))["items"] == []
        assert (await talk.ok("wait_for_changes", card=card["key"]))["items"] == []
        error = await talk.error("wait_for_changes", "validation_failed", card="ZZZ-9")
        assert error["details"]["fields"][0]["path"] == "card"
