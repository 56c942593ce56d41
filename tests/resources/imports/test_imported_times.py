"""Times of a snapshot that lie in the future: what comes in happened before its import."""

from typing import Any

from service.config import Settings

from ...builders import database
from ...running import running
from ...snapshots import ACTOR, card, send, small
from ...world import SA, World

LAST = "9999-12-31T23:59:59.999Z"
ROW = {"cardId": "c1", "actor": ACTOR, "createdAt": LAST}
BOT = {"type": "Agent", "id": "bot"}
COLUMNS = {
    "organizations": ["created_at"],
    "cards": ["created_at", "updated_at", "archived_at"],
    "agents": ["created_at", "last_seen_at"],
    "comments": ["created_at"],
    "questions": ["created_at", "answered_at"],
    "history": ["created_at"],
    "projects": ["created_at"],
}


def future() -> dict[str, Any]:
    """Make a snapshot whose times are all the last that there is."""
    asks = {"state": "answered", "answerId": "m2", "answeredBy": ACTOR, "answeredAt": LAST}
    return small(
        organization={"id": "org_small", "title": "Small", "createdAt": LAST},
        projects=[{"id": "p1", "title": "P", "createdAt": LAST}],
        agents=[{"id": "bot", "title": "B", "status": "approved", "lastSeenAt": LAST, "createdAt": LAST}],
        cards=[card(createdAt=LAST, updatedAt=LAST, archivedAt=LAST, dueDate=LAST)],
        comments=[
            {**ROW, "id": "m1", "actor": BOT, "content": "Which?", "asks": asks},
            {**ROW, "id": "m2", "parentId": "m1", "content": "This"},
        ],
        history=[{**ROW, "id": "h1", "action": "updated", "changes": {"title": {"from": "A", "to": "C"}}}],
    )


async def test_no_imported_time_is_later_than_the_import(world: World) -> None:
    imported_at = (await send(world.sa, future())).ok()["importedAt"]
    with database(world) as connection:
        for table, columns in COLUMNS.items():
            for column in columns:
                where = f"SELECT {column} FROM {table} WHERE {'id' if table == 'organizations' else 'org_id'} = ?"
                found = [row[0] for row in connection.execute(where, ("org_small",))]
                assert found, table
                assert all(time <= imported_at for time in found), (table, column, found)
        assert connection.execute("SELECT due_date FROM cards WHERE id = 'c1'").fetchone() == (LAST,)


async def test_people_sign_in_as_usual_after_an_import_from_the_future_and_a_start(settings: Settings) -> None:
    async with running(settings) as world:
        (await send(world.sa, future())).ok()
    async with running(settings) as world:
        assert (await world.login(SA)).id == world.sa.id


async def test_an_organization_from_the_future_does_not_set_the_clock(settings: Settings) -> None:
    async with running(settings) as world:
        (await send(world.sa, small())).ok()
        with database(world) as connection:  # as earlier versions imported it
            connection.execute("UPDATE organizations SET created_at = ? WHERE id = 'org_small'", (LAST,))
    async with running(settings) as world:
        body = {"email": SA, "password": "correct horse"}
        assert (await world.nobody.post("/auth/login", body)).ok()["expiresAt"] < LAST
        (await world.sa.post(world.sa.org("/projects"), {"title": "New"})).ok()
