"""Ids of others in bodies, queries and imports: refused like ids of nothing, and nothing anywhere is changed or told.

Ids in paths are tested in test_authorization.py.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from service.auth.authentication import API_KEY
from service.pipeline.routing import ROUTES, Route

from .. import walk
from ..snapshots import fill_organization, remove_volatile_parts, send, snapshot_of
from ..walk import Ids
from ..world import Answer, Client, World

Json = dict[str, Any]
Path = tuple[str, ...]
# What a key names where it is not called as the parameter of a path is.
NAMED = {"moveTo": "column_id", "ids": "card_id", "requiredFieldIds": "field_id", "fieldId": "text_id"}
# A key may be bound to an agent that has not registered yet.
UNBOUND = ("POST /settings/api-keys", "agentId")
NOBODYS = "id_nobodys"
NOBODYS_CARD = "card_" + "0" * 26
# Another organization to go on in is a place, as in a path.
PLACE = ("POST /auth/switch", "orgId")


def get_named_resource(key: str) -> str | None:
    """Tell what a key of a body or a query names: `toCardId` a card_id."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)
    known = (
        "project_id",
        "column_id",
        "card_type_id",
        "team_id",
        "agent_id",
        "user_id",
        "card_id",
        "category_id",
        "org_id",
    )
    return NAMED.get(key) or next((one for one in known if snake == one or snake.endswith(f"_{one}")), None)


def paths(schema: Json, parts: Json, above: Path = ()) -> Iterator[Path]:
    """Return the paths of all keys in a schema that name something."""
    if "$ref" in schema:
        yield from paths(parts[schema["$ref"].rpartition("/")[2]], parts, above)
    for choice in schema.get("anyOf", []):
        yield from paths(choice, parts, above)
    if "items" in schema:
        yield from paths(schema["items"], parts, (*above, "0"))
    for key, below in schema.get("properties", {}).items():
        if get_named_resource(key):
            yield (*above, key)
        else:
            yield from paths(below, parts, (*above, key))


BATCH = "/organizations/{org_id}/cards/batch"
# A place that is gone refuses no undo: the card stands at the end then (tests/resources/test_batch.py).
UNDONE_PLACE = (f"POST {BATCH}", "operations.0.undo.afterCardId")


def in_bodies() -> list[tuple[Route, Path]]:
    """List every key of every body that names something."""
    schemas = [(route, route.body.model_json_schema()) for route in walk.with_bodies() if route.body]
    return [
        (route, path) for route, schema in schemas for path in dict.fromkeys(paths(schema, schema.get("$defs", {})))
    ]


def with_value(body: Json, path: Path, value: str) -> Json:
    """Set one key of a body, however deep; what it lies in is made as small as it may be."""
    key, rest = path[0], path[1:]
    if not rest:
        return {**body, key: [value] if key.endswith("Ids") else value}
    if rest[0] != "0":
        return {**body, key: with_value(body.get(key, {}), rest, value)}
    least = {"parts": {"title": "Part"}, "fieldValues": {"value": "x"}}
    least |= {"checklist": {"item": 0, "text": "x", "done": True}}
    inner = least.get(key, (body.get(key) or [{}])[0])
    return {**body, key: [with_value(inner, rest[1:], value)]}


def fill_in_ids(body: Json, ids: Ids) -> Json:
    """Let the keys that must be there name things that are there, and a move lead on."""
    known = ids | {"toColumnId": ids["next_id"]}
    return {
        key: known.get(key) or known[str(get_named_resource(key))] if get_named_resource(key) else value
        for key, value in body.items()
    }


async def create_both_organizations(world: World, architect: Client, agent_id: str) -> tuple[Ids, Client]:
    ids, agent = await walk.create_one_of_each(world, architect, agent_id)
    fields = (await architect.get(architect.org(f"/card-types/{ids['card_type_id']}/fields"))).ok()
    columns = (await architect.get(architect.org("/columns"), params={"projectId": ids["project_id"]})).ok()
    text_id = next(row["id"] for row in fields if row["name"] == "description")
    return ids | {
        "text_id": text_id,
        "elsewhere_id": (await architect.post(architect.org("/projects"), {"title": "Elsewhere"})).ok()["id"],
        "next_id": next(row["id"] for row in columns if row["title"] == "In Progress"),
    }, agent


def as_if_alone(answer: Answer) -> Answer:
    """Return what became of the one change of a batch as the answer that it would have had alone."""
    error = answer.body["results"][0].get("error") if answer.status == 200 and "results" in answer.body else None
    return answer if error is None else Answer(error["status"], {"error": error}, answer.headers)


def told(answer: Answer, value: str) -> Any:
    """Return an answer without the id that was sent, and without what differs each time."""
    text = str(answer.body["error"] | {"requestId": ""} if answer.status >= 400 else answer.body)
    return answer.status, text.replace(value, "<id>")


async def test_no_id_of_another_organization_in_a_body_is_told_from_one_of_nothing(world: World) -> None:
    own, agent = await create_both_organizations(world, world.sa, "bot")
    foreign, _ = await create_both_organizations(world, world.outsider, "spy")
    before = await walk.describe_organization(world.outsider, foreign), await walk.describe_organization(world.sa, own)
    found, wrong = in_bodies(), []
    assert len(found) >= 40
    for route, path in found:
        entry = (walk.name(route), ".".join(path))
        if entry in (UNBOUND, UNDONE_PLACE):
            continue
        who, base = (
            agent if route.policy.scheme == API_KEY else world.sa,
            fill_in_ids(walk.smallest_body(route) or {}, own),
        )
        if route.path == BATCH:
            about = {"archive": True} if path[-1] == "cardId" else {}
            base = {"operations": [{"cardId": own["card_id"], **about}]}
            if path[2] == "move":
                base["operations"][0]["move"] = {"toColumnId": own["next_id"]}
        if route.path.endswith("/transfer"):
            base["projectId"] = own["elsewhere_id"]  # the own board is no target
        answers = []
        for value in (foreign[str(get_named_resource(path[-1]))], NOBODYS):
            answers.append(as_if_alone(await walk.send(who, route, own, with_value(base, path, value))))
            is_place = entry in (PLACE, (f"POST {BATCH}", "operations.0.cardId")) and answers[-1].status == 404
            named_as = ".".join(path[3:] or path[2:]) if route.path == BATCH else ".".join(path)
            if not is_place and (answers[-1].status != 400 or named_as not in str(answers[-1].body)):
                wrong.append((entry, value, answers[-1].status, answers[-1].body))
        if told(answers[0], foreign[str(get_named_resource(path[-1]))]) != told(answers[1], NOBODYS):
            wrong.append((entry, [answer.body for answer in answers]))
    assert wrong == []
    assert (
        await walk.describe_organization(world.outsider, foreign),
        await walk.describe_organization(world.sa, own),
    ) == before


@pytest.mark.parametrize("kind", ["user", "agent", "file"])
async def test_no_value_of_a_field_names_somebody_elsewhere(world: World, kind: str) -> None:
    own, _ = await create_both_organizations(world, world.sa, "bot")
    foreign, _ = await create_both_organizations(world, world.outsider, "spy")
    path = world.sa.org(f"/card-types/{own['card_type_id']}/fields")
    field = (await world.sa.post(path, {"name": "named", "kind": kind})).ok()
    value = {"fieldId": field["id"], "value": foreign[f"{kind}_id"]}
    (await world.sa.patch(f"/cards/{own['card_id']}", {"fieldValues": [value]})).invalid()
    preset = {"cardTypeId": own["card_type_id"], "presetName": "P", **value}
    (await world.sa.post("/preset-fields", preset)).invalid()


async def test_no_id_of_another_organization_in_a_query_is_told_from_one_of_nothing(world: World) -> None:
    own, agent = await create_both_organizations(world, world.sa, "bot")
    foreign, _ = await create_both_organizations(world, world.outsider, "spy")
    before = await walk.describe_organization(world.outsider, foreign)
    wrong, count = [], 0
    for route in walk.list_early_denials():
        for key in route.query.model_json_schema().get("properties", {}):
            if get_named_resource(key) is None:
                continue
            count += 1
            who, alien = agent if route.policy.scheme == API_KEY else world.sa, foreign[str(get_named_resource(key))]
            unknown = NOBODYS_CARD if get_named_resource(key) == "card_id" else NOBODYS
            answers = [await walk.send(who, route, own, params={key: value}) for value in (alien, unknown)]
            if told(answers[0], alien) != told(answers[1], unknown):
                wrong.append((walk.name(route), key, [(answer.status, answer.body) for answer in answers]))
    assert count >= 25
    assert wrong == []
    assert await walk.describe_organization(world.outsider, foreign) == before


REFERENCES = {
    "projectId": "project_id", "columnId": "column_id", "fromColumnId": "column_id", "toColumnId": "column_id",
    "cardTypeId": "card_type_id", "fieldId": "field_id", "cardId": "card_id", "fromCardId": "card_id",
    "toCardId": "card_id", "teamId": "team_id", "categoryId": "category_id", "promptId": "prompt_id",
    "currentVersionId": "version_id", "parentId": "comment_id", "assignedAgentId": "agent_id",
    "assignedUserId": "user_id",
}  # fmt: skip


async def test_no_snapshot_brings_anything_of_another_organization_into_this_one(world: World) -> None:
    """Every row takes the id of another's row in turn, and every reference leads to it."""
    await fill_organization(world)
    foreign, _ = await walk.create_one_of_each(world, world.outsider, "spy")
    snapshot, theirs = await snapshot_of(world.sa), remove_volatile_parts(await snapshot_of(world.outsider))
    mine, tried = remove_volatile_parts(snapshot), 0
    for group in [key for key, rows in mine.items() if isinstance(rows, list) and rows]:
        row = snapshot[group][0]
        wishes = [{"id": theirs[group][0]["id"]}] if theirs.get(group) and group != "agents" else []
        wishes += [{key: foreign[REFERENCES[key]]} for key in row if key in REFERENCES]
        for wish in wishes:
            answer = await send(world.sa, {**snapshot, group: [{**row, **wish}, *snapshot[group][1:]]})
            tried += 1
            after = remove_volatile_parts(await snapshot_of(world.outsider))
            assert after == theirs, (group, wish)
            if answer.status == 200:  # a reference that may be left out is left out
                assert [
                    value for value in wish.values() if value in str(remove_volatile_parts(await snapshot_of(world.sa)))
                ] == []
                (await send(world.sa, snapshot)).ok()
                mine = remove_volatile_parts(await snapshot_of(world.sa))
            else:
                refusal = answer.status, answer.body["error"]["code"]
                assert refusal in [(400, "InvalidSnapshotShape"), (409, "id_conflict")], (group, wish, answer.body)
                assert remove_volatile_parts(await snapshot_of(world.sa)) == mine, (group, wish)
    assert tried >= 40


def test_every_route_of_the_table_is_looked_through() -> None:
    assert {walk.name(route) for route, _ in in_bodies()} < {walk.name(route) for route in ROUTES}
