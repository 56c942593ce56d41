"""The people and agents of the tests, and short words for what they do all the time."""

import contextlib
import json as jsonlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import aiohttp

from service.auth.context import Service

from .clock import Clock

SECRET = "test-secret-of-at-least-thirty-two-bytes"
PASSWORD = "correct horse"
SA, MEMBER, OUTSIDER = "sa@example.test", "member@example.test", "outsider@example.test"
HOME, OTHER = "Home", "Other"


@dataclass
class Answer:
    """What came back from the service."""

    status: int
    body: Any
    headers: Any

    def ok(self) -> Any:
        """Return the body of a success; fail the test on anything else."""
        assert self.status in (200, 204), (self.status, self.body)
        return self.body

    def refused(self, status: int, code: str) -> dict[str, Any]:
        """Return the details of a refusal; fail the test if it is another one, or not in the envelope."""
        assert self.status == status, (self.status, self.body)
        error = self.body["error"]
        error = error["data"] if "jsonrpc" in self.body else error
        assert set(error) == {"code", "message", "details", "requestId"}
        assert error["code"] == code, error
        assert error["message"]
        assert isinstance(error["details"], dict)
        assert error["requestId"] == self.headers["X-Request-Id"]
        details: dict[str, Any] = error["details"]
        assert code != "conflict" or details["state"], error
        return details

    def invalid(self) -> list[str]:
        """Return the paths that a validation_failed names; fail the test on any other answer."""
        fields = self.refused(400, "validation_failed")["fields"]
        assert all(set(field) == {"path", "message"} and field["message"] for field in fields)
        error = self.body["error"]
        message = (error["data"] if "jsonrpc" in self.body else error)["message"]
        first = ": ".join(filter(None, (fields[0]["path"], fields[0]["message"])))
        assert message == f"Correct the request: {first}.", message
        return [field["path"] for field in fields]


@dataclass
class Client:
    """Somebody who calls the service: a person with a token, an agent with a key, or nobody."""

    http: aiohttp.ClientSession
    base: str
    headers: dict[str, str] = field(default_factory=dict)
    id: str = ""
    org_id: str = ""
    secret: str = ""

    async def call(self, method: str, path: str, json: Any = None, **options: Any) -> Answer:
        """Send a request; a path that starts with / is relative to /api/v1."""
        headers = {**self.headers, **options.pop("headers", {})}
        async with self.http.request(
            method, self.base + "/api/v1" + path, json=json, headers=headers, **options
        ) as response:
            kind = response.headers.get("Content-Type", "")
            # Of a stream that does not end by itself the beginning must do.
            raw = await (response.content.readany() if kind == "text/event-stream" else response.read())
            is_json = raw and "json" in kind
            return Answer(response.status, jsonlib.loads(raw) if is_json else raw or None, response.headers)

    async def get(self, path: str, **options: Any) -> Answer:
        return await self.call("GET", path, **options)

    async def post(self, path: str, json: Any = None, **options: Any) -> Answer:
        return await self.call("POST", path, json, **options)

    async def patch(self, path: str, json: Any = None, **options: Any) -> Answer:
        return await self.call("PATCH", path, json, **options)

    async def delete(self, path: str, **options: Any) -> Answer:
        return await self.call("DELETE", path, **options)

    def org(self, path: str = "") -> str:
        """Return a path inside the client's organization."""
        return f"/organizations/{self.org_id}{path}"


@dataclass
class Board:
    """A project with its columns by title, its transitions by (from, to) and a card type."""

    id: str
    columns: dict[str, str]
    transitions: dict[tuple[str, str], str]
    card_type: dict[str, Any]

    def field(self, name: str) -> str:
        """Return the id of a field of the card type."""
        return str(next(field["id"] for field in self.card_type["fields"] if field["name"] == name))


class World:
    """A running service with an SA and a Member in one organization, and an SA of another one."""

    def __init__(self, url: str, service: Service | None = None, clock: Clock | None = None) -> None:
        self.url = url
        self.service = service
        self.clock = clock  # of that service
        self._http: aiohttp.ClientSession | None = None

    @contextlib.asynccontextmanager
    async def ctx(self) -> AsyncIterator[Self]:
        """Open connections without signing anybody in."""
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=200)) as self._http:
            self.nobody = self.client()
            yield self

    async def __aenter__(self) -> Self:
        self._visit = self.ctx()
        await self._visit.__aenter__()
        self.sa, self.member, self.outsider = [await self.login(email) for email in (SA, MEMBER, OUTSIDER)]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._visit.__aexit__(kind, error, trace)

    def client(self, headers: dict[str, str] | None = None, **known: str) -> Client:
        """Make somebody who sends these headers."""
        assert self._http is not None
        return Client(self._http, self.url, headers or {}, **known)

    async def login(self, email: str, password: str = PASSWORD) -> Client:
        """Sign somebody in."""
        body = (await self.nobody.post("/auth/login", {"email": email, "password": password})).ok()
        return self.client(
            {"Authorization": f"Bearer {body['token']}"}, id=body["user"]["id"], org_id=body["user"]["orgId"] or ""
        )

    async def key(self, architect: Client | None = None, **wishes: Any) -> Client:
        """Make an agent key, of the SA's organization unless another architect asks."""
        architect = architect or self.sa
        key = (await architect.post("/settings/api-keys", {"name": "key", **wishes})).ok()
        headers = {"Authorization": f"ApiKey {key['secret']}"}
        return self.client(headers, id=key["id"], org_id=architect.org_id, secret=key["secret"])

    async def script(self, architect: Client | None = None, **wishes: Any) -> Client:
        """Make a key that acts as itself, without an agent."""
        return await self.key(architect, actsAsItself=True, **wishes)

    async def join(self, architect: Client, person: Client, email: str, role: str = "Member") -> None:
        """Bring somebody who has an account into another organization: an architect invites, the person accepts."""
        invited = (await architect.post(architect.org("/members"), {"email": email, "role": role})).ok()
        (await person.post("/auth/invitations/accept", {"code": invited["invitationCode"]})).ok()

    async def agent(
        self, agent_id: str = "bot", architect: Client | None = None, approve: bool = True, title: str = ""
    ) -> Client:
        """Register an agent in a team of its own and approve it; its key acts as that agent."""
        architect = architect or self.sa
        team = (await architect.post(architect.org("/teams"), {"name": f"Team of {agent_id}"})).ok()
        key = await self.key(architect)
        await self.register(key, team["id"], agent_id, title)
        if approve:
            (await architect.patch(f"/agents/{agent_id}/approve")).ok()
            (await key.post(f"/agents/{agent_id}/online")).ok()  # its first request is an event
        return self.client(key.headers, id=agent_id, org_id=architect.org_id, secret=key.secret)

    async def register(self, key: Client, team_id: str, agent_id: str, title: str = "") -> Any:
        """Register an agent with a key."""
        body = {"id": agent_id, "title": title or agent_id}
        return (await key.post(f"/teams/{team_id}/agents/register", body)).ok()

    async def board(self, architect: Client | None = None, title: str = "Board") -> Board:
        """Make a project with the kanban template."""
        architect = architect or self.sa
        project = (await architect.post(architect.org("/projects"), {"title": title})).ok()
        query = {"params": {"projectId": project["id"]}}
        columns = (await architect.get(architect.org("/columns"), **query)).ok()
        transitions = (await architect.get(architect.org("/transitions"), **query)).ok()
        types = (await architect.get(architect.org("/card-types"))).ok()
        titles = {column["id"]: column["title"] for column in columns}
        edges = {(titles[edge["fromColumnId"]], titles[edge["toColumnId"]]): edge["id"] for edge in transitions}
        return Board(project["id"], {title: key for key, title in titles.items()}, edges, types[0])

    async def card(self, board: Board, column: str = "Todo", by: Client | None = None, **wishes: Any) -> Any:
        """Make a card in a column of a board."""
        by = by or self.sa
        body = {"projectId": board.id, "columnId": board.columns[column], "cardTypeId": board.card_type["id"]}
        path = by.org("/cards/mcp" if "ApiKey" in by.headers["Authorization"] else "/cards")
        return (await by.post(path, {"title": "Card", **body, **wishes})).ok()

    async def column(self, board: Board, title: str, /, **wishes: Any) -> Any:
        """Change a column of a board."""
        return (await self.sa.patch(self.sa.org(f"/columns/{board.columns[title]}"), wishes)).ok()

    async def field(self, board: Board, name: str, kind: str = "text", /, **wishes: Any) -> str:
        """Give the card type of a board another field, and its id."""
        path = self.sa.org(f"/card-types/{board.card_type['id']}/fields")
        return str((await self.sa.post(path, {"name": name, "kind": kind, **wishes})).ok()["id"])

    async def edge(self, board: Board, origin: str, destination: str, **wishes: Any) -> Any:
        """Allow another move on a board."""
        body = {"fromColumnId": board.columns[origin], "toColumnId": board.columns[destination], **wishes}
        return (await self.sa.post(self.sa.org("/transitions"), body)).ok()

    async def above(self, card: dict[str, Any], by: Client | None = None) -> str | None:
        """Return the id of the card right above another in its column, None at the top."""
        answer = await (by or self.sa).get(f"/cards/{card['id']}", params={"include": "place"})
        above: str | None = answer.ok()["afterCardId"]
        return above

    async def history(self, card_id: str) -> list[dict[str, Any]]:
        """Return the history of a card, oldest first."""
        rows: list[dict[str, Any]] = (await self.sa.get(f"/cards/{card_id}/history")).ok()
        return rows
