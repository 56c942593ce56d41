"""GET /organizations/{orgId}/events: what happens, as it happens."""

from ..streams import listening, position, types
from ..world import World


async def test_a_listener_hears_of_a_change_as_it_happens(world: World) -> None:
    board = await world.board()
    async with listening(world.sa) as listener:
        card = await world.card(board, by=world.member)
        event = await listener.event()
    assert event == {
        "id": event["id"],
        "type": "card.created",
        "cardId": card["id"],
        "projectId": board.id,
        "actor": {"type": "User", "id": world.member.id, "label": "Mo Member"},
        "at": card["createdAt"],
    }


async def test_a_refused_change_leaves_no_event(world: World) -> None:
    card = await world.card(await world.board())
    before = await position(world.sa)
    (await world.sa.patch(f"/cards/{card['id']}", {"assignedAgentId": "nobody"})).refused(400, "validation_failed")
    assert await types(world.sa, before) == []
    (await world.sa.patch(f"/cards/{card['id']}", {"title": "New"})).ok()
    assert await types(world.sa, before) == ["card.updated"]
