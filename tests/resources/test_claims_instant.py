"""The instant at which a claim ends is one and the same for all who look: there it counts as none, before it lives."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from ..world import Answer, Board, Client, World
from .test_claims import take, take_next


@dataclass
class Scene:
    world: World
    board: Board
    card: Any
    holder: Client
    other: Client

    @property
    def path(self) -> str:
        return f"/cards/{self.card['id']}"

    async def given_back(self, rows_since: int = 0) -> bool:
        """Tell whether the history says that the claim has ended with what happened last, or before some more rows."""
        row = (await self.world.history(self.card["id"]))[-1 - rows_since]
        return row["changes"].get("claim") == {"from": self.holder.id, "to": None}


def refused(answer: Answer, code: str) -> bool:
    """Tell whether a refusal came; anything else must be a success."""
    if answer.status == 409:
        answer.refused(409, code)
        return True
    answer.ok()
    return False


async def a_person_who_looks_at_it(scene: Scene) -> bool:
    return bool((await scene.world.sa.get(scene.path)).ok()["claim"])


async def a_list(scene: Scene) -> bool:
    return bool((await scene.other.get(scene.other.org("/cards/mcp"))).ok()["items"][0]["claim"])


async def the_board(scene: Scene) -> bool:
    query = {"params": {"projectId": scene.board.id}}
    return bool((await scene.world.sa.get(scene.world.sa.org("/board"), **query)).ok()["claims"])


async def the_attention_list(scene: Scene) -> bool:
    items = (await scene.world.sa.get(scene.world.sa.org("/attention"))).ok()
    return "expired_claim" not in [item["kind"] for item in items]


async def another_who_writes(scene: Scene) -> bool:
    return refused(await scene.other.patch(scene.path + "/mcp", {"title": "New"}), "already_claimed")


async def another_who_claims_it(scene: Scene) -> bool:
    return refused(await take(scene.other, scene.card), "already_claimed")


async def another_who_claims_the_next(scene: Scene) -> bool:
    return (await take_next(scene.other)).status == 204


async def the_holder_who_renews(scene: Scene) -> bool:
    return not refused(await scene.holder.post(scene.path + "/claim/renew/mcp"), "claim_expired")


async def the_holder_who_shows_the_token(scene: Scene) -> bool:
    token = {"headers": {"X-Claim-Token": scene.card["claim"]["token"]}}
    return not refused(await scene.holder.patch(scene.path + "/mcp", {"title": "New"}, **token), "claim_expired")


async def the_holder_who_gives_it_back(scene: Scene) -> bool:
    (await scene.holder.delete(scene.path + "/claim/mcp")).ok()
    return await scene.given_back()


async def the_holder_who_is_stopped(scene: Scene) -> bool:
    (await scene.world.sa.patch(f"/agents/{scene.holder.id}/stop")).ok()
    return await scene.given_back()


async def the_team_of_the_holder(scene: Scene) -> bool:
    sa = scene.world.sa
    agents = (await sa.get(sa.org("/agents"))).ok()
    team_id = next(agent["teamId"] for agent in agents if agent["id"] == scene.holder.id)
    (await sa.delete(sa.org(f"/teams/{team_id}"))).ok()
    (await sa.delete(f"/archive/team/{team_id}")).ok()
    return await scene.given_back()


async def its_column(scene: Scene) -> bool:
    sa, columns = scene.world.sa, scene.board.columns
    (await sa.delete(sa.org(f"/columns/{columns['Todo']}"), params={"moveTo": columns["Done"]})).ok()
    return await scene.given_back()


async def its_project(scene: Scene) -> bool:
    sa = scene.world.sa
    (await sa.delete(sa.org(f"/projects/{scene.board.id}"))).ok()
    (await sa.post(f"/archive/project/{scene.board.id}/restore")).ok()
    return await scene.given_back(rows_since=1)


async def a_person_who_archives_it(scene: Scene) -> bool:
    (await scene.world.sa.delete(scene.path)).ok()
    return await scene.given_back()


WATCHERS: list[Callable[[Scene], Awaitable[bool]]] = [
    a_person_who_looks_at_it, a_list, the_board, the_attention_list, another_who_writes, another_who_claims_it,
    another_who_claims_the_next, the_holder_who_renews, the_holder_who_shows_the_token, the_holder_who_gives_it_back,
    the_holder_who_is_stopped, the_team_of_the_holder, its_column, its_project, a_person_who_archives_it,
]  # fmt: skip


@pytest.mark.parametrize(("milliseconds", "lives"), [(-1, True), (0, False)])
@pytest.mark.parametrize("watcher", WATCHERS, ids=lambda watcher: watcher.__name__)
async def test_a_claim_lives_until_the_instant_of_its_end_and_not_at_it(
    world: World, watcher: Callable[[Scene], Awaitable[bool]], milliseconds: int, lives: bool
) -> None:
    board, holder, other = await world.board(), await world.agent(), await world.agent("other")
    card = (await take(holder, await world.card(board))).ok()
    world.clock.stop(card["claim"]["expiresAt"], milliseconds)
    assert await watcher(Scene(world, board, card, holder, other)) == lives
