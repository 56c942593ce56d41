"""The search index holds exactly what the cards say, whatever happened to them."""

import json
import random
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from service.database import migrate
from service.database.migrate import MigrationError
from service.resources.search import card_texts
from service.resources.search.scripts import join_scripts
from service.text.comparison import fold_text

from ...builders import database
from ...world import Board, World

Texts = tuple[str, dict[str, str], list[str]]


def held(connection: sqlite3.Connection) -> dict[str, Texts]:
    """Return what the index holds, by card: title, texts of fields by their ids, texts of comments."""
    rows = connection.execute(
        "SELECT s.card_id, t.title, t.sources, t.fields, t.comments FROM search_texts AS t"
        " LEFT JOIN search_cards AS s ON s.number = t.rowid AND s.parts = 0"
    ).fetchall()
    rows += connection.execute(
        "SELECT s.card_id, p.title, p.sources, p.fields, p.comments FROM search_parts AS p"
        " LEFT JOIN search_cards AS s ON s.number = p.rowid >> 18 AND s.parts > p.rowid & (1 << 18) - 1"
        " ORDER BY p.rowid"
    ).fetchall()
    cards: dict[str, Texts] = {}
    for card_id, title, sources, fields, comments in rows:
        known_title, values, said_before = cards.get(card_id, ("", {}, []))
        assert not (title and known_title)
        ids = json.loads(sources)
        new_values = dict(zip(ids["fields"], _split(fields), strict=True))
        assert new_values.keys().isdisjoint(values)
        assert len(ids["comments"]) == len(_split(comments))
        cards[card_id] = (title or known_title, values | new_values, said_before + _split(comments))
    return cards


def _split(texts: str) -> list[str]:
    return join_scripts(texts).split(card_texts.TEXT_SEPARATOR) if texts else []


def _fold(text: str) -> str:
    return fold_text(card_texts.replace_markers(text))


def said(connection: sqlite3.Connection) -> dict[str, Texts]:
    """Return what the cards say, worked out anew."""
    kinds = dict(connection.execute("SELECT id, kind FROM fields"))
    cards: dict[str, Texts] = {}
    for card_id, title in connection.execute("SELECT id, title FROM cards"):
        values = connection.execute("SELECT field_id, value FROM field_values WHERE card_id = ?", (card_id,))
        texts = {key: json.loads(value) for key, value in values if kinds[key] in ("text", "multiselect")}
        joined = {key: ", ".join(text) if isinstance(text, list) else text for key, text in texts.items()}
        comments = connection.execute(
            "SELECT content FROM comments WHERE card_id = ? ORDER BY created_at, id", (card_id,)
        )
        folded = {key: _fold(text) for key, text in joined.items()}
        cards[card_id] = (_fold(title), folded, [_fold(row[0]) for row in comments])
    return cards


async def proved(world: World) -> int:
    """See that the index is sound and holds what the cards say, and nothing else; count the cards."""
    with database(world) as connection:
        connection.execute("INSERT INTO search_texts (search_texts, rank) VALUES ('integrity-check', 1)")
        connection.execute("INSERT INTO search_parts (search_parts, rank) VALUES ('integrity-check', 1)")
        expected = said(connection)
        assert held(connection) == expected
        assert connection.execute("SELECT count(*) FROM search_pending").fetchone() == (0,)
        connection.execute("INSERT INTO search_titles (search_titles, rank) VALUES ('integrity-check', 1)")
        titles = connection.execute(
            "SELECT s.card_id, t.title FROM search_titles AS t LEFT JOIN search_cards AS s ON s.number = t.rowid"
        )
        assert sorted(titles) == sorted((card, fold_text(title)) for card, (title, *_) in expected.items())
        assert dict(connection.execute("SELECT card_id, active FROM search_cards")) == dict(
            connection.execute(
                "SELECT c.id, c.archived_at IS NULL AND p.archived_at IS NULL"
                " FROM cards AS c JOIN projects AS p ON p.id = c.project_id"
            )
        )
    return len(expected)


class Worker:
    """Does something to some card, as chance has it."""

    def __init__(self, world: World, board: Board, notes: str, seed: int) -> None:
        self.world, self.board, self.notes = world, board, notes
        self.chance = random.Random(seed)  # noqa: S311
        self.cards: list[str] = []
        self.archived: set[str] = set()

    def text(self) -> str:
        return " ".join(self.chance.choices(["ash", "birch", "cedar", "düne", "🧭", "<i>", '"', "\ue005"], k=5))

    def values(self) -> list[dict[str, Any]]:
        tags = {"fieldId": self.board.field("tags"), "value": self.chance.choice([["ash"], ["birch", "cedar"], []])}
        return [tags, {"fieldId": self.notes, "value": self.chance.choice([self.text(), None])}]

    async def step(self) -> None:
        """Take one step."""
        sa = self.world.sa
        kind = self.chance.choice(["create", "edit", "comment", "comment", "archive", "restore", "remove", "move"])
        free = [card for card in self.cards if card not in self.archived]
        if kind == "create" or not free:
            card = await self.world.card(self.board, title=self.text(), fieldValues=self.values())
            self.cards.append(card["id"])
        elif kind == "restore" and self.archived:
            (await sa.post(f"/cards/{self.archived.pop()}/restore")).ok()
        elif kind == "remove" and len(self.cards) > 3:
            gone = self.chance.choice(self.cards)
            self.cards.remove(gone)
            self.archived.discard(gone)
            (await sa.delete(f"/cards/{gone}", params={"mode": "permanent"})).ok()
        else:
            await self._change(kind, self.chance.choice(free))

    async def _change(self, kind: str, card_id: str) -> None:
        sa = self.world.sa
        if kind == "edit":
            body = {"title": self.text(), "fieldValues": self.values()}
            (await sa.patch(f"/cards/{card_id}", body)).ok()
        elif kind == "archive":
            self.archived.add(card_id)
            (await sa.delete(f"/cards/{card_id}")).ok()
        elif kind == "move":
            await sa.patch(f"/cards/{card_id}/status", {"toColumnId": self.board.columns["In Progress"]})
        else:
            (await sa.post(f"/cards/{card_id}/comments", {"content": self.text()})).ok()


@pytest.mark.parametrize("characters", [card_texts.ROW_CHARACTERS_MAX, 250])  # with 250 most cards are large
@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_the_index_equals_the_contents_after_anything_that_may_happen(
    world: World, seed: int, characters: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(card_texts, "ROW_CHARACTERS_MAX", characters)
    board = await world.board()
    worker = Worker(world, board, await world.field(board, "notes"), seed)
    for _ in range(4):
        for _ in range(25):
            await worker.step()
        await proved(world)
    exported = (await world.sa.get("/admin/export")).ok()
    for _ in range(25):
        await worker.step()
    (await world.sa.post("/admin/import", exported)).ok()  # brings back what was removed and changed since
    assert await proved(world) >= len(exported["cards"])
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    await proved(world)
    (await world.sa.delete(f"/archive/project/{board.id}")).ok()
    assert await proved(world) == 0
    with database(world) as connection:
        indexes = ("search_texts", "search_parts", "search_titles")
        names = [name + part for name in indexes for part in ("", "_content")]
        for table in [*names, "search_values", "search_cards"]:
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


async def test_an_imported_organization_is_found(world: World) -> None:
    board = await world.board()
    card = await world.card(board, title="Marmalade")
    (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "with ginger"})).ok()
    exported = (await world.sa.get("/admin/export")).ok()
    text = json.dumps(exported)
    for old in {row["id"] for rows in exported.values() if isinstance(rows, list) for row in rows if "id" in row}:
        text = text.replace(f'"{old}"', f'"copy.{old}"')
    text = text.replace(f'"{world.sa.org_id}"', '"org_copy"')
    (await world.sa.post("/admin/import", json.loads(text))).ok()
    answer = (await world.sa.get("/organizations/org_copy/search", params={"q": "marmalade ginger"})).ok()
    assert [item["cardId"] for item in answer["items"]] == [f"copy.{card['id']}"]
    await proved(world)


async def test_a_move_does_not_reindex_the_card(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    await proved(world)
    (await world.sa.patch(f"/cards/{card['id']}/status", {"toColumnId": board.columns["In Progress"]})).ok()
    (await world.sa.patch(f"/cards/{card['id']}", {"priority": "high"})).ok()
    with database(world) as connection:
        assert connection.execute("SELECT count(*) FROM search_pending").fetchone() == (0,)


def test_the_migrations_queue_every_existing_card_for_indexing(tmp_path: Path) -> None:
    old, path = tmp_path / "migrations", tmp_path / "service.db"
    old.mkdir()
    for file in migrate.migrations():
        if "search" not in file.name:
            shutil.copy(file, old)
        else:
            break
    migrate.migrate(path, old)
    with sqlite3.connect(path) as connection:
        connection.execute(
            "INSERT INTO cards (id, org_id, project_id, column_id, card_type_id, title, priority, rank_key, version,"
            " created_by, created_at, updated_at) VALUES ('c', 'o', 'p', 'l', 't', 'T', 'none', 1, 1, '{}', '', '')"
        )
    migrate.migrate(path)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT org_id, card_id FROM search_backlog").fetchall() == [("o", "c")]


def test_without_full_text_search_the_service_says_so_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate, "FULL_TEXT", "fts99")
    with pytest.raises(MigrationError, match=r"^SQLite [\d.]+ of this Python has no fts99; use a Python .+$"):
        migrate.migrate(tmp_path / "service.db")
