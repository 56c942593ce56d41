"""Imports that are refused, and that they leave nothing behind: neither rows nor contents."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from service import config
from service.resources.imports import redo_log
from service.resources.imports.rows import TeamRow

from ...running import running
from ...snapshots import (
    ACTOR,
    CONTENT,
    card,
    fill_organization,
    nothing_is_left,
    remove_volatile_parts,
    send,
    small,
    snapshot_of,
)
from ...world import OUTSIDER, World

SERVER = {"id": "s", "name": "S", "transport": "stdio", "command": "run"}
QUESTION = {"id": "m", "cardId": "c1", "content": "Which?", "actor": {"type": "Agent", "id": "bot"}}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "UnknownExceptionDuringParse"),
        (b"not json", "UnknownExceptionDuringParse"),
        (json.dumps(small()).encode()[:-20], "UnknownExceptionDuringParse"),
        (json.dumps(small()).encode() + b"{}", "UnknownExceptionDuringParse"),
        (b'{"meta": "\xff"}', "UnknownExceptionDuringParse"),
        (b'{"meta": 123456789012345678901234567890}', "UnknownExceptionDuringParse"),
        (b"[1, 2", "UnknownExceptionDuringParse"),
        (b"[]", "InvalidSnapshotShape"),
        (b'"text"', "InvalidSnapshotShape"),
        (b"{}", "InvalidSnapshotShape"),
        (b'{"meta": null}', "InvalidSnapshotShape"),
        (b'{"meta": {"product": 5}}', "UnsupportedProduct"),
        (b'{"meta": {"product": ["Tandem"]}}', "UnsupportedProduct"),
        (b'{"meta": {"version": "1"}}', "UnsupportedProduct"),
        (b'{"meta": [{"product": "Tandem"}]}', "InvalidSnapshotShape"),
        (b'{"meta": {"product": "Tandem", "exportedAt": "yesterday"}}', "InvalidSnapshotShape"),
        (b'{"meta": {"product": "Trello"}}', "UnsupportedProduct"),
        (b'{"projects": [5], "meta": {"product": "tandem"}}', "UnsupportedProduct"),
        (b'{"meta": {"product": "Tandem"}}', "EmptySnapshot"),
        (b'{"meta": {"product": "Tandem"}, "cards": [], "projects": [], "users": [{}]}', "EmptySnapshot"),
    ],
)
async def test_what_is_no_snapshot_is_refused_with_the_code_of_the_specification(
    world: World, body: bytes, code: str
) -> None:
    (await send(world.sa, body)).refused(400, code)


async def test_rows_without_an_organization_are_refused(world: World) -> None:
    snapshot = {key: value for key, value in small().items() if key != "organization"}
    assert (await send(world.sa, snapshot)).refused(400, "InvalidSnapshotShape") == {"path": "organization"}


async def test_hostile_json_is_refused_before_it_costs_memory(world: World) -> None:
    head = b'{"meta": {"product": "Tandem"}, '
    hostile = [
        head + b'"cards": [' + b"[" * 1_000_000,
        head + b'"cards": [' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"]}",
        head + b'"cards": [{"title": "' + b'x\\"' * 2_000_000 + b'"}]}',
        head + b'"cards": [{"title": "' + b"x" * 5_000_000 + b'"}]}',
        head + b'"cards": [{"title": "' + b" " * 5_000_000 + b'"}]}',
        head + b'"cards": [{"id": "\\\\", "title": "' + b"\\\\" * 2_000_000 + b'"}]}',
        head + b'"cards": [[' + b'"a",' * 500_000 + b'"a"]]}',
        head + b", ".join(b'"k%d": 1' % number for number in range(1000)) + b"}",
        head + b'"cards": [{"id": "a", "id": "b"}]}',
        head + b'"cards": [], "cards": []}',
        head + b'"files": [{"contentBase64": "' + b"#" * 100 + b'"}]}',
        head + b'"files": [{"contentBase64": "AA=="}, {"contentBase64": "AA==AAAA"}]}',
        head + b'"files": [{"content\\u0042ase64": "0"}]}',
    ]
    for body in hostile:
        (await send(world.sa, body)).refused(400, "InvalidSnapshotShape")
    await nothing_is_left(world)


@pytest.mark.parametrize("before", [b"", b"\\\\", b'\\"', b"\\\\" * 40_000, b'\\\\\\"' * 30_000])
async def test_blanks_between_the_tokens_of_a_snapshot_are_no_text(world: World, before: bytes) -> None:
    blanks = b" \n\t\r" * 800_000
    title, rest = b'"title": ' + b'"' + before + b'"', json.dumps(small()).encode()[1:]
    body = b'{"unknown": {' + title + blanks + b"}," + blanks + rest + blanks
    (await send(world.sa, body)).ok()


@pytest.mark.parametrize(
    ("path", "groups"),
    [
        ("fields.0.options", {"fields": [{**small()["fields"][0], "kind": "select", "options": ["a"] * 501}]}),
        ("columns.0.requiredFieldIds", {"columns": [{**small()["columns"][0], "requiredFieldIds": ["f1"] * 201}]}),
        ("toolServers.0.args", {"toolServers": [{**SERVER, "args": ["-v"] * 201}]}),
        ("comments.0.asks.options", {"comments": [{**QUESTION, "asks": {"state": "open", "options": ["a"] * 11}}]}),
    ],
)
async def test_lists_are_no_longer_than_the_routes_allow(world: World, path: str, groups: dict[str, Any]) -> None:
    details = (await send(world.sa, small(**groups))).refused(400, "InvalidSnapshotShape")
    assert details["path"] == path
    await nothing_is_left(world)


def test_a_member_who_is_named_often_in_a_team_counts_once() -> None:
    values = TeamRow.model_validate({"id": "t", "name": "T", "memberIds": ["b", "a", "b"] * 1000}).values()
    assert values["member_ids"] == ["b", "a"]


def _with_file(**wishes: Any) -> dict[str, Any]:
    field = {"id": "f2", "cardTypeId": "t1", "name": "files", "label": "Files", "kind": "file"}
    text = base64.b64encode(CONTENT).decode()
    file = {"id": "a", "cardId": "c1", "fieldId": "f2", "name": "n", "mimeType": "a/b", "sizeBytes": len(CONTENT)}
    return small(fields=[*small()["fields"], field], files=[{**file, "contentBase64": text, **wishes}])


async def test_file_contents_that_do_not_match_their_row_are_refused(world: World) -> None:
    text = base64.b64encode(CONTENT).decode()
    for wishes in ({"sizeBytes": 5}, {"contentBase64": text[:-8]}, {"contentBase64": "stolen"}, {"contentBase64": 5}):
        (await send(world.sa, _with_file(**wishes))).refused(400, "InvalidSnapshotShape")
    await nothing_is_left(world)


async def test_a_failure_after_the_contents_arrived_takes_them_away_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def do(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(redo_log, "apply_batch", do)
    (await send(world.sa, _with_file())).refused(500, "internal_error")
    await nothing_is_left(world)


async def test_an_import_with_cards_that_block_each_other_in_a_cycle_is_refused(world: World) -> None:
    cards = [card(id=name) for name in ("a", "b", "c")]
    edges = [
        {"id": f"r{start}", "fromCardId": start, "toCardId": end, "kind": "blocks"}
        for start, end in (("a", "b"), ("b", "c"), ("c", "a"))
    ]
    (await send(world.sa, small(cards=cards, relationships=edges))).refused(400, "InvalidSnapshotShape")
    (await send(world.sa, small(cards=cards, relationships=edges[:2]))).ok()


async def test_ids_of_another_organization_are_a_conflict_and_nothing_is_written(world: World) -> None:
    board = await world.board(world.outsider)
    theirs = await world.card(board, by=world.outsider)
    before = remove_volatile_parts(await snapshot_of(world.outsider))
    column, type_id = board.columns["Todo"], board.card_type["id"]
    attacks: list[dict[str, Any]] = [
        {"projects": [{"id": board.id, "title": "Mine"}]},
        {"cards": [card(id=theirs["id"])]},
        {"cardTypes": [*small()["cardTypes"], {"id": type_id, "title": "Mine"}]},
        {"columns": [*small()["columns"], {"id": column, "projectId": "p1", "title": "Mine"}]},
        {"history": [{"id": before["history"][0]["id"], "cardId": "c1", "action": "a", "actor": ACTOR}]},
    ]
    for groups in attacks:
        details = (await send(world.sa, small(**groups))).refused(409, "id_conflict")
        assert details["path"].startswith(next(iter(groups)))
        await nothing_is_left(world)
    for groups in ({"cards": [card(columnId=column)]}, {"cards": [card(cardTypeId=type_id)]}):
        (await send(world.sa, small(**groups))).refused(400, "InvalidSnapshotShape")
    assert remove_volatile_parts(await snapshot_of(world.outsider)) == before


async def test_an_agent_id_of_another_organization_is_no_conflict(world: World) -> None:
    await world.agent("bot", world.outsider)
    (await send(world.sa, small(agents=[{"id": "bot", "title": "Mine", "status": "approved"}]))).ok()
    assert (await snapshot_of(world.outsider))["agents"][0]["title"] == "bot"


async def test_only_a_solution_architect_of_both_organizations_imports(world: World) -> None:
    await fill_organization(world)
    ours = await snapshot_of(world.sa)
    (await send(world.outsider, ours)).refused(403, "sa_required")
    (await send(world.member, small())).refused(403, "sa_required")
    (await send(world.nobody, small())).refused(401, "unauthorized")
    (await send(await world.key(), small())).refused(401, "unauthorized")
    mine = (await world.member.post("/organizations", {"title": "Mine"})).ok()
    member = world.client({**world.member.headers, "X-Organization-Id": mine["id"]})
    (await send(member, ours)).refused(403, "sa_required")
    (await send(member, small())).ok()


async def test_an_archived_organization_is_open_to_its_owner_only(world: World) -> None:
    (await send(world.sa, small())).ok()
    owner = world.client(world.sa.headers, org_id="org_small")
    await world.join(owner, world.outsider, OUTSIDER, "SolutionArchitect")
    (await send(world.outsider, small())).ok()
    (await world.sa.delete("/organizations/org_small")).ok()
    (await send(world.outsider, small())).refused(403, "sa_required")
    (await send(world.sa, small())).ok()
    assert "org_small" not in [row["id"] for row in (await world.sa.get("/organizations")).ok()]


async def _endless() -> AsyncIterator[bytes]:
    yield b'{"meta": '
    for _ in range(80):
        yield b" " * (1 << 20)


async def test_more_than_64_mib_is_refused_with_and_without_a_length(world: World) -> None:
    headers = {"Content-Type": "application/json"}
    (await send(world.sa, b" " * ((64 << 20) + 1))).refused(413, "payload_too_large")
    answer = await world.sa.call("POST", "/admin/import", data=_endless(), headers=headers)
    answer.refused(413, "payload_too_large")
    form = aiohttp.FormData()
    form.add_field("file", _endless(), filename="x.json")
    (await world.sa.call("POST", "/admin/import", data=form)).refused(413, "payload_too_large")
    await nothing_is_left(world)


async def test_an_operator_may_allow_more_and_the_service_says_how_much(settings: config.Settings) -> None:
    async with running(settings.model_copy(update={"import_max_bytes": 66 << 20})) as world:
        assert (await world.sa.get("/admin/import")).ok() == {"maxBytes": 66 << 20}
        (await world.member.get("/admin/import")).refused(403, "sa_required")
        (await send(world.sa, json.dumps(small()).encode() + b" " * (65 << 20))).ok()


async def test_other_writes_wait_and_succeed(world: World) -> None:
    board = await world.board()
    cards = [card(id=f"c{number}") for number in range(2000)]
    answers = await asyncio.gather(send(world.sa, small(cards=cards)), *[world.card(board) for _ in range(20)])
    assert answers[0].ok()["summary"]["imported"]["cards"] == 2000


def _presets(count: int) -> dict[str, Any]:
    """Make a snapshot with a number of presets of 100,000 characters."""
    row = {"cardTypeId": "t1", "fieldId": "f1", "value": "x" * 100_000}
    snapshot = small(presets=[{"id": f"pre{number}", "presetName": f"P {number}", **row} for number in range(count)])
    result: dict[str, Any] = json.loads(json.dumps(snapshot).replace('"kind": "text"', '"kind": "richtext"'))
    return result


async def test_presets_have_no_more_room_than_those_that_are_written(world: World) -> None:
    (await send(world.sa, _presets(42))).refused(409, "conflict")
    await nothing_is_left(world)
    (await send(world.sa, _presets(41))).ok()
    (await send(world.sa, _presets(41))).ok()  # they are the same: nothing grows
    (await send(world.sa, _presets(42))).refused(409, "conflict")
    shown = world.client({**world.sa.headers, "X-Organization-Id": "org_small"})
    assert len((await shown.get("/preset-fields")).ok()) == 41


def _versions(numbers: range, length: int = 500_000) -> dict[str, Any]:
    """Make a snapshot of a prompt with versions of the given lengths."""
    versions = [{"id": f"v{n}", "promptId": "p", "label": f"L{n}", "body": "x" * length} for n in numbers]
    return small(prompts=[{"id": "p", "name": "Prompt"}], promptVersions=versions)


async def test_versions_of_a_prompt_have_no_more_room_than_those_that_are_written(world: World) -> None:
    too_long = (await send(world.sa, _versions(range(1), 500_001))).refused(400, "InvalidSnapshotShape")
    assert too_long["path"] == "promptVersions.0.body"
    (await send(world.sa, _versions(range(17)))).refused(400, "InvalidSnapshotShape")
    await nothing_is_left(world)
    (await send(world.sa, _versions(range(10)))).ok()
    (await send(world.sa, _versions(range(10)))).ok()
    (await send(world.sa, _versions(range(10, 18)))).refused(400, "InvalidSnapshotShape")  # with those that are there
    (await send(world.sa, _versions(range(10, 16)))).ok()


async def test_a_name_that_another_row_has_is_a_conflict_for_a_row_that_is_there_too(world: World) -> None:
    field = small()["fields"][0]
    other = {**field, "id": "f2", "name": "other"}
    (await send(world.sa, small(fields=[field, other]))).ok()
    swapped = [{**field, "name": "other"}, {**other, "name": "notes"}]
    (await send(world.sa, small(fields=swapped))).refused(409, "id_conflict")
    (await send(world.sa, small(fields=[{**field, "name": "third"}, {**other, "name": "notes"}]))).ok()


async def test_a_row_twice_is_refused_in_every_group(world: World) -> None:
    for key, rows in small().items():
        if isinstance(rows, list):
            details = (await send(world.sa, small(**{key: rows * 2}))).refused(400, "InvalidSnapshotShape")
            assert details["path"] == f"{key}.1.id"
    await nothing_is_left(world)


async def test_no_agent_comes_in_under_an_id_that_looks_like_that_of_a_key(world: World) -> None:
    agent = {"id": (await world.script()).id, "title": "Script", "status": "approved"}
    details = (await send(world.sa, small(agents=[agent]))).refused(400, "InvalidSnapshotShape")
    assert "agents.0.id" in json.dumps(details)
    await nothing_is_left(world)
