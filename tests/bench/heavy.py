"""Loads of the bench `fair` whose single requests are as dear as the service lets them be, of one caller or of many."""

import itertools
import json
from dataclasses import dataclass
from typing import Any

from ..world import Board, Client
from . import scene, wrk

PARTS, MANY_PARTS, LARGE_PART, LARGE_TEXT, ITEMS = 50, 3000, 90_000, 99_000, 12_300
SPLIT_INTO = 50
PAGE = "/search?pageSize=100&q="
BEGINNINGS = "+".join(f"{first}{second}" for first in "tewnmo" for second in "etxohirum")  # of very many words
LATIN, CHINESE = "word", "看板卡片移動代理人員漢字測試"
# Each request has the credential of the next caller; the first one is never sent (see wrk.py).
CALLERS = """
local credentials, asked, place = %s, request, -2
function request()
  place = place + 1
  wrk.headers["Authorization"] = credentials[math.max(place, 0) %% #credentials + 1]
  return asked()
end
"""


def words(characters: int, first: int) -> str:
    """Return a text of different words."""
    return " ".join(f"{LATIN}{first + number}" for number in range(characters // 8))[:characters]


def callers(clients: list[Client]) -> str:
    """Return the end of a script that sends the requests of several callers in turn."""
    credentials = ", ".join(json.dumps(client.headers["Authorization"]) for client in clients)
    return CALLERS % f"{{{credentials}}}"


@dataclass
class Heavy:
    """Cards that make requests dear, in the organization that sends the load."""

    sa: Client
    line: scene.Line
    board: Board
    other_board: Board

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Send one request as the SA."""
        return self.line.ask(self.sa, method, path, body)

    def card(self, **values: str) -> str:
        """Create a card; each value in a request of its own, because a body has at most 1 MiB."""
        body = {"projectId": self.board.id, "cardTypeId": self.board.card_type["id"], "title": "Card"}
        card_id: str = self.ask("POST", self.sa.org("/cards"), body)["id"]
        for name, value in values.items():
            values_of_one = [{"fieldId": self.board.field(name), "value": value}]
            self.ask("PATCH", f"/cards/{card_id}", {"fieldValues": values_of_one})
        return card_id

    def split(self, card_id: str, count: int, text: str = "") -> None:
        """Give a card parts."""
        values = [{"fieldId": self.board.field("description"), "value": text}] if text else []
        at_once = 10 if text else 50
        for _ in range(count // at_once):
            self.ask("POST", f"/cards/{card_id}/split", {"parts": [{"title": "Part", "fieldValues": values}] * at_once})

    def requests(self) -> dict[str, list[wrk.Request]]:
        """Return the requests of each load of one caller."""
        many, huge = self.card(), self.card()
        self.split(many, PARTS, words(LARGE_PART, 0))
        self.split(huge, MANY_PARTS)
        description = self.board.field("description")
        ticked = self.card(description="\n".join(["- [ ] a"] * ITEMS))
        ticks = [{"fieldId": description, "item": 5, "text": "a", "done": done} for done in (True, False)]
        boards = itertools.cycle([self.other_board, self.board])
        transfers = [{"projectId": next(boards).id, "withParts": True} for _ in range(2)]
        parts = [{"title": f"Part {number}"} for number in range(SPLIT_INTO)]
        comment = {"content": words(19_900, 0)}
        return {
            f"duplicate, {PARTS} parts of 90 KB": self._of(many, "POST", "/duplicate", {"withParts": True}),
            f"transfer, {PARTS} parts of 90 KB": self._of(many, "POST", "/transfer", *transfers),
            f"split into {SPLIT_INTO}": self._of(self.card(), "POST", "/split", {"parts": parts}),
            f"tick in {ITEMS:,} items": self._of(ticked, "PATCH", "/checklist", *ticks),
            "title, 2 texts of 99,000": self._titles(words(LARGE_TEXT, 0)),
            "title, 2 Chinese texts of 99,000": self._titles((CHINESE * LARGE_TEXT)[:LARGE_TEXT]),
            f"20 KB comment, {MANY_PARTS:,} parts": self._of(huge, "POST", "/comments", comment),
            f"watch, {MANY_PARTS:,} parts": [
                (method, f"/api/v1/cards/{huge}/watch", "") for method in ("PUT", "DELETE")
            ],
        }

    def _titles(self, text: str) -> list[wrk.Request]:
        card_id = self.card(description=text, acceptance_criteria=text)
        return self._of(card_id, "PATCH", "", *({"title": f"Title {number}"} for number in range(100)))

    def _of(self, card_id: str, method: str, path: str, *bodies: Any) -> list[wrk.Request]:
        return [(method, f"/api/v1/cards/{card_id}{path}", json.dumps(body)) for body in bodies]


def searches(accounts: list[Client]) -> list[wrk.Request]:
    """Return a search for very many words in the organization of each account."""
    return [("GET", "/api/v1" + account.org(PAGE + BEGINNINGS), "") for account in accounts]
