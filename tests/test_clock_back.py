"""The clock goes back: sign-in holds, what was ended stays so, and the order of history is that of what happened."""

import itertools
from datetime import timedelta
from typing import Any

import jwt
import pytest

from service.clock import now, parse_timestamp, timestamp
from service.config import Settings

from .running import running
from .world import MEMBER, PASSWORD, SA, Board, Client, World

HOURS = 3 * 3600
NEW = "another password"


async def work(world: World, board: Board, card: Any, name: str) -> list[str]:
    """Change a card in all kinds of ways, and return what its history is to tell of it."""
    path = f"/cards/{card['id']}"
    comment = (await world.sa.post(f"{path}/comments", {"content": name})).ok()
    (await world.sa.patch(path, {"title": name})).ok()
    (await world.sa.post(f"{path}/comments/{comment['id']}/replies", {"content": f"{name}, first"})).ok()
    (await world.sa.post(f"{path}/comments/{comment['id']}/replies", {"content": f"{name}, second"})).ok()
    column = "In Progress" if (await world.sa.get(path)).ok()["columnId"] == board.columns["Todo"] else "Todo"
    (await world.sa.patch(f"{path}/status", {"toColumnId": board.columns[column]})).ok()
    return ["commented", "updated", "replied", "replied", "moved"]


async def check(world: World, card: Any, names: list[str], expected: list[str]) -> None:
    history = await world.history(card["id"])
    assert [row["action"] for row in history] == ["created", *expected]
    moments = [row["createdAt"] for row in history]
    assert moments == sorted(moments)
    titles = [row["changes"]["title"] for row in history if row["action"] == "updated"]
    assert [(title["from"], title["to"]) for title in titles] == list(itertools.pairwise(["Card", *names]))
    comments = (await world.sa.get(f"/cards/{card['id']}/comments")).ok()["items"]
    assert [comment["content"] for comment in comments] == names
    replies = [[reply["content"] for reply in comment["replies"]] for comment in comments]
    assert replies == [[f"{name}, first", f"{name}, second"] for name in names]


async def test_the_order_of_history_holds_while_the_service_runs_and_over_a_start(settings: Settings) -> None:
    names = ["before", "ahead", "back", "back again", "after a start"]
    expected: list[str] = []
    async with running(settings) as world:
        board = await world.board()
        card = await world.card(board)
        for name, seconds in zip(names, (0, 2 * HOURS, -HOURS, -HOURS / 2), strict=False):
            world.clock.forward(seconds)
            expected += await work(world, board, card, name)
        await check(world, card, names[:-1], expected)
        fresh = await world.card(board)
        assert fresh["createdAt"] < (await world.history(card["id"]))[-1]["createdAt"]  # others have the time there is
    async with running(settings) as world:
        expected += await work(world, board, card, names[-1])
        await check(world, card, names, expected)


async def is_signed_in(client: Client) -> bool:
    answer = await client.get("/auth/me")
    if answer.status == 200:
        return True
    answer.refused(401, "unauthorized")
    return False


@pytest.mark.slow
@pytest.mark.parametrize("way", ["while it runs", "over a start"])
async def test_sign_in_holds_and_what_is_ended_stays_ended(settings: Settings, way: str) -> None:
    async with running(settings) as world:
        world.clock.forward(HOURS)
        early = await world.login(SA)
        for old, new in ((PASSWORD, NEW), (NEW, PASSWORD)):
            member = await world.login(MEMBER, old)
            (await member.post("/settings/password", {"currentPassword": old, "newPassword": new})).ok()
        await world.board()
        if way == "while it runs":
            world.clock.forward(-HOURS)
            await go_on(world, early, early.headers["Authorization"])
    if way == "over a start":
        async with running(settings) as world:
            await go_on(world, world.client(early.headers), early.headers["Authorization"])


async def go_on(world: World, early: Client, token: str) -> None:
    """Use what is from before, sign in, sign out, change the password: each as if the clock had never been ahead."""
    assert await is_signed_in(early)
    assert await is_signed_in(await world.login(MEMBER))
    (await early.post("/auth/logout")).ok()
    assert not await is_signed_in(world.client({"Authorization": token}))
    for _ in range(3):
        again = await world.login(SA)
        assert await is_signed_in(again)
        (await again.post("/auth/logout")).ok()
        assert not await is_signed_in(again)
    last = await world.login(SA)
    change = {"currentPassword": PASSWORD, "newPassword": NEW}
    (await last.post("/settings/password", change)).ok()
    assert not await is_signed_in(last)
    assert await is_signed_in(await world.login(SA, NEW))


async def test_a_token_is_good_in_the_millisecond_in_which_it_was_made(settings: Settings) -> None:
    async with running(settings) as world:
        moment = parse_timestamp(now()) + timedelta(seconds=HOURS)
        world.clock.stop(timestamp(moment))
        signed_in = await world.login(SA)
        assert await is_signed_in(signed_in)
        (await signed_in.post("/auth/logout")).ok()  # in the same millisecond still
        assert not await is_signed_in(signed_in)


async def test_of_tokens_that_are_dated_ahead_only_those_that_may_be_of_the_service_are_believed(
    settings: Settings,
) -> None:
    async with running(settings) as world:
        world.clock.forward(HOURS)
        ahead = await world.login(SA)
        world.clock.forward(-HOURS)
        claims = jwt.decode(ahead.headers["Authorization"][7:], options={"verify_signature": False})
        for changed, is_believed in (
            ({}, True),
            ({"iat": claims["iat"] + HOURS}, False),  # later than all times that were told: no sign-out could end it
            ({"exp": claims["exp"] + 2 * settings.jwt_lifetime}, False),
            ({"aud": "others"}, False),
            ({"exp": None}, False),
        ):
            told = {key: value for key, value in (claims | changed).items() if value is not None}
            token = jwt.encode(told, settings.secret, algorithm="HS256")
            client = world.client({"Authorization": f"Bearer {token}"})
            assert await is_signed_in(client) == is_believed, changed
