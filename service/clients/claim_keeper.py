"""Claims of the client of the stdio bridge, which adds their tokens to tool calls and renews them.

The results of claim_next, claim and whoami contain the tokens. The bridge adds a token to each call that may write to
the card of the claim. Any call of a session renews its claims: the bridge makes one when half of a lease has passed,
and exits with its client. Claims of other sessions are not renewed: they have to end if their processes have.
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
CLAIM_TOOLS = ("claim_next", "claim", "whoami")
READ_TOOLS = ("get_card", "context", "history", "wait_for_changes")  # about a card, without a token
WRITE_TOOLS = ("move_card", "update_card")  # their results say whether the claim continues
ENDED_CODES = ("claim_expired", "already_claimed", "not_found")  # errors after which a token is invalid
ROUND_SECONDS = 1.0
TOKENS_MAX = 8000  # of a result; all claims of an agent fit
LEASE_MIN_SECONDS = 30.0  # the shortest lease; assumed if the length of a lease is unknown


@dataclass
class TrackedClaim:
    """The token of a claim, the length of its lease, and the event-loop time at which it is to be renewed."""

    token: str
    seconds: float
    due: float


class ClaimKeeper:
    """The claims of one session, by the keys of their cards."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._claims: dict[str, TrackedClaim] = {}

    def add_token(self, message: Message) -> Message:
        """Return a message with the token of the claim on its card, unless the message has a token."""
        tool, arguments = _call(message)
        claim = self._claims.get(_card_key(arguments))
        if claim is None or tool in READ_TOOLS or "claimToken" in arguments:
            return message
        params = {**message["params"], "arguments": {**arguments, "claimToken": claim.token}}
        return {**message, "params": params}

    def observe(self, message: Message, answer: Message) -> None:
        """Update the claims from the answer to a message."""
        tool, arguments = _call(message)
        result, is_error = _parse_result(answer)
        if is_error or tool == "release" or _has_open_question(tool, arguments, result):
            if not is_error or tool == "release" or result.get("code") in ENDED_CODES:
                self._claims.pop(_card_key(arguments), None)
        elif tool in CLAIM_TOOLS:
            for key, claim in self._find_claims(result):
                left = LEASE_MIN_SECONDS if tool == "whoami" else _remaining_seconds(claim["expiresAt"])
                self._track(key, claim["token"], left, claim["expiresAt"])
        elif tool in WRITE_TOOLS and "claimedUntil" not in result:
            self._claims.pop(_card_key(arguments), None)

    def _find_claims(self, result: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """Return the claims of the session in a result, with the keys of their cards."""
        card = result.get("card")
        one = [(card["key"], card["claim"])] if isinstance(card, dict) and card.get("claim") else []
        many = [(claim["key"], claim) for claim in result.get("claims", [])]
        return [(key, claim) for key, claim in one + many if claim.get("session") == self._session]

    def _track(self, key: str, token: str, seconds: float, expires_at: str) -> None:
        # During a freeze, a claim expires in the far future; after the freeze, its lease continues.
        due = asyncio.get_running_loop().time() + min(seconds, _remaining_seconds(expires_at)) / 2
        self._claims[key.upper()] = TrackedClaim(token, seconds, due)

    async def renew_claims(self, post: Post) -> None:
        """Renew claims before they expire. Runs until cancelled."""
        while True:
            await asyncio.sleep(ROUND_SECONDS)
            now = asyncio.get_running_loop().time()
            if any(claim.due <= now for claim in self._claims.values()):
                await self._renew(post)

    async def _renew(self, post: Post) -> None:
        """Call a tool, which renews all claims of the session, and forget claims that have ended."""
        params, tracked = {"name": "whoami", "arguments": {"maxTokens": TOKENS_MAX}}, dict(self._claims)
        try:
            answer = await post({"jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": params})
        except FAILURES:  # the service is not reachable; the next round tries again
            return
        result, is_error = _parse_result(answer)
        if is_error or not result:
            return
        now, live = asyncio.get_running_loop().time(), {key.upper() for key, _ in self._find_claims(result)}
        for key, claim in tracked.items():
            claim.due = now + claim.seconds / 2
            if key not in live and "leftOut" not in result and self._claims.get(key) is claim:
                del self._claims[key]


def _call(message: Message) -> tuple[str, dict[str, Any]]:
    params = message.get("params")
    if message.get("method") != "tools/call" or not isinstance(params, dict):
        return "", {}
    arguments = params.get("arguments")
    return str(params.get("name")), arguments if isinstance(arguments, dict) else {}


def _remaining_seconds(expires_at: str) -> float:
    return max((datetime.fromisoformat(expires_at) - datetime.now(UTC)).total_seconds(), 0)


def _has_open_question(tool: str, arguments: dict[str, Any], result: dict[str, Any]) -> bool:
    """Return whether a question is open, which has ended the claim."""
    return tool == "ask" and result.get("state") == "open" and not arguments.get("keepClaim")


def _card_key(arguments: dict[str, Any]) -> str:
    return str(arguments.get("card", "")).upper()


def _parse_result(answer: Message) -> tuple[dict[str, Any], bool]:
    """Return the JSON of a tool's result and whether it is an error; an empty dict for any other answer."""
    try:
        result = json.loads(answer["result"]["content"][0]["text"])
        return (result if isinstance(result, dict) else {}), bool(answer["result"].get("isError"))
    except (KeyError, IndexError, TypeError, ValueError):
        return {}, False
