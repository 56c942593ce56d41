"""Import: people are found by id, else by e-mail; permissions come to a new organization; what is unknown stays."""

from typing import Any

import pytest

from ...builders import permit
from ...direct_db import execute
from ...snapshots import META, card, fill_organization, send, small, snapshot_of
from ...world import MEMBER, SA, World


def of(world: World, org_id: str) -> Any:
    return world.client({**world.sa.headers, "X-Organization-Id": org_id}, org_id=org_id)


async def import_small(world: World, **groups: Any) -> dict[str, Any]:
    summary: dict[str, Any] = (await send(world.sa, small(**groups))).ok()["summary"]
    return summary


async def join(world: World, org_id: str) -> None:
    await world.service.store.write(lambda tx: _join(tx, org_id, world.member.id))
    world.service.clear_credential_cache()


def _join(tx: Any, org_id: str, user_id: str) -> None:
    from service.database.queries import sql

    tx.run(sql.members.create, org_id=org_id, user_id=user_id, role="Member", now=tx.now)


PEOPLE = [{"id": "usr_elsewhere", "email": MEMBER.upper(), "fullName": "Mo", "role": "Member"}]
TEAMS = [{"id": "t9", "name": "Builders", "memberIds": ["usr_elsewhere", "usr_nobody"]}]


async def test_who_is_assigned_or_in_a_team_is_found_by_e_mail_among_the_members(
    world: World,
) -> None:
    assigned = [card(assignedUserId="usr_elsewhere")]
    await import_small(world, cards=assigned, users=PEOPLE, teams=TEAMS)
    there = of(world, "org_small")
    assert (await there.get("/cards/c1")).ok()["assignedUserId"] is None  # no member yet
    await join(world, "org_small")
    await import_small(world, cards=assigned, users=PEOPLE, teams=TEAMS)
    assert (await there.get("/cards/c1")).ok()["assignedUserId"] == world.member.id
    team = (await there.get(there.org("/teams/t9"))).ok()
    assert [row["userId"] if "userId" in row else row["id"] for row in team["members"]] == [world.member.id]


async def test_who_imports_into_a_new_organization_is_found_by_e_mail_there(world: World) -> None:
    people = [{"id": "usr_elsewhere", "email": SA, "fullName": "Ada", "role": "SolutionArchitect"}]
    mentions = [{"type": "User", "id": "usr_elsewhere"}]
    comment = {"id": "cmt_1", "cardId": "c1", "content": "@ada-architect", "mentions": mentions}
    comment |= {"actor": {"type": "User", "id": "usr_elsewhere", "label": "Ada"}}
    teams = [{"id": "t9", "name": "Builders", "memberIds": ["usr_elsewhere"]}]
    cards = [card(assignedUserId="usr_elsewhere")]
    await import_small(world, cards=cards, users=people, comments=[comment], teams=teams)
    there = of(world, "org_small")
    assert (await there.get("/cards/c1")).ok()["assignedUserId"] == world.sa.id
    (said,) = (await there.get("/cards/c1/comments")).ok()["items"]
    assert [mention["id"] for mention in said["mentions"]] == [world.sa.id]
    assert [row["id"] for row in (await there.get(there.org("/teams/t9"))).ok()["members"]] == [world.sa.id]


async def test_a_person_of_that_e_mail_who_is_no_member_is_not_found(world: World) -> None:
    await import_small(world, cards=[card(assignedUserId="usr_elsewhere")], users=PEOPLE)
    assert (await of(world, "org_small").get("/cards/c1")).ok()["assignedUserId"] is None


async def test_an_older_snapshot_clears_nothing_that_it_merely_does_not_know(world: World) -> None:
    await fill_organization(world)
    before = await snapshot_of(world.sa)
    assigned = next(row for row in before["cards"] if row["assignedUserId"])
    agents = next(row for row in before["cards"] if row["assignedAgentId"])
    known = dict(before)
    known["cards"] = [
        {**assigned, "assignedUserId": "usr_gone", "title": "Renamed"},
        {**agents, "assignedAgentId": "bot-that-is-gone", "title": "Renamed too"},
    ]
    known["agents"] = [{**row, "teamId": "team_gone"} for row in before["agents"]]
    known["prompts"] = [{**row, "categoryId": "cat_gone"} for row in before["prompts"]]
    for key in ("users", "history", "comments", "relationships", "files", "presets"):
        known[key] = []
    (await send(world.sa, known)).ok()
    after = await snapshot_of(world.sa)
    cards = {row["id"]: row for row in after["cards"]}
    assert cards[assigned["id"]]["assignedUserId"] == assigned["assignedUserId"]
    assert cards[assigned["id"]]["title"] == "Renamed"
    assert cards[agents["id"]]["assignedAgentId"] == agents["assignedAgentId"]
    assert [row["teamId"] for row in after["agents"]] == [row["teamId"] for row in before["agents"]]
    assert [row["categoryId"] for row in after["prompts"]] == [row["categoryId"] for row in before["prompts"]]
    assert len(cards) == len(before["cards"])
    assert after["comments"] == before["comments"]


async def test_what_a_snapshot_knows_to_be_empty_is_cleared(world: World) -> None:
    await fill_organization(world)
    before = await snapshot_of(world.sa)
    known = {**before, "cards": [{**row, "assignedUserId": None} for row in before["cards"]]}
    (await send(world.sa, known)).ok()
    assert {row["assignedUserId"] for row in (await snapshot_of(world.sa))["cards"]} == {None}


async def test_customised_permissions_come_to_an_organization_that_the_import_makes_and_no_other(
    world: World,
) -> None:
    custom = [
        {"id": "x1", "role": "Member", "resource": "Card", "actions": ["read", "juggle"]},
        {"id": "x2", "role": "Member", "resource": "Rockets", "actions": ["read"]},
        {"id": "x3", "role": "Emperor", "resource": "Card", "actions": ["read"]},
    ]
    summary = await import_small(world, permissions=custom)
    assert summary["skipped"]["permissions"] == 0
    there = of(world, "org_small")
    rows = (await there.get("/permissions")).ok()
    found = {(row["role"], row["resource"]): row["actions"] for row in rows}
    assert found["Member", "Card"] == ["read"]
    assert found["Member", "Project"] == ["read"]
    assert len(rows) == 24
    again = [{**custom[0], "actions": ["read", "create"]}]
    summary = await import_small(world, permissions=again)
    assert (summary["skipped"]["permissions"], summary["skipped"]["rolePermissions"]) == (1, 2)
    rows = (await there.get("/permissions")).ok()
    assert {(row["role"], row["resource"]): row["actions"] for row in rows}["Member", "Card"] == ["read"]


async def test_permissions_of_an_export_come_back_as_they_were(world: World) -> None:
    await permit(world, "Member", "Card", "read", "comment")
    snapshot = await snapshot_of(world.sa)
    snapshot["organization"]["id"] = "org_copy"
    for key in snapshot:
        if isinstance(snapshot[key], list) and key != "permissions":
            snapshot[key] = []
    (await send(world.sa, snapshot)).ok()
    copied = await snapshot_of(of(world, "org_copy"))
    for one, other in zip(*(sorted(s["permissions"], key=_place) for s in (snapshot, copied)), strict=True):
        assert (_place(one), one["actions"]) == (_place(other), other["actions"])


def _place(row: dict[str, Any]) -> tuple[str, str]:
    return row["role"], row["resource"]


async def test_only_the_last_part_gives_cards_without_a_history_their_first_row(world: World) -> None:
    for last, rows in ((False, 0), (True, 1)):
        snapshot = small(meta={**META, "part": {"number": 1, "last": last}})
        (await send(world.sa, snapshot)).ok()
        history = (await of(world, "org_small").get("/cards/c1/history")).ok()
        assert len(history) == rows


ONLY = {"only": "people"}
MENTIONS = [{"type": "User", "id": "usr_elsewhere"}]


def with_people() -> dict[str, Any]:
    """Make a snapshot in which somebody from elsewhere is assigned, mentioned and in a team."""
    comment = {"id": "cmt_1", "cardId": "c1", "content": "@mo-member", "mentions": MENTIONS}
    comment |= {"actor": {"type": "User", "id": "usr_elsewhere", "label": "Mo"}}
    values = [{"fieldId": "f1", "value": "for @mo-member", "mentions": MENTIONS}]
    cards = [card(assignedUserId="usr_elsewhere", fieldValues=values), card(id="c2", assignedUserId="usr_elsewhere")]
    fields = [{"id": "f1", "cardTypeId": "t1", "name": "notes", "label": "Notes", "kind": "richtext"}]
    return small(cards=cards, comments=[comment], users=PEOPLE, teams=TEAMS, fields=fields)


async def test_people_only_fills_in_what_is_empty_and_changes_nothing_else(world: World) -> None:
    snapshot = with_people()
    assert (await send(world.sa, snapshot)).ok()["missingPeople"] == [MEMBER]
    there = of(world, "org_small")
    (await there.patch("/cards/c1", {"title": "Newer"})).ok()
    (await there.patch("/cards/c2", {"assignedUserId": world.sa.id})).ok()
    (await there.delete("/cards/c2")).ok()
    await join(world, "org_small")
    before = await snapshot_of(there)
    answer = (await send(world.sa, snapshot, params=ONLY)).ok()
    assert answer["missingPeople"] == []
    assert {name: count for name, count in answer["summary"]["imported"].items() if count} == {
        "cards": 1,
        "teams": 1,
        "comments": 1,
    }
    after = await snapshot_of(there)
    cards = {row["id"]: row for row in after["cards"]}
    assert (cards["c1"]["assignedUserId"], cards["c1"]["title"]) == (world.member.id, "Newer")
    assert cards["c2"] == next(row for row in before["cards"] if row["id"] == "c2")
    assert [value["mentions"] for value in cards["c1"]["fieldValues"]] == [[{"type": "User", "id": world.member.id}]]
    assert [row["memberIds"] for row in after["teams"]] == [[world.member.id]]
    assert [[mention["id"] for mention in row["mentions"]] for row in after["comments"]] == [[world.member.id]]
    same = ("organization", "projects", "columns", "cardTypes", "fields", "transitions", "agents", "files")
    assert {key: after[key] for key in same} == {key: before[key] for key in same}
    newest = max(after["history"], key=lambda row: (row["createdAt"], row["id"]))
    assert newest["action"] == "imported"
    assert newest["changes"] == {"assignedUserId": {"from": None, "to": world.member.id}}
    (await send(world.sa, snapshot, params=ONLY)).ok()
    assert (await snapshot_of(there))["cards"] == after["cards"]  # a second time there is nothing to fill in


async def test_people_only_creates_no_organization_and_no_rows(world: World) -> None:
    (await send(world.sa, with_people(), params=ONLY)).refused(404, "not_found")
    (await send(world.sa, small())).ok()
    (await send(world.outsider, with_people(), params=ONLY)).refused(403, "sa_required")
    await join(world, "org_small")
    (await send(world.sa, with_people(), params=ONLY)).ok()
    after = await snapshot_of(of(world, "org_small"))
    assert [row["id"] for row in after["cards"]] == ["c1"]
    assert after["teams"] == after["comments"] == []


async def test_mentions_of_a_comment_are_filled_in_once_and_stay(world: World) -> None:
    await send(world.sa, with_people())
    await execute(world, "UPDATE comments SET mentions = '[]' WHERE id = 'cmt_1'")
    with pytest.raises(Exception, match="append-only"):
        await execute(world, "UPDATE comments SET mentions = NULL WHERE id = 'cmt_1'")
    with pytest.raises(Exception, match="append-only"):
        await execute(world, "UPDATE comments SET content = 'other' WHERE id = 'cmt_1'")
