"""The stdio bridge relays forms to the person at its client, in both versions of the protocol."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from service.clients import eliciting

from ..tools.talk import ERAS, AtClient
from ..world import World
from .test_stdio import talking

OFFER = {"method": "initialize", "params": {"capabilities": {"elicitation": {}}}}
ASK = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "ask", "arguments": {}}}
FORM = {"method": "elicitation/create", "params": {"message": "Which?"}}
REQUIRED = {"result": {"resultType": "input_required", "inputRequests": {"form": FORM}, "requestState": "s"}}


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(("action", "state"), [("accept", "answered"), ("decline", "open")])
async def test_the_person_at_the_client_is_asked_in_both_eras(
    world: World, tmp_path: Path, mode: str, action: str, state: str
) -> None:
    await world.card(await world.board(), title="Export")
    person = AtClient(action, answer="CSV")
    async with talking(await world.agent(), tmp_path, mode, asked=person) as talk:
        await talk.ok("claim", card="BOA-1")
        said = await talk.ok("ask", card="BOA-1", content="Which format?")
        assert (said["state"], said.get("answer")) == (state, "CSV" if action == "accept" else None)
        assert [form.message for form in person.forms] == ["BOA-1 Export: Which format?"]
        await talk.ok("comment", card="BOA-1", content="Going on.")  # with the token, or without if the claim ended
    (row,) = (await world.sa.get(world.sa.org("/questions"))).ok()["items"]
    assert row["state"] == state


class Service:
    """Answers calls as the service would, and notes them."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    async def post(self, message: Any) -> Any:
        self.calls.append(message)
        again = "inputResponses" in message["params"]
        return {"id": 5, **({"result": {"resultType": "complete", "content": [], "_meta": {}}} if again else REQUIRED)}


async def test_cancelling_the_call_cancels_the_form(monkeypatch: pytest.MonkeyPatch) -> None:
    service, sent = Service(), asyncio.Queue[Any]()
    carried = eliciting.FormRelay(sent.put_nowait)
    carried.observe(OFFER)
    task = asyncio.create_task(carried.relay(ASK, service.post))
    assert (await sent.get())["method"] == "elicitation/create"
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0.01)
    assert service.calls[-1]["params"]["inputResponses"] == {"form": {"action": "cancel"}}


@pytest.mark.parametrize("answer", [{"error": {"code": -1, "message": "no"}}, {"result": 7}, {"result": {}}, {}])
async def test_an_invalid_form_answer_counts_as_cancelled(answer: Any) -> None:
    service, sent = Service(), asyncio.Queue[Any]()
    carried = eliciting.FormRelay(sent.put_nowait)
    carried.observe(OFFER)
    task = asyncio.create_task(carried.relay(ASK, service.post))
    form = await sent.get()
    assert not carried.observe({"id": "another", "result": {}})
    assert carried.observe({"id": form["id"], **answer})
    assert (await task)["result"] == {"content": []}
    assert service.calls[-1]["params"]["inputResponses"] == {"form": {"action": "cancel"}}


async def test_a_form_that_nobody_fills_in_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eliciting, "ANSWER_SECONDS", 0.01)
    service = Service()
    carried = eliciting.FormRelay(lambda message: None)
    carried.observe(OFFER)
    await carried.relay(ASK, service.post)
    assert service.calls[-1]["params"]["inputResponses"] == {"form": {"action": "cancel"}}


@pytest.mark.parametrize(
    "params", [None, {}, {"capabilities": None}, {"capabilities": {}}, {"capabilities": {"elicitation": {"url": {}}}}]
)
async def test_who_offers_no_forms_is_sent_none(params: Any) -> None:
    service = Service()
    carried = eliciting.FormRelay(lambda message: pytest.fail("nothing may be sent"))
    carried.observe({"method": "initialize", "params": params})
    await carried.relay(ASK, service.post)
    assert service.calls == [ASK]


async def test_other_calls_and_those_of_the_younger_era_are_carried_as_they_are() -> None:
    service = Service()
    carried = eliciting.FormRelay(lambda message: pytest.fail("nothing may be sent"))
    carried.observe(OFFER)
    younger = {**ASK, "params": {**ASK["params"], "_meta": eliciting.META}}
    others = [{**ASK, "params": {"name": "whoami"}}, younger, {**ASK, "params": {"name": "ask", "_meta": 7}}]
    for message in others:
        await carried.relay(message, service.post)
    assert service.calls == others
