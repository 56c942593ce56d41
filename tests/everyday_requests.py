"""What people and agents do all day with a card, as requests that a test or a bench sends."""

import itertools
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from . import forms, full_cards
from .world import Client, World

SERIAL = itertools.count(1)
VIEW = "place,moves,comments,history,relations,files,request"
TASKS = "- [ ] call\n- [ ] write\n"


@dataclass(frozen=True)
class Request:
    """One request; the body is JSON, or a form that is already encoded."""

    who: Client
    method: str
    path: str
    json: Any = None
    form: bytes | None = None


Exchange = Generator[Request, Any, None]  # yields requests and receives the bodies of the responses


@dataclass(frozen=True)
class Scene:
    """A card with everything that the requests need, and who sends them."""

    sa: Client
    agent: Client
    rows: full_cards.Place
    columns: dict[str, str]
    fields: dict[str, str]
    other_card_id: str
    comment_id: str

    @property
    def card(self) -> str:
        """Return the path of the card."""
        return f"/cards/{self.rows.card_id}"

    def get(self, path: str) -> Request:
        """Read as the SA."""
        return Request(self.sa, "GET", path)

    def edit(self, **changes: Any) -> Request:
        """Change the card."""
        return Request(self.sa, "PATCH", self.card, changes)

    def set(self, field: str, value: Any) -> Request:
        """Set the value of a field."""
        return self.edit(fieldValues=[{"fieldId": self.fields[field], "value": value}])


async def prepare(world: World, architect: Client, agent: Client, title: str) -> Scene:
    """Make a board with a card type of its own and a fresh card on it, and another board with a card that is done."""
    board, other = await world.board(architect, title), await world.board(architect, f"Beside {title}")
    body = {"title": title, "projectId": board.id}
    card_type = (await architect.post(architect.org("/card-types"), body)).ok()
    fields: dict[str, str] = {}
    path = architect.org(f"/card-types/{card_type['id']}/fields")
    for name, kind in (("description", "richtext"), ("labels", "multiselect"), ("note", "text"), ("files", "file")):
        wishes = {"name": name, "kind": kind, "multiple": kind == "file"}
        fields[name] = (await architect.post(path, wishes)).ok()["id"]
    todo = architect.org(f"/columns/{board.columns['Todo']}")
    (await architect.patch(todo, {"agentPickupEnabled": True, "agentCanModerate": True})).ok()
    neighbour = await world.card(other, "Done", by=architect)
    board.card_type = card_type
    card = await world.card(board, by=architect, title="A card of every day")
    comment = (await architect.post(f"/cards/{card['id']}/comments", {"content": "The first word"})).ok()
    place = {"other_column_id": other.columns["Done"], "other_card_type_id": other.card_type["id"]}
    ids = {"column_id": board.columns["Todo"], "card_type_id": card_type["id"], "card_id": card["id"]}
    rows = full_cards.Place(architect.org_id, board.id, **ids, other_project_id=other.id, **place)
    return Scene(architect, agent, rows, board.columns, fields, neighbour["id"], comment["id"])


async def found_organization(world: World, title: str) -> tuple[Client, Client]:
    """Make another organization of the SA; return the SA in it, and an agent."""
    org = (await world.sa.post("/organizations", {"title": title})).ok()
    token = (await world.sa.post("/auth/switch", {"orgId": org["id"]})).ok()["token"]
    architect = world.client({"Authorization": f"Bearer {token}"}, id=world.sa.id, org_id=org["id"])
    return architect, await world.agent("bot", architect)


def _tick(scene: Scene) -> Exchange:
    is_done = next(SERIAL) % 2 == 0
    body = {"fieldId": scene.fields["description"], "item": 0, "text": "call", "done": is_done}
    yield Request(scene.sa, "PATCH", f"{scene.card}/checklist", body)


def _move(scene: Scene) -> Exchange:
    for title in ("In Progress", "Todo"):
        yield Request(scene.sa, "PATCH", f"{scene.card}/status", {"toColumnId": scene.columns[title]})


def _relate(scene: Scene) -> Exchange:
    path = scene.sa.org("/relationships")
    body = {"kind": "relatesTo", "fromCardId": scene.other_card_id, "toCardId": scene.rows.card_id}
    relation = yield Request(scene.sa, "POST", path, body)
    yield Request(scene.sa, "DELETE", f"{path}/{relation['id']}")


def _attach(scene: Scene) -> Exchange:
    form = forms.target({"id": scene.rows.card_id}, scene.fields["files"]) + forms.blob(b"x") + forms.END
    file = yield Request(scene.sa, "POST", "/files", form=form)
    yield Request(scene.sa, "DELETE", f"/files/{file['id']}")


def _claim(scene: Scene) -> Exchange:
    yield Request(scene.agent, "POST", f"{scene.card}/claim/mcp", {})
    yield Request(scene.agent, "DELETE", f"{scene.card}/claim/mcp")


def _claim_next(scene: Scene) -> Exchange:
    path = scene.agent.org("/cards/claim/mcp")
    card = yield Request(scene.agent, "POST", path, {"projectId": scene.rows.project_id})
    yield Request(scene.agent, "DELETE", f"/cards/{card['id']}/claim/mcp")


def _watch(scene: Scene) -> Exchange:
    for method in ("DELETE", "PUT"):
        yield Request(scene.sa, method, f"{scene.card}/watch")


def _archive(scene: Scene) -> Exchange:
    yield Request(scene.sa, "DELETE", scene.card)
    yield Request(scene.sa, "POST", f"{scene.card}/restore")


def _create(scene: Scene) -> Exchange:
    place = {"projectId": scene.rows.project_id, "columnId": scene.columns["Done"]}
    body = {**place, "cardTypeId": scene.rows.card_type_id, "title": f"Another card {next(SERIAL)}"}
    card = yield Request(scene.sa, "POST", scene.sa.org("/cards"), body)
    yield Request(scene.sa, "DELETE", f"/cards/{card['id']}?mode=permanent")


def _one(make: Callable[[Scene], Request]) -> Callable[[Scene], Exchange]:
    def exchange(scene: Scene) -> Exchange:
        yield make(scene)

    return exchange


def _post(path: str, by_agent: bool = False) -> Callable[[Scene], Exchange]:
    """Say something at a path of the card."""

    def make(scene: Scene) -> Request:
        who = scene.agent if by_agent else scene.sa
        return Request(who, "POST", scene.card + path.format(scene.comment_id), {"content": f"Word {next(SERIAL)}"})

    return _one(make)


def _card(path: str) -> Callable[[Scene], Exchange]:
    return _one(lambda scene: scene.get(scene.card + path.format(scene.comment_id)))


def _org(path: str) -> Callable[[Scene], Exchange]:
    return _one(lambda scene: scene.get(scene.sa.org(path.format(scene.rows.project_id))))


def change_beside(scene: Scene) -> Exchange:
    """Change something that nobody asks for, so that no response of before is valid any more."""
    title = {"title": f"Beside {next(SERIAL)}"}
    yield Request(scene.sa, "PATCH", scene.sa.org(f"/projects/{scene.rows.other_project_id}"), title)


READS: dict[str, Callable[[Scene], Exchange]] = {
    "GET card": _card(""),
    "GET card, all of it": _card(f"?include={VIEW}"),
    "context": _card("/context"),
    "comments": _card("/comments?order=desc"),
    "replies": _card("/comments/{}/replies"),
    "history": _card("/history?order=desc&pageSize=20"),
    "moves": _card("/moves"),
    "board": _org("/board-flow?projectId={}"),
    "list": _org("/cards?projectId={}&pageSize=20"),
    "search": _org("/search?q=first"),
    "search, two words": _org("/search?q=first%20every"),
    "catch-up": _org("/catch-up?limit=20"),
    "attention": _org("/attention"),
    "my cards": _one(lambda scene: scene.get("/me/cards")),
    "inbox": _one(lambda scene: Request(scene.agent, "GET", scene.agent.org("/inbox/mcp?limit=5&since=1h"))),
}
WRITES: dict[str, Callable[[Scene], Exchange]] = {
    "title": _one(lambda scene: scene.edit(title=f"A card of every day {next(SERIAL)}")),
    "description": _one(lambda scene: scene.set("description", f"{TASKS}And {next(SERIAL)} more.")),
    "label": _one(lambda scene: scene.set("labels", [f"Label {next(SERIAL)}"])),
    "tick": _tick,
    "move, and back": _move,
    "comment": _post("/comments"),
    "reply": _post("/comments/{}/replies"),
    "comment of an agent": _post("/comments/mcp", by_agent=True),
    "relate, unrelate": _relate,
    "attach, delete a file": _attach,
    "claim, release": _claim,
    "claim_next, release": _claim_next,
    "unwatch, watch": _watch,
    "archive, restore": _archive,
    "create, delete": _create,
}
