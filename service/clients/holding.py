"""What the stdio bridge remembers for its client: the claims that it holds, so that they need not be named or renewed.

Tokens come with the answers of claim_next, claim and whoami, and go with every call about their card that may write. A
claim is renewed at half of its length, as long as the client lives: the bridge ends with it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from .client import FAILURES

Message = dict[str, Any]
Post = Callable[[Message], Awaitable[Message]]
CLAIMING = ("claim_next", "claim", "whoami")
READING = ("context", "get_card", "history", "wait_for_changes")  # of a card, and take no token
WRITING = ("move_card", "update_card")  # whose answers tell whether the claim lives on
ENDED = ("claim_expired", "already_claimed", "not_found")  # errors after which a token is worth nothing
ROUND_SECONDS = 1.0
LENGTH_MIN_SECONDS = 30.0  # of a lease, which is taken for its length where nothing tells it


@dataclass
class Claim:
    """A claim: its token, how long it is, and when it is to be renewed, by the clock of the loop."""

    token: str
    seconds: float
    due: float


class Holding:
    """The claims of one client, by the keys of their cards."""

    def __init__(self) -> None:
        self._claims: dict[str, Claim] = {}

    def shown(self, message: Message) -> Message:
        """Give a message with the token of the claim on its card, unless it says another."""
        tool, arguments = _call(message)
        claim = self._claims.get(_key(arguments))
        if claim is None or tool in READING or "claimToken" in arguments:
            return message
        params = {**message["params"], "arguments": {**arguments, "claimToken": claim.token}}
        return {**message, "params": params}

    def hear(self, message: Message, answer: Message) -> None:
        """Learn from the answer to a message which claims begin and end."""
        tool, arguments = _call(message)
        said, is_error = _said(answer)
        if is_error or tool == "release" or _has_asked(tool, arguments, said):
            if not is_error or tool == "release" or said.get("code") in ENDED:
                self._claims.pop(_key(arguments), None)
        elif tool in CLAIMING:
            for key, claim in _found(said):
                left = LENGTH_MIN_SECONDS if tool == "whoami" else _left(claim["expiresAt"])
                self._keep(key, claim["token"], left, claim["expiresAt"])
        elif tool in WRITING and "claimedUntil" not in said:
            self._claims.pop(_key(arguments), None)

    def _keep(self, key: str, token: str, seconds: float, expires_at: str) -> None:
        # In a freeze the end is far away, and comes near again when that ends.
        due = asyncio.get_running_loop().time() + min(seconds, _left(expires_at)) / 2
        self._claims[key.upper()] = Claim(token, seconds, due)

    async def renew(self, post: Post) -> None:
        """Renew claims in time, for as long as this runs."""
        while True:
            await asyncio.sleep(ROUND_SECONDS)
            now = asyncio.get_running_loop().time()
            for key in [key for key, claim in self._claims.items() if claim.due <= now]:
                await self._renew(post, key)

    async def _renew(self, post: Post, key: str) -> None:
        claim = self._claims[key]
        params = {"name": "renew", "arguments": {"card": key, "claimToken": claim.token}}
        try:
            answer = await post({"jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": params})
        except FAILURES:  # away; the next round tries again
            return
        said, is_error = _said(answer)
        if "expiresAt" in said:
            self._keep(key, claim.token, claim.seconds, said["expiresAt"])
        elif is_error and said.get("code") in ENDED:
            self._claims.pop(key, None)


def _call(message: Message) -> tuple[str, dict[str, Any]]:
    params = message.get("params")
    if message.get("method") != "tools/call" or not isinstance(params, dict):
        return "", {}
    arguments = params.get("arguments")
    return str(params.get("name")), arguments if isinstance(arguments, dict) else {}


def _left(expires_at: str) -> float:
    return max((datetime.fromisoformat(expires_at) - datetime.now(UTC)).total_seconds(), 0)


def _has_asked(tool: str, arguments: dict[str, Any], said: dict[str, Any]) -> bool:
    """Tell whether a question waits for an answer, by which the claim has ended."""
    return tool == "ask" and said.get("state") == "open" and not arguments.get("keepClaim")


def _key(arguments: dict[str, Any]) -> str:
    return str(arguments.get("card", "")).upper()


def _said(answer: Message) -> tuple[dict[str, Any], bool]:
    """Read the text of a tool's result; an answer of another kind says nothing."""
    try:
        said = json.loads(answer["result"]["content"][0]["text"])
        return (said if isinstance(said, dict) else {}), bool(answer["result"].get("isError"))
    except (KeyError, IndexError, TypeError, ValueError):
        return {}, False


def _found(said: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Find the claims that an answer tells with their tokens."""
    card = said.get("card")
    one = [(card["key"], card["claim"])] if isinstance(card, dict) and card.get("claim") else []
    many = [(claim["key"], claim) for claim in said.get("claims", [])]
    return [(key, claim) for key, claim in one + many if claim.get("token")]
