"""An agent without intelligence, which knows only what the server says.

It picks tools by their descriptions, follows the instructions, and after an error calls the tool that the message
names. It fails the test (Stranded) where a text does not say what to do next, and where it would have to use a name or
an id that no text contains.
"""

import asyncio
import contextlib
import json
import re
import sys
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import httpx2
import mcp_types as types
from mcp.client.client import Client as McpClient
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from ..process import RUN, bare_environment
from ..world import Client
from .talk import get_size

Json = dict[str, Any]
Person = Callable[[], Awaitable[Any]]
OWN_WORDS = ("content", "note", "name", "options", "parts", "q", "text", "title")  # arguments that the agent writes
ATTEMPTS_MAX = 8  # of one call, each after doing what the error said
PERSON_SECONDS = 0.3  # until a person acts while the agent waits
CARD_KEY = re.compile(r"\b[A-Z][A-Z0-9]*-\d+\b")


class Stranded(AssertionError):
    """The texts of the server do not say what to do next."""


@dataclass
class Figures:
    """The tool calls of a job: their number, and the bytes of their requests and results."""

    calls: int = 0
    sent: int = 0
    received: int = 0

    def count(self, name: str, arguments: Json, result: types.CallToolResult) -> None:
        """Add a tool call."""
        self.calls += 1
        self.sent += len(json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False).encode())
        self.received += get_size(result)


@dataclass
class ScriptedAgent:
    """One connection of the agent, with all that it was told on it."""

    client: McpClient
    tools: dict[str, types.Tool]
    figures: Figures
    heard: list[str]
    people: deque[Person] = field(default_factory=deque)  # what persons do, one after another, while the agent waits
    requested: set[str] = field(default_factory=set)  # cards that wait for a decision

    @classmethod
    async def meet(cls, client: McpClient, figures: Figures) -> Self:
        """Read the instructions and the descriptions of all tools."""
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        described = [json.dumps([tool.description, tool.input_schema]) for tool in tools.values()]
        assert client.instructions
        return cls(client, tools, figures, [client.instructions, *described])

    @property
    def instructions(self) -> str:
        return self.heard[0]

    def find_tool(self, words: str) -> str:
        """Return the only tool whose description matches."""
        found = [name for name, tool in self.tools.items() if re.search(words, tool.description or "")]
        if len(found) != 1:
            raise Stranded(f"{found} describe themselves as {words!r}")
        return found[0]

    def find_named_tools(self, text: str) -> list[str]:
        """Return the tools that a text names, in its order."""
        return [word for word in re.findall(r"[A-Za-z_]+", text) if word in self.tools]

    def can_wait(self, name: str) -> bool:
        """Return whether a tool can wait for something to happen."""
        return "wait" in self.tools[name].input_schema["properties"]

    def find_named_arguments(self, text: str, name: str) -> Json:
        """Return the arguments of a tool that a text gives, such as `takeOver: true` or `with takeOver`."""
        properties = self.tools[name].input_schema["properties"]
        given = {key: json.loads(value) for key, value in re.findall(r'(\w+)(?:: |=)(true|\d+|"\w+")', text)}
        given |= dict.fromkeys(re.findall(r"\bwith (takeOver)\b", text), True)
        return {key: value for key, value in given.items() if key in properties}

    async def call(self, name: str, /, **arguments: Any) -> tuple[bool, Json]:
        """Call a tool; return whether it failed, and its JSON."""
        self._require_known(name, arguments)
        result = await self.client.call_tool(name, arguments)
        self.figures.count(name, arguments, result)
        text = result.content[0].text
        self.heard.append(text)
        return bool(result.is_error), json.loads(text)

    def _require_known(self, name: str, arguments: Json) -> None:
        """Raise Stranded if the agent cannot know of the tool, of an argument or of a value."""
        if name not in self.tools or not arguments.keys() <= self.tools[name].input_schema["properties"].keys():
            raise Stranded(f"no description of {name} with {sorted(arguments)}")
        values = [value for key, value in arguments.items() if key not in OWN_WORDS and isinstance(value, str)]
        for value in [*values, *arguments.get("fields", {})]:
            if not any(value in text for text in self.heard):
                raise Stranded(f"{name}: nothing that was said contains {value!r}")

    async def ok(self, name: str, /, **arguments: Any) -> Json:
        """Call a tool until it works, doing first what each error says."""
        for _ in range(ATTEMPTS_MAX):
            failed, answer = await self.call(name, **arguments)
            if not failed:
                return answer
            await self.obey(answer, arguments)
        raise Stranded(f"{name} still fails: {answer}")

    async def obey(self, error: Json, arguments: Json) -> None:
        """Do what an error says: call the first tool that its message names."""
        named = self.find_named_tools(error["message"])
        if named[:1] == ["update_card"]:
            await self._fill_fields(arguments["card"], error)
        elif named[:1] == ["claim"]:
            await self._do_other_card(error["message"], arguments["card"])
        elif named[:1] == ["whoami"]:
            await self._ask_until_allowed()
        elif named and self.can_wait(named[0]):
            await self.wait(error["message"])
        else:
            raise Stranded(f"what to do after {error['code']}? {error['message']}")

    async def _fill_fields(self, card: str, error: Json) -> None:
        """Fill in the fields that an error lists: with words, then with what the errors of these words offer."""
        values = {field if isinstance(field, str) else field["name"]: "Fast" for field in error["details"]["fields"]}
        for _ in range(ATTEMPTS_MAX):
            failed, answer = await self.call("update_card", card=card, fields=values)
            if not failed:
                return
            for problem in answer["details"]["fields"]:
                name = problem["path"].removeprefix("fields.")
                if name not in values or ": " not in problem["message"]:
                    raise Stranded(f"which value does {name} take? {problem['message']}")
                values[name] = problem["message"].rpartition(": ")[2].split(", ")[0]

    async def _do_other_card(self, message: str, card: str) -> None:
        """Claim the card that a message names, or the one that the call was about; finish it if it is another."""
        key = next(iter(CARD_KEY.findall(message)), card)
        if key in self.requested:
            await self.wait(self.instructions)
            return
        context = await self.ok("claim", card=key, **self.find_named_arguments(message, "claim"))
        if key != card:
            await self.finish(context, "It was in the way of another card.")

    async def _ask_until_allowed(self) -> None:
        for _ in range(ATTEMPTS_MAX):
            me = await self.ok("whoami")
            if me["agent"]["status"] == "approved":
                return
            if not self.find_named_tools(me["note"]) and "again" not in me["note"]:
                raise Stranded(f"how long? {me['note']}")
            await self._let_person_act()

    async def wait(self, text: str) -> Json:
        """Wait for people with the first tool that a text names for it; call it as its description says."""
        waiting = [name for name in self.find_named_tools(text) if self.can_wait(name)]
        if not waiting:
            raise Stranded(f"how to wait? {text}")
        name = waiting[0]
        person = asyncio.create_task(self._let_person_act())
        heard = await self.ok(name, **self.find_named_arguments(text, name))
        if not heard["items"] and "since=next" in str(self.tools[name].description):
            heard = await self.ok(name, since=heard["next"])
        await person
        return heard

    async def _let_person_act(self) -> None:
        if not self.people:
            raise Stranded("the agent waits, but nobody has anything to do")
        await asyncio.sleep(PERSON_SECONDS)
        await self.people.popleft()()

    async def begin(self) -> Json:
        """Call the tool that is to be called first."""
        return await self.ok(self.find_tool("Call it first, and after a restart"))

    async def resume(self, claim: Json) -> Json:
        """Take over what another process of the agent had begun, as the instructions say."""
        found = re.search(r"\b(\w+)(?: \w+)? with takeOver\b", self.instructions)
        if not found:
            raise Stranded("the instructions do not say how to take over a claim")
        name = found[1]
        card = {"card": claim["key"]} if "card" in self.tools[name].input_schema["properties"] else {}
        return await self.ok(name, takeOver=True, **card)

    async def take(self, **filters: str) -> Json | None:
        """Claim the best free card; wait while there is none and a person still has something to do."""
        while "card" not in (context := await self.ok("claim_next", **filters)):
            if not self.people:
                return None
            await self.wait(context["note"])
        return context

    async def finish(self, context: Json, result: str) -> None:
        """Lead a claimed card to where a person decides, through the columns that the instructions name."""
        key, column = context["card"]["key"], context["column"]["title"]
        *way, goal = self.find_columns()
        for title in way[way.index(column) + 1 if column in way else 0 :]:
            await self.ok("move_card", card=key, to=title)
            if title == way[0]:
                await self.ok("comment", card=key, content=result)
        await self.ok("request_move", card=key, to=goal, note=result)
        self.requested.add(key)
        await self.ok("release", card=key)

    def find_columns(self) -> list[str]:
        """Return the columns that the instructions name as the way of a card: those for work, and the goal."""
        return re.findall(r"\(([A-Z][a-z]+(?: [A-Z][a-z]+)*)\)", self.instructions)


@contextlib.asynccontextmanager
async def over_http(who: Client, figures: Figures) -> AsyncIterator[ScriptedAgent]:
    """Connect the agent over HTTP, with the SDK and the version of the protocol that has sessions."""
    async with httpx2.AsyncClient(headers=who.headers, timeout=60) as http:
        transport = streamable_http_client(who.base + "/mcp", http_client=http)
        async with McpClient(transport, mode="legacy") as client:
            yield await ScriptedAgent.meet(client, figures)


@contextlib.asynccontextmanager
async def over_stdio(who: Client, figures: Figures, pid: Path) -> AsyncIterator[ScriptedAgent]:
    """Connect the agent through the bridge, a process of its own whose id is written to a file."""
    environment = bare_environment() | {"SERVICE_API_URL": who.base, "SERVICE_API_KEY": who.secret}
    script = f'echo $$ > "{pid}"; exec "{sys.executable}" "{RUN}" mcp'
    server = StdioServerParameters(command="/bin/sh", args=["-c", script], env=environment, cwd=pid.parent)
    async with McpClient(stdio_client(server), mode="legacy") as client:
        yield await ScriptedAgent.meet(client, figures)
