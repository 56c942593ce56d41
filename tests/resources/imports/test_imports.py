"""Import: what export made comes back, in one transaction, as often as one likes."""

import base64
import json
import logging
from typing import Any

import aiohttp
import pytest

from service.database.queries import sql

from ...snapshots import CONTENT, META, blob, card, fill_organization, remove_volatile_parts, send, small, snapshot_of
from ...world import World


def _of(world: World, org_id: str) -> Any:
    return world.client({**world.sa.headers, "X-Organization-Id": org_id}, org_id=org_id)


async def _forget(world: World) -> None:
    """Remove the SA's organization for good; the SA moves to another one."""
    other = (await world.sa.post("/organizations", {"title": "Elsewhere"})).ok()
    await world.service.store.write(lambda tx: tx.run(sql.organizations.delete, org_id=world.sa.org_id))
    world.service.clear_credential_cache()
    world.sa.headers["X-Organization-Id"] = other["id"]


async def test_export_import_export_gives_the_same_data(world: World) -> None:
    await fill_organization(world)
    before = await snapshot_of(world.sa, includeFiles="true")
    home = world.sa.org_id
    content = blob(world, home, next(row["cardId"] for row in before["files"] if row["id"] == "fil1"), "fil1")
    content.unlink()
    await _forget(world)
    report = (await send(world.sa, before)).ok()
    imported, skipped = report["summary"]["imported"], report["summary"]["skipped"]
    expected = {
        "organizations": 1, "projects": 2, "teams": 1, "agents": 1, "cardTypes": 1, "customFields": 5,
        "boardColumns": 10, "statusTransitions": 14, "cardRelationships": 1, "promptCategories": 1, "prompts": 1,
        "promptVersions": 2, "cards": 3, "fieldValues": 1, "comments": 2, "history": 6, "presets": 1, "files": 2,
        "toolServers": 1,
    }  # fmt: skip
    assert imported == expected
    assert skipped == {"users": 2, "apiKeys": 1, "permissions": 0, "rolePermissions": 0}
    assert report["sourceMeta"] == {key: before["meta"][key] for key in ("product", "version", "exportedAt")}
    assert set(report) == {"summary", "sourceMeta", "importedAt", "missingPeople"}
    assert content.read_bytes() == CONTENT
    after = await snapshot_of(_of(world, home), includeFiles="true")
    # Only the caller is a member of the new organization: nobody else can be assigned.
    for row in before["cards"]:
        row["assignedUserId"] = None
    for row in before["agents"]:
        row["isOnline"] = False
    assert remove_volatile_parts(after) == remove_volatile_parts(before)
    (await send(world.sa, after)).ok()
    assert remove_volatile_parts(await snapshot_of(_of(world, home), includeFiles="true")) == remove_volatile_parts(
        after
    )


async def test_an_import_over_the_same_organization_changes_nothing(world: World) -> None:
    await fill_organization(world)
    before = await snapshot_of(world.sa, includeFiles="true")
    assert (await send(world.sa, before)).ok()["summary"]["imported"]["cards"] == 3
    assert remove_volatile_parts(await snapshot_of(world.sa, includeFiles="true")) == remove_volatile_parts(before)


async def test_matching_rows_are_updated_in_place_and_history_tells_it(world: World) -> None:
    await fill_organization(world)
    before = await snapshot_of(world.sa)
    chosen = before["cards"][0]
    patch = {
        "title": "Changed since",
        "fieldValues": [{"fieldId": v["fieldId"], "value": None} for v in chosen["fieldValues"]],
    }
    changed = (await world.sa.patch(f"/cards/{chosen['id']}", patch)).ok()
    (await send(world.sa, before)).ok()
    restored = (await world.sa.get(f"/cards/{chosen['id']}")).ok()
    assert restored["title"] == chosen["title"]
    assert restored["fieldValues"] == chosen["fieldValues"]
    assert restored["version"] == changed["version"] + 1
    last = (await world.history(chosen["id"]))[-1]
    assert last["action"] == "imported"
    assert last["changes"]["title"] == {"from": "Changed since", "to": chosen["title"]}
    once = await snapshot_of(world.sa)
    (await send(world.sa, before)).ok()
    assert remove_volatile_parts(await snapshot_of(world.sa)) == remove_volatile_parts(once)


async def test_the_caller_owns_an_organization_that_is_new(world: World) -> None:
    (await send(world.sa, small())).ok()
    listed = {row["id"]: row for row in (await world.sa.get("/organizations")).ok()}
    assert listed["org_small"]["ownerId"] == world.sa.id
    assert listed["org_small"]["title"] == "Small"
    people = await _of(world, "org_small").get("/organizations/org_small/members")
    assert [(row["userId"], row["role"]) for row in people.ok()] == [(world.sa.id, "SolutionArchitect")]
    assert len((await _of(world, "org_small").get("/permissions")).ok()) == 24
    assert (await world.sa.get("/cards/c1")).ok()["fieldValues"] == [{"fieldId": "f1", "value": "a value"}]
    # What the snapshot left open was filled in.
    (row,) = await world.history("c1")
    assert row["action"] == "imported"
    assert row["actor"]["id"] == world.sa.id
    once = await snapshot_of(_of(world, "org_small"))
    (await send(world.sa, small())).ok()
    assert remove_volatile_parts(await snapshot_of(_of(world, "org_small"))) == remove_volatile_parts(once)


async def test_the_snapshot_comes_as_a_part_named_file_too(world: World) -> None:
    form = aiohttp.FormData()
    form.add_field("comment", "ignored")
    form.add_field("file", json.dumps(small()), filename="../../x.json", content_type="text/plain")
    assert (await world.sa.call("POST", "/admin/import", data=form)).ok()["summary"]["imported"]["cards"] == 1
    form = aiohttp.FormData()
    form.add_field("other", "{}", filename="x.json")
    (await world.sa.call("POST", "/admin/import", data=form)).refused(400, "validation_failed")
    headers = {"Content-Type": "text/plain"}
    (await world.sa.call("POST", "/admin/import", data=b"{}", headers=headers)).refused(415, "unsupported_media_type")
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    (await world.sa.call("POST", "/admin/import", data=b"--y\r\n", headers=headers)).refused(400, "validation_failed")


async def test_groups_may_stand_in_any_order(world: World) -> None:
    snapshot = dict(reversed(small().items()))
    assert list(snapshot)[-1] == "meta"
    assert (await send(world.sa, snapshot)).ok()["summary"]["imported"]["cards"] == 1


async def test_people_and_agents_who_are_not_there_become_null(world: World) -> None:
    row = card(assignedUserId=world.outsider.id, assignedAgentId="ghost")
    agents = [{"id": "bot", "title": "Bot", "teamId": "no-team", "status": "approved"}]
    (await send(world.sa, small(cards=[row], agents=agents))).ok()
    shown = (await world.sa.get("/cards/c1")).ok()
    assert shown["assignedUserId"] is None
    assert shown["assignedAgentId"] is None
    (agent,) = (await snapshot_of(_of(world, "org_small")))["agents"]
    assert agent["teamId"] is None
    assert agent["status"] == "approved"
    assert agent["isOnline"] is False


async def test_columns_are_numbered_densely_with_those_the_snapshot_does_not_know(world: World) -> None:
    (await send(world.sa, small())).ok()
    small_sa = _of(world, "org_small")
    more = {"projectId": "p1", "title": "More", "order": 0, "agentPickupEnabled": True, "agentCanModerate": True}
    (await small_sa.post("/organizations/org_small/columns", more)).ok()
    for _ in range(2):
        (await send(world.sa, small())).ok()
        columns = (await small_sa.get("/organizations/org_small/columns")).ok()
        assert [(row["title"], row["order"]) for row in columns] == [("L", 0), ("More", 1)]


async def test_a_tool_server_that_had_secrets_comes_in_disabled_and_keeps_those_that_are_there(world: World) -> None:
    await fill_organization(world)
    before = await snapshot_of(world.sa)
    (server,) = before["toolServers"]
    server |= {"env": {"TOKEN": None}, "auth": {"kind": "bearer", "token": None, "tokenSet": True}}
    (await send(world.sa, before)).ok()
    assert (await snapshot_of(world.sa))["toolServers"][0]["enabled"] is True  # it was there: nothing was lost
    fresh = small(toolServers=[{**server, "id": "srv9"}])
    (await send(world.sa, fresh)).ok()
    (imported,) = (await snapshot_of(_of(world, "org_small")))["toolServers"]
    assert imported["enabled"] is False
    assert imported["env"] == {}
    assert imported["auth"]["tokenSet"] is False


async def test_contents_are_written_only_where_they_came_along(world: World) -> None:
    field = {"id": "f2", "cardTypeId": "t1", "name": "files", "label": "Files", "kind": "file"}
    file = {"cardId": "c1", "fieldId": "f2", "mimeType": "text/plain", "sizeBytes": len(CONTENT)}
    text = base64.b64encode(CONTENT).decode()
    files = [{"id": "a", "name": "../../evil\n.txt", "contentBase64": text, **file}, {"id": "b", "name": "b", **file}]
    snapshot = small(fields=[*small()["fields"], field], files=files)
    raw = json.dumps(snapshot).replace("/", "\\/").encode()  # as some programs write it
    (await send(world.sa, raw)).ok()
    assert blob(world, "org_small", "c1", "a").read_bytes() == CONTENT
    assert not blob(world, "org_small", "c1", "b").exists()
    names = {row["id"]: row["name"] for row in (await snapshot_of(_of(world, "org_small")))["files"]}
    assert names == {"a": "evil.txt", "b": "b"}
    assert {path.name for path in world.service.settings.files_path.iterdir()} == {"org_small", ".temporary"}  # type: ignore[union-attr]


async def test_what_a_later_version_may_add_is_passed_over(world: World) -> None:
    row = card(cleverness={"deep": [1, 2.5, None]})
    snapshot = small(meta={**META, "schemaVersion": 99}, cards=[row], dreams=[{"id": "d"}], mood="good")
    (await send(world.sa, snapshot)).ok()


async def test_a_long_import_tells_the_log_how_far_it_is(world: World, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="service"):
        (await send(world.sa, small(cards=[card(id=f"c{number}") for number in range(5_100)]))).ok()
    told = [message for message in caplog.messages if "rows checked" in message]
    assert told
    assert "org_small" in told[0]
    assert "5000 of 510" in told[0]
    assert any(message.startswith("import finished in ") for message in caplog.messages)


async def test_a_board_keeps_its_display_where_a_snapshot_does_not_say_it(world: World) -> None:
    def project(**values: Any) -> list[dict[str, Any]]:
        return [{**small()["projects"][0], **values}]

    async def display() -> dict[str, Any]:
        headers = {"X-Organization-Id": "org_small"}
        (row,) = (await world.sa.get("/organizations/org_small/projects", headers=headers)).ok()
        return row["display"]  # type: ignore[no-any-return]

    (await send(world.sa, small(projects=project()))).ok()
    default = await display()
    assert default["attachments"] is default["progress"] is True
    columns = ["field:size", "title"]
    changed = {"progress": False, "listColumns": [*columns, "title"], "later": 1}
    (await send(world.sa, small(projects=project(display=changed)))).ok()
    assert await display() == {"attachments": True, "progress": False, "listColumns": columns}
    (await send(world.sa, small(projects=project()))).ok()
    assert await display() == {"attachments": True, "progress": False, "listColumns": columns}
    for wrong, path in (({"progress": 1}, "progress"), ({"listColumns": ["field:"]}, "listColumns.0")):
        answer = await send(world.sa, small(projects=project(display=wrong)))
        assert answer.refused(400, "InvalidSnapshotShape")["path"] == f"projects.0.display.{path}"


async def test_an_older_snapshot_shows_the_first_multiselect_field_of_each_card_type(world: World) -> None:
    def field(name: str, **values: Any) -> dict[str, Any]:
        return {"id": name, "cardTypeId": "t1", "name": name, "label": name, "kind": "multiselect", **values}

    older = [field("later", order=2), field("first", order=1), field("notes", order=0, kind="text")]
    fields = "/organizations/org_small/card-types/t1/fields"
    in_small = {"X-Organization-Id": "org_small"}
    (await send(world.sa, small(fields=older, cards=[]))).ok()
    (await world.sa.patch(f"{fields}/later", {"showOnCard": True}, headers=in_small)).ok()
    (await world.sa.patch(f"{fields}/first", {"showOnCard": False}, headers=in_small)).ok()
    (await send(world.sa, small(fields=[*older, field("new", order=0)], cards=[]))).ok()  # which are there stay
    found = (await world.sa.get(fields, headers=in_small)).ok()
    assert {row["name"]: row["showOnCard"] for row in found} == {
        "new": True,
        "notes": False,
        "first": False,
        "later": True,
    }
    wrong = field("wrong", optionColors={"a": "red"})
    answer = await send(world.sa, small(fields=[wrong], cards=[]))
    assert answer.refused(400, "InvalidSnapshotShape")["path"] == "fields.0.optionColors.a"
    many = field("many", optionColors={str(number): "#123456" for number in range(501)})
    answer = await send(world.sa, small(fields=[many], cards=[]))
    assert answer.refused(400, "InvalidSnapshotShape")["path"] == "fields.0.optionColors"


def _without(value: Any, keys: set[str]) -> Any:
    """Return a snapshot without some keys, wherever they are."""
    if isinstance(value, dict):
        return {key: _without(item, keys) for key, item in value.items() if key not in keys}
    return [_without(item, keys) for item in value] if isinstance(value, list) else value


async def test_what_an_earlier_version_did_not_export_has_its_default_or_is_found_out(world: World) -> None:
    release, operations = await world.board(title="Release"), await world.board(title="Operations")
    display = {"display": {"progress": False}}
    (await world.sa.patch(world.sa.org(f"/projects/{operations.id}"), display)).ok()
    fields = f"/card-types/{release.card_type['id']}/fields"
    colors = {"optionColors": {"bug": "#ff0000"}}
    (await world.sa.patch(world.sa.org(f"{fields}/{release.field('tags')}"), colors)).ok()
    text = {"fieldId": release.field("description"), "value": "- [x] for @mo-member\n- [ ] b"}
    made = await world.card(release, fieldValues=[text], dueDate="2027-01-05")
    (await world.sa.post(f"/cards/{made['id']}/comments", {"content": "@mo-member"})).ok()
    (await world.sa.post(f"/cards/{made['id']}/transfer", {"projectId": operations.id})).ok()
    newer = {"display", "showOnCard", "optionColors", "formerKeys", "mentions", "handle", "dueAllDay", "timezone"}
    snapshot = _without(await snapshot_of(world.sa), newer)
    assert not newer & set(json.dumps(snapshot).split('"'))
    await _forget(world)
    (await send(world.sa, snapshot)).ok()
    sa = _of(world, snapshot["organization"]["id"])
    found = (await sa.get(f"/cards/{made['id']}")).ok()
    assert (found["key"], found["dueAllDay"], found["checklist"]) == ("OPE-1", True, {"done": 1, "total": 2})
    assert (found["mentions"], found["watching"]) == ([], False)
    (comment,) = (await sa.get(f"/cards/{made['id']}/comments")).ok()["items"]
    assert comment["mentions"] == []
    shown = {row["name"]: (row["showOnCard"], row["optionColors"]) for row in (await sa.get(sa.org(fields))).ok()}
    assert (shown["tags"], shown["description"]) == ((True, {}), (False, {}))
    assert (await sa.get(sa.org(f"/projects/{operations.id}"))).ok()["display"]["progress"] is True
    (await sa.get("/cards/REL-1")).refused(404, "not_found")
    assert (await sa.get("/auth/me")).ok()["handle"] == "ada-architect"
    ticked = {"fieldId": text["fieldId"], "item": 1, "text": "b", "done": True}
    (await sa.patch(f"/cards/{made['id']}/checklist", ticked)).ok()
    assert (await sa.post(f"/cards/{made['id']}/transfer", {"projectId": release.id})).ok()["key"] == "REL-2"
