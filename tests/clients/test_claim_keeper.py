"""The stdio bridge keeps the claims of its client: it sends their tokens, and renews them while it runs."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from service.clients import claim_keeper
from service.tools import server
from service.tools.registry import TOOLS

from ..world import World
from .test_stdio import talking

assert server  # importing it fills the registry


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def result(said: Any, is_error: bool = False) -> dict[str, Any]:
    return {"result": {"content": [{"type": "text", "text": json.dumps(said)}], "isError": is_error}}


SESSION = "of the bridge"


def claimed(expires_at: str = "2999-01-01T00:00:00.000Z", **more: str) -> dict[str, Any]:
    claim = {"token": "secret", "expiresAt": expires_at, "session": SESSION} | more
    return {"card": {"key": "REL-1", "claim": claim}}


CLAIMED = claimed()


async def test_the_token_goes_with_every_call_about_the_card_until_the_claim_ends() -> None:
    ends = [
        (call("release", card="rel-1"), result({"released": True})),
        (call("comment", card="REL-1"), result({"code": "claim_expired"}, is_error=True)),
        (call("move_card", card="REL-1"), result({"key": "REL-1", "column": "Done"})),
        (call("ask", card="REL-1"), result({"comment": "cmt_1", "state": "open"})),
    ]
    for message, answer in ends:
        held = claim_keeper.ClaimKeeper(SESSION)
        assert held.add_token(call("comment", card="REL-1")) == call("comment", card="REL-1")
        held.observe(call("claim_next"), result(CLAIMED))
        assert held.add_token(call("comment", card="rel-1")) == call("comment", card="rel-1", claimToken="secret")
        assert held.add_token(call("comment", card="REL-2")) == call("comment", card="REL-2")
        own = call("comment", card="REL-1", claimToken="own")
        assert held.add_token(own) == own
        held.observe(call("move_card", card="REL-1"), result({"key": "REL-1", "claimedUntil": "2999"}))
        held.observe(call("ask", card="REL-1"), result({"comment": "cmt_1", "state": "answered"}))
        held.observe(call("ask", card="REL-1", keepClaim=True), result({"comment": "cmt_1", "state": "open"}))
        assert held.add_token(call("ask", card="REL-1")) == call("ask", card="REL-1", claimToken="secret")
        held.observe(message, answer)
        assert held.add_token(call("comment", card="REL-1")) == call("comment", card="REL-1")


async def test_the_token_goes_with_what_may_write_and_with_no_look_at_the_card() -> None:
    held = claim_keeper.ClaimKeeper(SESSION)
    held.observe(call("claim_next"), result(CLAIMED))
    properties = {tool.name: tool.input_schema["properties"] for tool in TOOLS.values()}
    about = {name for name, schema in properties.items() if "card" in schema}
    assert {"context", "get_card", "history", "wait_for_changes", "move_card", "claim"} <= about
    for name in about:
        arguments = held.add_token(call(name, card="REL-1"))["params"]["arguments"]
        assert ("claimToken" in arguments) == ("claimToken" in properties[name]), name


async def test_one_call_renews_all_claims_at_half_of_a_lease_although_a_freeze_puts_its_end_far_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(claim_keeper, "ROUND_SECONDS", 0.01)
    held, called = claim_keeper.ClaimKeeper(SESSION), asyncio.Queue[str]()
    listed = {"key": "REL-1", "token": "secret", "expiresAt": "9999-01-01T00:00:00.000Z", "session": SESSION}

    async def frozen(message: dict[str, Any]) -> dict[str, Any]:
        called.put_nowait(message["params"]["name"])
        return result({"claims": [listed]})

    soon = (datetime.now(UTC) + timedelta(seconds=0.2)).isoformat()
    held.observe(call("claim_next"), result(claimed(soon)))
    renewing = asyncio.create_task(held.renew_claims(frozen))
    assert [await asyncio.wait_for(called.get(), 20) for _ in range(3)] == ["whoami"] * 3
    renewing.cancel()
    assert held.add_token(call("comment", card="REL-1")) == call("comment", card="REL-1", claimToken="secret")


@pytest.mark.parametrize(
    ("said", "is_kept"),
    [
        ({"agent": {"id": "bot"}}, False),
        ({"claims": [{"key": "REL-1", "token": "x", "session": "other"}]}, False),
        ({"leftOut": ["claims: 1 of 1 left out"], "claims": []}, True),
    ],
)
async def test_a_claim_that_has_ended_is_forgotten_but_not_one_that_did_not_fit(
    monkeypatch: pytest.MonkeyPatch, said: Any, is_kept: bool
) -> None:
    monkeypatch.setattr(claim_keeper, "ROUND_SECONDS", 0.01)
    held, called = claim_keeper.ClaimKeeper(SESSION), asyncio.Event()

    async def answer(message: dict[str, Any]) -> dict[str, Any]:
        new = {**claimed()["card"], "key": "REL-2"}
        held.observe(call("claim_next"), result({"card": new}))  # meanwhile
        called.set()
        return result(said)

    soon = (datetime.now(UTC) + timedelta(seconds=0.01)).isoformat()
    held.observe(call("claim_next"), result(claimed(soon)))
    renewing = asyncio.create_task(held.renew_claims(answer))
    await asyncio.wait_for(called.wait(), 20)
    await asyncio.sleep(0)
    renewing.cancel()
    tokens = [held.add_token(call("comment", card=key))["params"]["arguments"] for key in ("REL-1", "REL-2")]
    assert ["claimToken" in token for token in tokens] == [is_kept, True]


async def test_claims_of_other_sessions_are_neither_renewed_nor_is_their_token_added() -> None:
    held = claim_keeper.ClaimKeeper(SESSION)
    other = {"key": "REL-1", "token": "secret", "expiresAt": "2999-01-01T00:00:00.000Z"}
    for claims in ([other | {"session": "dead"}], [other]):
        held.observe(call("whoami"), result({"claims": claims}))
        assert held.add_token(call("comment", card="REL-1")) == call("comment", card="REL-1")
    held.observe(call("claim"), result(claimed(session="dead")))
    assert held.add_token(call("comment", card="REL-1")) == call("comment", card="REL-1")


async def test_other_messages_pass_through_unchanged() -> None:
    held = claim_keeper.ClaimKeeper(SESSION)
    for message in ({"method": "ping"}, {"method": "tools/call", "params": 7}, {"method": 5}, call("claim")):
        for answer in ({}, {"error": {}}, {"result": {"content": []}}, result("words"), result({"claim": {}})):
            held.observe(message, answer)
        assert held.add_token(message) == message


@pytest.mark.slow
async def test_a_claim_lives_on_while_the_client_does_and_ends_after_it(world: World, tmp_path: Path) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    world.clock.forward(4 - 30)  # so that the bridge sees a lease of 4 seconds
    async with talking(agent, tmp_path, "auto") as talk:
        taken = await talk.ok("claim_next", leaseSeconds=30)
        for look in ("get_card", "history"):
            await talk.ok(look, card=card["key"])
        first = taken["card"]["claim"]["expiresAt"]
        world.clock.forward(12)  # a call renews a claim after a third of its lease
        await asyncio.sleep(3.5)  # half of the lease, and a little more
        assert await until(world, card["id"]) > first  # by no call but the bridge's own
        later = await until(world, card["id"])
    await asyncio.sleep(3.5)
    assert await until(world, card["id"]) == later


async def until(world: World, card_id: str) -> str:
    return str((await world.sa.get(f"/cards/{card_id}")).ok()["claim"]["expiresAt"])
