"""The command mcp: an MCP server on stdio that relays all messages to /mcp of the running service."""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import urlencode
from uuid import uuid4

import aiohttp

from .address import BadUsage, add_address_options, find_address
from .claim_keeper import ClaimKeeper
from .client import FAILURES, PREFIX
from .eliciting import FormRelay

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

DESCRIPTION = """\
Serve the MCP tools over standard input and output, as a bridge to /mcp of the running service. Renews the claims that
its client makes while it runs. Nothing but the protocol is written to standard output."""
EXAMPLE = """\
example:
  SERVICE_API_URL=http://127.0.0.1:8080 SERVICE_API_KEY=tdm_… tandem mcp

exit codes: 0 standard input ended; 1 the API key was refused or the service is not reachable; 2 wrong usage"""
TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=90)  # wait_for_changes takes up to 50 s
DRAIN_SECONDS = 2.0  # for requests in progress when the input ends
SESSION = "X-Agent-Session"
VERSION_OF = "io.modelcontextprotocol/protocolVersion"
NAME_PARAMETERS = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
PING = {"jsonrpc": "2.0", "id": 0, "method": "ping"}
INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR = -32603, -32600, -32700
TEMPORARY_CODES = ("unavailable", "overloaded")  # of a service that stops or has too much to do
WAIT_SECONDS = 10
Message = dict[str, Any]


class TemporaryError(ValueError):
    """The service refused a message, and will take it later; the message says so."""


class BridgeError(Exception):
    """The service cannot be used; the message says why in one line."""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the program's command line."""
    parser = subparsers.add_parser(
        "mcp",
        help="serve the MCP tools over stdio",
        description=DESCRIPTION,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_address_options(parser)
    parser.add_argument("--agent", metavar="ID", help="id of the agent, if the API key has several (SERVICE_AGENT_ID)")
    parser.add_argument("--toolset", metavar="NAME", help="tools to list: full (default) or core (SERVICE_TOOLSET)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Relay messages until the input ends, and return the exit code."""
    key, agent_id = os.environ.get("SERVICE_API_KEY"), options.agent or os.environ.get("SERVICE_AGENT_ID")
    if not key:
        return _complain(2, "Set SERVICE_API_KEY to an agent's key; a Solution Architect can create one.")
    headers = {"Authorization": f"ApiKey {key}"} | ({"X-Agent-Id": agent_id} if agent_id else {})
    try:
        asyncio.run(_relay(_find_url(options), headers))
    except BadUsage as problem:
        return _complain(2, str(problem))
    except BridgeError as problem:
        return _complain(1, str(problem))
    return 0


def _find_url(options: argparse.Namespace) -> str:
    """Return the address of the tool server with the toolset, whose name the service checks; raise BadUsage."""
    url = find_address(options).removesuffix(PREFIX) + "/mcp"
    toolset = options.toolset or os.environ.get("SERVICE_TOOLSET")
    return f"{url}?{urlencode({'toolset': toolset})}" if toolset else url


def _complain(code: int, message: str) -> int:
    print(f"tandem: {message}", file=sys.stderr)
    return code


async def _relay(url: str, headers: Mapping[str, str]) -> None:
    session = uuid4().hex  # of this process, so that no other one of the agent shares its claims
    async with aiohttp.ClientSession(headers={**headers, SESSION: session}, timeout=TIMEOUT) as http:
        bridge = Bridge(url, http, session, sys.stdout.buffer)
        await bridge.check()
        lines = _read_lines(sys.stdin.buffer)
        renewal = asyncio.create_task(bridge.renew())
        while line := await lines.get():
            bridge.relay_line(line)
        renewal.cancel()  # the client that held the claims has ended
        await bridge.finish()


def _read_lines(source: BinaryIO) -> asyncio.Queue[bytes]:
    """Return a queue of input lines, with b"" at the end.

    A daemon thread reads them, since standard input can be a pipe, a file or a terminal.
    """
    queue: asyncio.Queue[bytes] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, queue.put_nowait, b"")

    def read() -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended, by a signal
            for line in source:
                loop.call_soon_threadsafe(queue.put_nowait, line)
            loop.call_soon_threadsafe(queue.put_nowait, b"")

    threading.Thread(target=read, daemon=True).start()
    return queue


class Bridge:
    """Sends messages to the service concurrently and writes the responses in the order in which they arrive."""

    def __init__(self, url: str, http: aiohttp.ClientSession, session: str, output: BinaryIO) -> None:
        self._url = url
        self._http = http
        self._output = output
        self._negotiated: str | None = None
        self._tasks: dict[asyncio.Task[None], Any] = {}
        self._claims = ClaimKeeper(session)
        self._forms = FormRelay(self._write)

    async def check(self) -> None:
        """Raise BridgeError if the service is not reachable or rejects the API key."""
        try:
            answer = await self._post(PING)
        except FAILURES as error:
            message = _get_unreachable_message(self._url, error)
            raise BridgeError(f"{message} Start it or correct SERVICE_API_URL.") from None
        if "error" in answer:
            raise BridgeError(answer["error"]["message"])

    async def renew(self) -> None:
        """Keep the claims of the client alive."""
        await self._claims.renew_claims(self._post)

    def relay_line(self, line: bytes) -> None:
        """Start to relay one line."""
        if not line.strip():
            return
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            self._write(_error(None, PARSE_ERROR, "The line is not valid JSON, or is nested too deeply."))
            return
        if not isinstance(message, dict):
            self._write(_error(None, INVALID_REQUEST, "Send one message per line."))
        elif self._forms.observe(message):
            return
        elif message.get("method") == "notifications/cancelled":
            params = message.get("params")
            self._cancel(params.get("requestId") if isinstance(params, dict) else None)
        else:
            task = asyncio.create_task(self._answer(message))
            self._tasks[task] = message.get("id")
            task.add_done_callback(self._tasks.pop)

    def _cancel(self, request_id: Any) -> None:
        for task, task_request_id in self._tasks.items():
            if task_request_id == request_id and request_id is not None:
                task.cancel()

    async def finish(self) -> None:
        """Wait for a short time for the answers to requests in progress."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=DRAIN_SECONDS)

    async def _answer(self, message: Message) -> None:
        try:
            answer = await self._forms.relay(self._claims.add_token(message), self._post)
            self._claims.observe(message, answer)
        except FAILURES as error:
            answer = _create_later_answer(message, _get_later_message(self._url, error))
        except RecursionError:
            answer = _error(message.get("id"), INVALID_REQUEST, "The message is nested too deeply.")
        if "id" not in message:  # a notification has no response
            return
        if message.get("method") == "initialize" and "result" in answer:
            self._negotiated = answer["result"].get("protocolVersion")
        self._write(answer)

    async def _post(self, message: Message) -> Message:
        headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        body = json.dumps(message).encode()
        async with self._http.post(
            self._url, data=body, headers=headers | self._get_routing_headers(message), allow_redirects=False
        ) as response:
            content = await response.read()
            if response.status == 202:
                return {}
            return _to_rpc_message(message.get("id"), response.status, json.loads(content))

    def _get_routing_headers(self, message: Message) -> dict[str, str]:
        """Return the MCP headers of a message; before version 2026-07-28 only the version of the handshake."""
        method, params = str(message.get("method", "")), message.get("params")
        params = params if isinstance(params, dict) else {}
        version = _get_stateless_version(message)
        if version is None:
            return {"MCP-Protocol-Version": self._negotiated} if self._negotiated else {}
        name = params.get(NAME_PARAMETERS.get(method, ""))
        headers = {"MCP-Protocol-Version": version, "Mcp-Method": method}
        return headers | ({"Mcp-Name": _encode_header(name)} if isinstance(name, str) else {})

    def _write(self, answer: Message) -> None:
        self._output.write(json.dumps(answer).encode() + b"\n")
        self._output.flush()


def _get_stateless_version(message: Message) -> str | None:
    """Return the version that a message names itself, as it does from version 2026-07-28 on."""
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    version = meta.get(VERSION_OF) if isinstance(meta, dict) else None
    return version if isinstance(version, str) else None


def _encode_header(value: str) -> str:
    """Return a header value, base64-encoded as MCP defines it if it contains characters that headers cannot."""
    if value.isascii() and value.isprintable() and value == value.strip():
        return value
    return f"=?base64?{base64.b64encode(value.encode()).decode()}?="


def _to_rpc_message(request_id: Any, status: int, answer: Any) -> Message:
    """Return a response as a JSON-RPC message; raise TemporaryError if the service takes the message later."""
    error = answer.get("error") if isinstance(answer, dict) else None
    data = error.get("data", error) if isinstance(error, dict) else None
    if isinstance(data, dict) and data.get("code") in TEMPORARY_CODES:
        raise TemporaryError(data.get("message"))
    if isinstance(answer, dict) and "jsonrpc" in answer:
        return {**answer, "id": request_id} if answer.get("id") is None else answer
    if isinstance(error, dict):
        return _error(request_id, INTERNAL_ERROR, str(error.get("message")), error)
    raise ValueError(f"status {status} without a message of the service")


def _error(request_id: Any, code: int, message: str, data: Any = None) -> Message:
    error = {"code": code, "message": message} | ({"data": data} if data else {})
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def _create_later_answer(message: Message, advice: str) -> Message:
    """Return the answer to a message that the service could not take; to a tool call, a result for the agent."""
    if message.get("method") != "tools/call":
        return _error(message.get("id"), INTERNAL_ERROR, advice)
    content = {"code": "unavailable", "message": advice, "details": {"retryAfter": WAIT_SECONDS}}
    result: Message = {"content": [{"type": "text", "text": json.dumps(content)}], "isError": True}
    result |= {"resultType": "complete"} if _get_stateless_version(message) else {}
    return {"jsonrpc": "2.0", "id": message.get("id"), "result": result}


def _get_later_message(url: str, error: Exception) -> str:
    """Return what an agent is to do when the service could not answer."""
    if isinstance(error, TemporaryError):
        return str(error)
    is_sent = not isinstance(error, aiohttp.ClientConnectorError)
    check = ", look whether the call had its effect" if is_sent else ""
    wait = f"It may be restarting: wait {WAIT_SECONDS} seconds{check}, then call again."
    return f"{_get_unreachable_message(url, error)} {wait}"


def _get_unreachable_message(url: str, error: Exception) -> str:
    reason = " ".join(str(error).split()) or type(error).__name__
    return f"Cannot reach the service at {url}: {reason.removesuffix('.')}."
