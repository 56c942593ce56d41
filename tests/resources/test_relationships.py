"""Relations between cards: made, listed, removed, and in the history of both cards."""

from typing import Any

import pytest

from ..builders import permit
from ..refusals import LEFT_OUT, NUL, change_body, expect_hidden, expect_invalid, people_only
from ..world import World

ENDS = ("fromCardId", "toCardId", "fromCardKey", "toCardKey")
KINDS = ("blocks", "dependsOn", "partOf", "duplicates", "relatesTo")


async def _cards(world: World, count: int = 2) -> list[str]:
    board = await world.board()
    return [(await world.card(board, title=f"Card {number}"))["id"] for number in range(count)]


def _body(from_card: str, to_card: str, kind: str = "blocks", **more: Any) -> dict[str, Any]:
    return {"fromCardId": from_card, "toCardId": to_card, "kind": kind, **more}


async def _relate(world: World, from_card: str, to_card: str, kind: str = "blocks") -> Any:
    return (await world.sa.post(world.sa.org("/relationships"), _body(from_card, to_card, kind))).ok()


@pytest.mark.parametrize("kind", KINDS)
async def test_a_member_relates_two_cards_and_the_relation_is_listed(world: World, kind: str) -> None:
    one, two = await _cards(world)
    path = world.member.org("/relationships")
    made = (await world.member.post(path, _body(one, two, kind, comment="since Monday"))).ok()
    assert set(made) == {"id", *ENDS, "kind", "comment", "createdAt"}
    assert (made["fromCardKey"], made["toCardKey"]) == ("BOA-1", "BOA-2")
    assert made["id"].startswith("rel_")
    assert (made["fromCardId"], made["toCardId"], made["kind"]) == (one, two, kind)
    assert made["comment"] == "since Monday"
    assert (await world.sa.get(path)).ok() == [made]


async def test_a_relation_needs_no_comment(world: World) -> None:
    one, two = await _cards(world)
    assert (await _relate(world, one, two))["comment"] is None
    explicit = _body(two, one, "relatesTo", comment=None)
    assert (await world.sa.post(world.sa.org("/relationships"), explicit)).ok()["comment"] is None


async def test_making_and_removing_a_relation_is_in_the_history_of_both_cards(world: World) -> None:
    one, two = await _cards(world)
    made = (await world.member.post(world.member.org("/relationships"), _body(one, two))).ok()
    removed = await world.member.delete(world.member.org(f"/relationships/{made['id']}"))
    assert removed.status == 204
    assert removed.body is None
    for card in (one, two):
        rows = await world.history(card)
        assert [row["action"] for row in rows] == ["created", "related", "unrelated"]
        assert {row["actor"]["id"] for row in rows[1:]} == {world.member.id}
        assert made["id"] in str(rows[1]["changes"])
        assert made["id"] in str(rows[2]["changes"])
    assert (await world.sa.get(world.sa.org("/relationships"))).ok() == []
    (await world.sa.delete(world.sa.org(f"/relationships/{made['id']}"))).refused(404, "not_found")


async def test_the_same_relation_twice_is_a_conflict_and_writes_no_history(world: World) -> None:
    one, two = await _cards(world)
    made = await _relate(world, one, two, "dependsOn")
    answer = await world.sa.post(world.sa.org("/relationships"), _body(one, two, "dependsOn"))
    answer.refused(409, "relationship_exists")
    assert (await world.sa.get(world.sa.org("/relationships"))).ok() == [made]
    assert [row["action"] for row in await world.history(one)] == ["created", "related"]


async def test_another_kind_or_the_other_direction_is_another_relation(world: World) -> None:
    one, two = await _cards(world)
    made = [
        await _relate(world, one, two, "blocks"),
        await _relate(world, one, two, "duplicates"),
        await _relate(world, two, one, "duplicates"),
    ]
    assert (await world.sa.get(world.sa.org("/relationships"))).ok() == made


@pytest.mark.parametrize("kind", KINDS)
async def test_a_card_is_not_related_to_itself(world: World, kind: str) -> None:
    (card,) = await _cards(world, 1)
    expect_invalid(await world.sa.post(world.sa.org("/relationships"), _body(card, card, kind)), "toCardId")
    assert len(await world.history(card)) == 1


async def test_blocking_relations_cannot_form_a_cycle(world: World) -> None:
    one, two, three, four = await _cards(world, 4)
    middle = [await _relate(world, one, two), await _relate(world, two, three)][1]
    await _relate(world, two, four)
    for back in (_body(two, one), _body(three, one), _body(four, one), _body(three, two)):
        expect_invalid(await world.sa.post(world.sa.org("/relationships"), back), "toCardId")
    await _relate(world, three, four)  # a second way, but no circle
    (await world.sa.delete(world.sa.org(f"/relationships/{middle['id']}"))).ok()
    await _relate(world, three, one)  # the way back is open now


async def test_no_cycle_is_formed_across_the_blocking_kinds(world: World) -> None:
    one, two, three, four = await _cards(world, 4)
    # One holds back two, that three, and that four: each by a relation of another kind.
    await _relate(world, one, two, "blocks")
    await _relate(world, three, two, "dependsOn")
    await _relate(world, three, four, "partOf")
    closing = [(four, one, "blocks"), (one, four, "dependsOn"), (four, one, "partOf"), (two, one, "partOf")]
    for ends in [*closing, (three, two, "blocks"), (two, three, "dependsOn")]:
        expect_invalid(await world.sa.post(world.sa.org("/relationships"), _body(*ends)), "toCardId")
    for kind in ("duplicates", "relatesTo"):
        await _relate(world, four, one, kind)
    await _relate(world, four, one, "dependsOn")  # the same way round once more


async def test_a_card_is_part_of_one_card_at_most(world: World) -> None:
    one, two, three = await _cards(world, 3)
    made = await _relate(world, one, two, "partOf")
    answer = await world.sa.post(world.sa.org("/relationships"), _body(one, three, "partOf"))
    assert answer.refused(409, "relationship_exists") == {"id": made["id"]}
    await _relate(world, three, two, "partOf")
    (await world.sa.delete(world.sa.org(f"/relationships/{made['id']}"))).ok()
    await _relate(world, one, three, "partOf")


@pytest.mark.parametrize("kind", ["duplicates", "relatesTo"])
async def test_other_relations_may_form_a_cycle(world: World, kind: str) -> None:
    one, two = await _cards(world)
    await _relate(world, one, two, kind)
    await _relate(world, two, one, kind)


async def test_the_list_of_a_card_has_the_relations_from_it_and_to_it_oldest_first(world: World) -> None:
    one, two, three = await _cards(world, 3)
    from_it, to_it = await _relate(world, two, three), await _relate(world, one, two)
    other = await _relate(world, one, three, "relatesTo")
    path = world.member.org("/relationships")
    assert (await world.member.get(path)).ok() == [from_it, to_it, other]
    assert (await world.member.get(path, params={"cardId": two})).ok() == [from_it, to_it]
    assert (await world.member.get(path, params={"cardId": "card_none"})).ok() == []
    expect_invalid(await world.member.get(path, params={"card": two}), "card")


@pytest.mark.parametrize("end", ["fromCardId", "toCardId"])
async def test_both_ends_must_be_active_cards_of_the_organization(world: World, end: str) -> None:
    (here,) = await _cards(world, 1)
    foreign = (await world.card(await world.board(world.outsider), by=world.outsider))["id"]
    archived, board = await _cards(world, 1), await world.board()
    put_away = (await world.card(board))["id"]
    (await world.sa.delete(f"/cards/{archived[0]}")).ok()
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    for gone in (foreign, archived[0], put_away, "card_none", ""):
        body = {**_body(here, here), end: gone}
        expect_invalid(await world.sa.post(world.sa.org("/relationships"), body), end)
    assert (await world.sa.get(world.sa.org("/relationships"))).ok() == []


async def test_cards_of_two_projects_of_the_organization_can_be_related(world: World) -> None:
    (one,), (two,) = await _cards(world, 1), await _cards(world, 1)
    made = await _relate(world, one, two)
    assert (await world.sa.get(f"/cards/{two}")).ok()["blockedBy"] == [made["fromCardId"]]


async def test_a_card_removed_for_good_takes_its_relations_along(world: World) -> None:
    one, two, three = await _cards(world, 3)
    await _relate(world, one, two)
    kept = await _relate(world, two, three)
    (await world.sa.delete(f"/cards/{one}", params={"mode": "permanent"})).ok()
    assert (await world.sa.get(world.sa.org("/relationships"))).ok() == [kept]
    assert (await world.sa.get(f"/cards/{two}")).ok()["blockedBy"] == []


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"kind": LEFT_OUT}, "kind"),
        ({"kind": "likes"}, "kind"),
        ({"kind": None}, "kind"),
        ({"fromCardId": LEFT_OUT}, "fromCardId"),
        ({"fromCardId": 7}, "fromCardId"),
        ({"toCardId": LEFT_OUT}, "toCardId"),
        ({"toCardId": None}, "toCardId"),
        ({"comment": ["a"]}, "comment"),
        ({"comment": "x" * 100_001}, "comment"),
        ({"comment": NUL}, "comment"),
        ({"note": "x"}, "note"),
    ],
)
async def test_a_wrong_body_makes_no_relation(world: World, change: dict[str, Any], path: str) -> None:
    one, two = await _cards(world)
    expect_invalid(await world.sa.post(world.sa.org("/relationships"), change_body(_body(one, two), change)), path)
    assert (await world.sa.get(world.sa.org("/relationships"))).ok() == []


async def test_relations_are_for_people_of_the_organization(world: World) -> None:
    one, two = await _cards(world)
    made = await _relate(world, one, two)
    base = world.sa.org("/relationships")
    routes = [
        ("GET", base, None),
        ("POST", base, _body(two, one, "relatesTo")),
        ("DELETE", f"{base}/{made['id']}", None),
    ]
    for method, path, body in routes:
        await people_only(world, method, path, body)
        await expect_hidden(world, method, path, body)
    (await world.outsider.delete(world.outsider.org(f"/relationships/{made['id']}"))).refused(404, "not_found")
    assert (await world.sa.get(base)).ok() == [made]


async def test_a_member_relates_only_as_the_permission_row_says(world: World) -> None:
    one, two = await _cards(world)
    made, path = await _relate(world, one, two), world.member.org("/relationships")
    await permit(world, "Member", "Relationship", "read")
    assert (await world.member.get(path)).ok() == [made]
    refusal = (await world.member.post(path, _body(two, one, "relatesTo"))).refused(403, "permission_denied")
    assert refusal == {"resource": "Relationship", "action": "create"}
    (await world.member.delete(f"{path}/{made['id']}")).refused(403, "permission_denied")
    await permit(world, "Member", "Relationship")
    (await world.member.get(path)).refused(403, "permission_denied")
