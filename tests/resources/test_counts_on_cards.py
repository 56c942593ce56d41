"""Triggers keep what is counted of a card, and which cards block others: always the same as counting anew."""

import random
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from service.database.migrate import migrate

from .. import old_schemas
from ..builders import database
from ..forms import upload
from ..world import Board, World

# What is counted of a card is shown by answers; of the rest, tests of their routes say what it must be.
COUNTED = """
SELECT
    c.id,
    (SELECT count(*) FROM comments AS m WHERE m.card_id = c.id AND m.parent_id IS NULL) AS comment_count,
    (SELECT count(*) FROM comments AS m WHERE m.card_id = c.id AND m.parent_id IS NOT NULL) AS reply_count,
    (SELECT count(*) FROM history AS h WHERE h.card_id = c.id) AS history_count,
    (SELECT count(*) FROM files AS f WHERE f.card_id = c.id) AS file_count,
    (
        SELECT count(*)
        FROM relationships AS r
        JOIN cards AS part ON part.id = r.from_card_id
        WHERE r.to_card_id = c.id AND r.kind = 'partOf' AND part.archived_at IS NULL
    ) AS part_count,
    (
        SELECT count(*)
        FROM relationships AS r
        JOIN cards AS part ON part.id = r.from_card_id
        JOIN columns AS col ON col.id = part.column_id
        WHERE r.to_card_id = c.id AND r.kind = 'partOf' AND part.archived_at IS NULL AND col.column_type = 'done'
    ) AS done_part_count
FROM cards AS c
ORDER BY c.id
"""
STORED = """
SELECT id, comment_count, reply_count, history_count, file_count, part_count, done_part_count
FROM cards
ORDER BY id
"""
BLOCKERS_NOW = """
SELECT r.id, EXISTS (
    SELECT 1
    FROM cards AS b
    JOIN columns AS col ON col.id = b.column_id
    WHERE b.id = r.blocking_card_id AND b.archived_at IS NULL AND col.column_type <> 'done'
)
FROM relationships AS r
ORDER BY r.id
"""
FILES_NOW = """
SELECT id, (SELECT coalesce(sum(size_bytes), 0) FROM files WHERE org_id = organizations.id)
FROM organizations
ORDER BY id
"""
REPLIES_NOW = "SELECT id, (SELECT count(*) FROM comments AS m WHERE m.parent_id = c.id) FROM comments AS c ORDER BY id"


def require_equal_counts(connection: sqlite3.Connection) -> None:
    """Compare what is stored with what is counted."""
    for stored, counted in (
        (STORED, COUNTED),
        ("SELECT id, is_open FROM relationships ORDER BY id", BLOCKERS_NOW),
        ("SELECT id, reply_count FROM comments ORDER BY id", REPLIES_NOW),
        ("SELECT id, file_bytes FROM organizations ORDER BY id", FILES_NOW),
    ):
        assert connection.execute(stored).fetchall() == connection.execute(counted).fetchall()


class Worker:
    """Does something to some card, as chance has it; a refusal is an answer, too."""

    def __init__(self, world: World, board: Board, seed: int) -> None:
        self.world, self.board = world, board
        self.chance = random.Random(seed)  # noqa: S311
        self.cards: list[dict[str, Any]] = []
        self.relations: list[str] = []

    async def step(self) -> None:
        """Take one step."""
        steps = [self.create, self.relate, self.part, self.part, self.restore, self.restore, self.file]
        await self.chance.choice(steps + self.changes() if len(self.cards) > 4 else [self.create])()

    def changes(self) -> list[Callable[[], Awaitable[None]]]:
        """Return the steps that an import of an earlier state takes back."""
        return [self.unrelate, self.move, self.archive, self.remove, self.talk, self.column]

    def card(self) -> dict[str, Any]:
        return self.chance.choice(self.cards)

    async def create(self) -> None:
        column = self.chance.choice(["Todo", "In Progress", "Done"])
        self.cards.append(await self.world.card(self.board, column))

    async def part(self) -> None:
        answer = await self.world.sa.post(f"/cards/{self.card()['id']}/split", {"parts": [{"title": "Part"}]})
        if answer.status == 200:
            self.cards += answer.body["items"]

    async def relate(self) -> None:
        kind = self.chance.choice(["partOf", "partOf", "blocks", "dependsOn", "relatesTo"])
        body = {"kind": kind, "fromCardId": self.card()["id"], "toCardId": self.card()["id"]}
        answer = await self.world.sa.post(self.world.sa.org("/relationships"), body)
        self.relations += [answer.body["id"]] if answer.status == 200 else []

    async def unrelate(self) -> None:
        if self.relations:
            relation = self.relations.pop(self.chance.randrange(len(self.relations)))
            await self.world.sa.delete(self.world.sa.org(f"/relationships/{relation}"))

    async def move(self) -> None:
        column = self.board.columns[self.chance.choice(["Todo", "In Progress", "Done"])]
        await self.world.sa.patch(f"/cards/{self.card()['id']}/status", {"toColumnId": column})

    async def archive(self) -> None:
        await self.world.sa.delete(f"/cards/{self.card()['id']}")

    async def restore(self) -> None:
        for card in self.cards:
            await self.world.sa.post(f"/cards/{card['id']}/restore")

    async def remove(self) -> None:
        card = self.card()
        self.cards.remove(card)
        (await self.world.sa.delete(f"/cards/{card['id']}", params={"mode": "permanent"})).ok()

    async def talk(self) -> None:
        path = f"/cards/{self.card()['id']}/comments"
        comment = await self.world.member.post(path, {"content": "Hello"})
        if comment.status == 200:
            (await self.world.sa.post(f"{path}/{comment.body['id']}/replies", {"content": "Yes"})).ok()

    async def file(self) -> None:
        card = self.card()
        if not (await self.world.sa.get(f"/cards/{card['id']}")).ok()["archivedAt"]:
            file = await upload(self.world, card, self.board.field("attachments"), b"content")
            if self.chance.random() < 0.3:
                (await self.world.sa.delete(f"/files/{file['id']}")).ok()

    async def column(self) -> None:
        kind = self.chance.choice(["done", "standard"])
        await self.world.column(self.board, "In Progress", columnType=kind)


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_stored_counts_always_equal_counted_ones(world: World, seed: int) -> None:
    board = await world.board()
    for edge in (("Done", "Todo"), ("Done", "In Progress"), ("Todo", "Done")):
        if edge not in board.transitions:
            await world.edge(board, *edge)
    worker, parts = Worker(world, board, seed), [0, 0]
    for _ in range(12):
        for _ in range(12):
            await worker.step()
        with database(world) as connection:
            require_equal_counts(connection)
            counts = connection.execute("SELECT sum(done_part_count), sum(part_count - done_part_count) FROM cards")
            parts = [before + now for before, now in zip(parts, counts.fetchone(), strict=True)]
    assert all(parts), "chance made no parts that are done, or none that are not"
    exported = (await world.sa.get("/admin/export")).ok()
    for _ in range(5):
        for change in worker.changes():
            await change()
    (await world.sa.post("/admin/import", exported)).ok()  # brings back what was removed and changed since
    with database(world) as connection:
        require_equal_counts(connection)


def test_an_upgrade_counts_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    old_schemas.make(path, 59)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for number, (column, archived, kind) in enumerate(
            [
                ("col_1", None, "partOf"),
                ("col_2", None, "partOf"),
                ("col_2", "2026", "partOf"),
                ("col_1", None, "blocks"),
                ("col_2", None, "blocks"),
                ("col_1", "2026", "blocks"),
            ]
        ):
            card = (f"part_{number}", column, archived, number + 100)
            connection.execute(
                "INSERT INTO cards (id, org_id, project_id, column_id, card_type_id, title, priority, rank_key,"
                " version, created_by, created_at, updated_at, archived_at, number)"
                " VALUES (?, 'org_home', 'proj_1', ?, 'type_1', 'Part', 'none', 1, 1, '{}', '', '', ?, ?)",
                card,
            )
            connection.execute(
                "INSERT INTO relationships (id, org_id, from_card_id, to_card_id, kind, created_at)"
                " VALUES (?, 'org_home', ?, 'card_1', ?, '')",
                (f"rel_more_{number}", f"part_{number}", kind),
            )
    migrate(path)
    with closing(sqlite3.connect(path)) as connection:
        require_equal_counts(connection)
        counts = connection.execute("SELECT * FROM (" + STORED + ") WHERE id = 'card_1'").fetchone()
        assert counts == ("card_1", 1, 1, 2, 1, 2, 1)
        assert connection.execute("SELECT count(*) FROM relationships WHERE is_open").fetchone() == (2,)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_comments_stay_as_they_are_except_for_the_count_of_their_replies(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    old_schemas.make(path, 59)
    migrate(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        rows = connection.execute("PRAGMA table_info(comments)")
        columns = [row[1] for row in rows if row[1] != "mentions"]  # can be filled in once: database/test_migrate.py
        for column in columns:
            statement = f"UPDATE comments SET {column} = {column} WHERE id = 'cmt_1'"
            if column == "reply_count":
                connection.execute(statement)
            else:
                with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                    connection.execute(statement)
