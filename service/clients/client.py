"""A client of the service's HTTP API."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

import aiohttp

PREFIX = "/api/v1"
RETRIES_MAX = 5
RETRY_SECONDS_MAX = 60
TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=60)
IMPORT_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=3600)  # an import answers when it is done
FAILURES = (aiohttp.ClientError, OSError, TimeoutError, ValueError)


class ApiFailure(Exception):
    """The service refused a request or could not be asked (status 0)."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"{self.message} ({self.status} {self.code})" if self.status else self.message


def api_root(url: str) -> str:
    """Complete a service's address, given with or without /api/v1; raise ValueError if it is no address."""
    try:
        address = urlsplit(url.strip())
        usable = address.scheme in ("http", "https") and address.hostname and address.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ValueError(f"{url!r} is not a service address. Give one like http://127.0.0.1:8080.")
    path = address.path.rstrip("/").removesuffix(PREFIX)
    return f"{address.scheme}://{address.netloc}{path}{PREFIX}"


class Client:
    """Ask one service, as a person (token or log_in) or as an agent (api_key)."""

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        api_key: str | None = None,
        organization: str | None = None,
        connections: int = 8,
    ) -> None:
        self.root = api_root(url)
        self.organization = organization
        self._credential = f"ApiKey {api_key}" if api_key else f"Bearer {token}" if token else None
        self._connections = connections

    async def __aenter__(self) -> Client:
        self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=self._connections), timeout=TIMEOUT)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    async def log_in(self, email: str, password: str) -> Any:
        """Take a person's token and return the user; raise ApiFailure for a wrong password."""
        answer = await self.post("/auth/login", {"email": email, "password": password})
        self._credential = f"Bearer {answer['token']}"
        return answer["user"]

    async def log_out(self) -> None:
        """End the session that log_in began; one that cannot be ended now expires after a week."""
        with suppress(ApiFailure):
            await self.delete("/settings/sessions/current")

    async def get(self, path: str, query: Mapping[str, str] | None = None) -> Any:
        """Read a resource; raise ApiFailure."""
        return await self.request("GET", path, query=query)

    async def post(self, path: str, body: Any = None, query: Mapping[str, str] | None = None) -> Any:
        """Create a resource or start an operation; raise ApiFailure."""
        return await self.request("POST", path, body=body, query=query)

    async def patch(self, path: str, body: Any) -> Any:
        """Change a resource; raise ApiFailure."""
        return await self.request("PATCH", path, body=body)

    async def delete(self, path: str, query: Mapping[str, str] | None = None) -> Any:
        """Remove a resource; raise ApiFailure."""
        return await self.request("DELETE", path, query=query)

    async def request(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Send a request, again when told to wait, and return the parsed answer; raise ApiFailure."""
        everything = {**self._headers(), **(headers or {})}
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        answer = await self._send(method, path, query, everything, content)
        for _ in range(RETRIES_MAX):
            if answer.status != 429:
                break
            await asyncio.sleep(answer.pause())
            answer = await self._send(method, path, query, everything, content)
        return answer.parsed()

    async def send(self, path: str, content: Any, headers: Mapping[str, str]) -> Any:
        """Send a stream, which may take long, and return the parsed answer; raise ApiFailure."""
        answer = await self._send("POST", path, None, {**self._headers(), **headers}, content, IMPORT_TIMEOUT)
        return answer.parsed()

    async def stream(self, path: str, query: Mapping[str, str], size: int) -> AsyncIterator[bytes]:
        """Read a long answer piece by piece; raise ApiFailure, also if it breaks off."""
        try:
            async with self._session.get(
                self.root + path, params=query, headers=self._headers(), allow_redirects=False, timeout=IMPORT_TIMEOUT
            ) as answer:
                if answer.status != 200:
                    _Answer(self.root, answer.status, dict(answer.headers), await answer.read()).parsed()
                async for piece in answer.content.iter_chunked(size):
                    yield piece
        except FAILURES as error:
            raise self._unreachable(error) from error

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "User-Agent": "Tandem command line"}
        if self._credential:
            headers["Authorization"] = self._credential
        if self.organization:
            headers["X-Organization-Id"] = self.organization
        return headers

    async def _send(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None,
        headers: Mapping[str, str],
        content: Any,
        patience: aiohttp.ClientTimeout = TIMEOUT,
    ) -> _Answer:
        try:
            # A followed redirect would turn a POST into a GET and look like success.
            async with self._session.request(
                method,
                self.root + path,
                params=query,
                headers=headers,
                data=content,
                allow_redirects=False,
                timeout=patience,
            ) as answer:
                return _Answer(self.root, answer.status, dict(answer.headers), await answer.read())
        except FAILURES as error:
            raise self._unreachable(error) from error

    def _unreachable(self, error: Exception) -> ApiFailure:
        reason = _one_line(str(error) or type(error).__name__)
        message = f"Cannot reach the service at {self.root}: {reason} Start it or correct the address."
        return ApiFailure(0, "unreachable", message)


@dataclass(frozen=True)
class _Answer:
    root: str
    status: int
    headers: dict[str, str]
    content: bytes

    def pause(self) -> int:
        """Return the seconds to wait before asking again, within bounds."""
        seconds = self.headers.get("Retry-After", "")
        return min(int(seconds), RETRY_SECONDS_MAX) if seconds.isdecimal() else 1

    def parsed(self) -> Any:
        """Return the JSON of a success (None if empty); raise ApiFailure for all else."""
        if 200 <= self.status < 300 and not self.content:
            return None
        try:
            parsed = json.loads(self.content)
        except ValueError:
            raise self._strange() from None
        if 200 <= self.status < 300:
            return parsed
        raise self._failure(parsed)

    def _failure(self, parsed: Any) -> ApiFailure:
        error = parsed.get("error") if isinstance(parsed, dict) else None
        if not isinstance(error, dict) or "message" not in error:
            return self._strange()
        sentences = [str(error["message"]), *_field_messages(error.get("details"))]
        return ApiFailure(self.status, str(error.get("code")), _one_line(" ".join(sentences)))

    def _strange(self) -> ApiFailure:
        target = self.headers.get("Location")
        towards = f" with a redirect to {target}" if target else ", but not as the service does"
        message = f"{self.root} answered{towards}. Check that the address is the service's own."
        return ApiFailure(self.status, "unexpected_answer", _one_line(message))


def _field_messages(details: Any) -> list[str]:
    fields = details.get("fields") if isinstance(details, dict) else None
    rows = fields if isinstance(fields, list) else []
    return [f"{row.get('path')}: {row.get('message')}" for row in rows if isinstance(row, dict)]


def _one_line(message: str) -> str:
    return " ".join(message.split()).removesuffix(".") + "." if message.strip() else ""
