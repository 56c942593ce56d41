"""GET …/field-values: the values that cards have in fields by which they are filtered."""

from typing import Any

from ..builders import permit
from ..world import Client, World


async def _read(caller: Client) -> Any:
    return (await caller.get(caller.org("/field-values"))).ok()


async def test_values_of_shown_fields_of_cards_are_listed_those_of_most_cards_first(world: World) -> None:
    board, theirs = await world.board(), await world.board(world.outsider)
    bug = (await world.sa.post(world.sa.org("/card-types"), {"title": "Bug"})).ok()
    fields = world.sa.org(f"/card-types/{bug['id']}/fields")
    severity = {"name": "severity", "kind": "select", "options": ["Low", "High", "Never"]}
    select = (await world.sa.post(fields, {**severity, "showOnCard": True})).ok()["id"]
    hidden = (await world.sa.post(fields, {"name": "hidden", "kind": "multiselect"})).ok()["id"]
    notes = (await world.sa.post(fields, {"name": "notes", "kind": "text", "showOnCard": True})).ok()["id"]
    shown = {"checkbox": "true", "user": world.member.id, "agent": (await world.agent()).id}
    chosen = {await world.field(board, kind, kind, showOnCard=True): value for kind, value in shown.items()}
    tags = board.field("tags")
    assert await _read(world.member) == []
    for labels in (["ui", "bug"], ["bug"], ["two words", "bug, late"]):
        await world.card(board, fieldValues=[{"fieldId": tags, "value": labels}])
    await world.card(board, fieldValues=[{"fieldId": field, "value": value} for field, value in chosen.items()])
    values = [(select, "High"), (hidden, ["x"]), (notes, "text")]
    await world.card(board, cardTypeId=bug["id"], fieldValues=[{"fieldId": one, "value": two} for one, two in values])
    (await world.sa.patch(f"{fields}/{select}", {"options": ["Low"]})).ok()  # cards keep what they have
    foreign = [{"fieldId": theirs.field("tags"), "value": ["secret"]}]
    await world.card(theirs, by=world.outsider, fieldValues=foreign)
    expected = {tags: ["bug", "bug, late", "two words", "ui"], select: ["High"]}
    expected |= {field: [value] for field, value in chosen.items()}
    assert {row["fieldId"]: row["values"] for row in await _read(world.member)} == expected
    assert [row["values"] for row in await _read(world.outsider)] == [["secret"]]
    for card in (await world.sa.get(world.sa.org("/cards"), params={"cardTypeId": bug["id"]})).ok()["items"]:
        (await world.sa.delete(f"/cards/{card['id']}")).ok()
    (await world.sa.delete(world.sa.org(f"/card-types/{bug['id']}"))).ok()
    assert {row["fieldId"] for row in await _read(world.member)} == {tags, *chosen}


async def test_at_most_200_values_of_a_field_are_listed(world: World) -> None:
    board = await world.board()
    labels = [f"label {number:03}" for number in range(200)]
    for value in (labels, ["often"], ["often"]):
        await world.card(board, fieldValues=[{"fieldId": board.field("tags"), "value": value}])
    assert [row["values"] for row in await _read(world.sa)] == [["often", *labels[:199]]]


async def test_who_may_read_the_values(world: World) -> None:
    (await world.nobody.get(world.sa.org("/field-values"))).refused(401, "unauthorized")
    (await world.outsider.get(world.sa.org("/field-values"))).refused(404, "not_found")
    await permit(world, "Member", "Card", "update")
    (await world.member.get(world.member.org("/field-values"))).refused(403, "permission_denied")
