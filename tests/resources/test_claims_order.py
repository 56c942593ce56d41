"""Which card is the next one: found by an index, and always the one that a look at every card finds."""

import random
from typing import Any

import pytest

from service.database.queries import sql
from service.database.statement import Statement

from ..world import Board, Client, World

# Every free card is looked at and all of them are sorted: slow on a large board, and plain to see that it is right.
PLAINLY = Statement(
    "claims.plainly",
    """
    SELECT c.id
    FROM columns AS l
    JOIN projects AS p ON p.id = l.project_id AND p.archived_at IS NULL
    CROSS JOIN cards AS c ON c.column_id = l.id
    WHERE
        l.org_id = :org_id
        AND l.archived_at IS NULL
        AND l.agent_pickup_enabled = 1
        AND l.agent_can_moderate = 1
        AND l.column_type <> 'done'
        AND (:column_id IS NULL OR l.id = :column_id)
        AND (:project_id IS NULL OR l.project_id = :project_id)
        AND c.archived_at IS NULL
        AND (:card_type_id IS NULL OR c.card_type_id = :card_type_id)
        AND (c.assigned_agent_id = :agent_id OR (c.assigned_agent_id IS NULL AND c.assigned_user_id IS NULL))
        AND NOT EXISTS (SELECT 1 FROM claims AS k WHERE k.card_id = c.id AND k.expires_at > :now)
        AND NOT EXISTS (SELECT 1 FROM move_requests AS m WHERE m.card_id = c.id AND m.state = 'open')
        AND NOT EXISTS (SELECT 1 FROM questions AS q WHERE q.card_id = c.id AND q.state = 'open')
        AND NOT EXISTS (
            SELECT 1
            FROM relationships AS r
            JOIN cards AS b ON b.id = r.blocking_card_id
            JOIN columns AS d ON d.id = b.column_id
            WHERE r.blocked_card_id = c.id AND b.archived_at IS NULL AND d.column_type <> 'done'
        )
    ORDER BY
        NOT EXISTS (
            SELECT 1
            FROM questions AS q
            WHERE q.card_id = c.id AND q.agent_id = :agent_id AND q.state = 'answered' AND q.answer_seen = 0
        ),
        CASE c.priority
            WHEN 'urgent' THEN 0 WHEN 'high' THEN 1 WHEN 'medium' THEN 2 WHEN 'low' THEN 3
            ELSE 4
        END,
        c.due_date IS NULL,
        c.due_date,
        c.rank_key,
        c.id
    LIMIT 1
    """,
)
TITLES = ("Backlog", "Todo", "In Progress", "Review", "Done")
PRIORITIES = ("none", "low", "medium", "high", "urgent")
DUE = (None, None, "2026-12-01T00:00:00.000Z", "2026-12-02T00:00:00.000Z")


class Bustle:
    """People and agents who do anything to the cards of two boards, by the dice."""

    def __init__(self, world: World, boards: list[Board], agents: list[Client], seed: int) -> None:
        self.world, self.boards, self.agents = world, boards, agents
        self.dice = random.Random(seed)  # noqa: S311
        self.cards: list[str] = []
        self.other_type = ""

    def some(self) -> str:
        return self.dice.choice(self.cards)

    def wishes(self) -> dict[str, Any]:
        agent = self.dice.choice([None, None, *(agent.id for agent in self.agents)])
        person = self.dice.choice([None, None, None, self.world.member.id])
        chosen = {"priority": self.dice.choice(PRIORITIES), "dueDate": self.dice.choice(DUE)}
        return chosen | {"assignedAgentId": agent, "assignedUserId": person}

    async def add(self) -> None:
        wishes = self.wishes() | ({"cardTypeId": self.other_type} if self.dice.random() < 0.3 else {})
        card = await self.world.card(self.dice.choice(self.boards), self.dice.choice(TITLES), **wishes)
        self.cards.append(card["id"])

    async def edit(self) -> None:
        await self.world.sa.patch(f"/cards/{self.some()}", self.wishes())

    async def move(self) -> None:
        column = self.dice.choice(self.boards).columns[self.dice.choice(TITLES)]
        place = {"afterCardId": None} if self.dice.random() < 0.5 else {}
        await self.world.sa.patch(f"/cards/{self.some()}/status", {"toColumnId": column, **place})

    async def rank(self) -> None:
        await self.world.sa.patch(f"/cards/{self.some()}/rank", {"afterCardId": self.dice.choice([None, self.some()])})

    async def archive(self) -> None:
        card = self.some()
        await self.world.sa.call(*self.dice.choice([("DELETE", f"/cards/{card}"), ("POST", f"/cards/{card}/restore")]))

    async def relate(self) -> None:
        body = {"fromCardId": self.some(), "toCardId": self.some(), "kind": self.dice.choice(["blocks", "dependsOn"])}
        await self.world.sa.post(self.world.sa.org("/relationships"), body)

    async def claim(self) -> None:
        agent = self.dice.choice(self.agents)
        path = self.dice.choice([agent.org("/cards/claim/mcp"), f"/cards/{self.some()}/claim/mcp"])
        await agent.post(path, {"leaseSeconds": 30})

    async def request(self) -> None:
        column = self.dice.choice(self.boards).columns[self.dice.choice(TITLES)]
        await self.dice.choice(self.agents).post(f"/cards/{self.some()}/move-requests/mcp", {"toColumnId": column})

    async def decide(self) -> None:
        for row in await self.open("/move-requests"):
            await self.world.sa.post(f"/move-requests/{row['id']}/{self.dice.choice(['approve', 'reject'])}", {})

    async def ask(self) -> None:
        body = {"content": "What now?", "asks": True, "keepClaim": self.dice.random() < 0.5}
        await self.dice.choice(self.agents).post(f"/cards/{self.some()}/comments/mcp", body)

    async def answer(self) -> None:
        for row in await self.open("/questions"):
            path = f"/cards/{row['cardId']}/comments/{row['commentId']}"
            if self.dice.random() < 0.7:
                await self.world.sa.post(f"{path}/replies", {"content": "So."})
            else:
                asker = next(agent for agent in self.agents if agent.id == row["agentId"])
                await asker.delete(f"{path}/question/mcp")

    async def open(self, path: str) -> list[Any]:
        """Return what waits for a person."""
        found: list[Any] = (await self.world.sa.get(self.world.sa.org(path), params={"state": "open"})).ok()["items"]
        return found

    async def release(self) -> None:
        await self.dice.choice(self.agents).delete(f"/cards/{self.some()}/claim/mcp")

    async def pass_time(self) -> None:
        assert self.world.clock is not None
        self.world.clock.forward(seconds=20)

    async def open_column(self) -> None:
        title, board = self.dice.choice(TITLES), self.dice.choice(self.boards)
        flags = {"agentPickupEnabled": self.dice.random() < 0.7, "agentCanModerate": self.dice.random() < 0.7}
        await self.world.column(board, title, **flags)

    async def looked(self) -> tuple[str | None, str | None]:
        """Look for the next card of an agent both ways, with filters or without."""
        assert self.world.service is not None
        assert self.world.clock is not None
        board = self.dice.choice(self.boards)
        wanted = {
            "project_id": board.id,
            "column_id": board.columns[self.dice.choice(TITLES)],
            "card_type_id": self.dice.choice([board.card_type["id"], self.other_type]),
        }
        known = {key: value if self.dice.random() < 0.3 else None for key, value in wanted.items()}
        known |= {
            "org_id": self.world.sa.org_id,
            "now": self.world.clock(),
            "agent_id": self.dice.choice(self.agents).id,
        }
        return await self.world.service.store.read(
            lambda tx: (
                tx.value(sql.claims.find_best_answered, **known)
                or tx.value(sql.claims.find_best, reserved_since=known["now"], **known),
                tx.value(PLAINLY, **known),
            )
        )

    async def anything(self) -> None:
        often = [
            self.add,
            self.edit,
            self.edit,
            self.move,
            self.move,
            self.claim,
            self.claim,
            self.request,
            self.request,
        ]
        await self.dice.choice(
            [*often, self.rank, self.archive, self.relate, self.release, self.open_column, self.decide]
        )()
        if self.dice.random() < 0.1:
            await self.pass_time()


@pytest.mark.parametrize("seed", [1, 2])
async def test_the_next_card_is_the_one_that_a_look_at_every_card_finds(world: World, seed: int) -> None:
    boards = [await world.board(), await world.board(title="Second")]
    agents = [await world.agent("bot"), await world.agent("other")]
    bustle = Bustle(world, boards, agents, seed)
    bustle.other_type = (await world.sa.post(world.sa.org("/card-types"), {"title": "Bug"})).ok()["id"]
    for _ in range(15):
        await bustle.add()
    found = []
    found = set()
    for _ in range(120):
        await bustle.anything()
        best, plainly = await bustle.looked()
        assert best == plainly
        found.add(best)
    assert len(found) > 5
