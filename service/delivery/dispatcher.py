"""Webhook delivery: one task per webhook, so that none waits for another (contract, section 6).

What is to be sent stands in the log of events and the table of deliveries alone, so nothing is lost with the
process: an attempt whose outcome was not written down is made again, under the same delivery id.
"""

import asyncio
import hashlib
import hmac
import logging
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from types import TracebackType
from typing import Any, Self

import orjson

from .. import VERSION
from ..clock import now, parse_timestamp, timestamp
from ..database.queries import sql
from ..database.store import Row, Store, Tx
from ..events.listeners import Listeners
from ..ids import new_id
from .outbound import Outbound, Reply

RETRY_SECONDS = (10, 60, 300, 1800, 7200, 21600)  # before each further attempt, and up to a fifth more
REQUESTS_PARALLEL_MAX = 8  # to one webhook
EVENTS_PER_TRANSACTION = 100  # that are looked at
DELIVERIES_PENDING_MAX = 2000  # what happens beyond waits in the log of events
DELIVERIES_KEPT = 1000  # the newest of a webhook, which are not forgotten
BATCHING_SECONDS = 0.1  # where much happens, one look is for many events
IDLE_SECONDS_MAX = 3600.0  # between two looks
log = logging.getLogger("service")
_chance = random.Random()  # noqa: S311  # spreads attempts, hides nothing


class WebhookDispatcher:
    """The tasks that send; a webhook that is disabled or gone, or whose organization is archived, has none."""

    def __init__(
        self,
        store: Store,
        decrypt: Callable[[str, str], str | None],
        listeners: Listeners,
        outbound: Outbound,
        clock: Callable[[], str] = now,
    ) -> None:
        self._store = store
        self._decrypt = decrypt
        self._listeners = listeners
        self._clock = clock
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.outbound = outbound
        self.pauses: Sequence[float] = RETRY_SECONDS
        self.outcomes: Counter[str] = Counter()  # of attempts: delivered, again, failed

    async def __aenter__(self) -> Self:
        for row in await self._store.read(lambda tx: tx.all(sql.webhooks.list_enabled, org_id=None)):
            self.begin(row["id"])
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    def begin(self, webhook_id: str) -> None:
        """See that a webhook has its task; a task that finds nothing to be done for ever ends by itself."""
        if webhook_id not in self._tasks:
            self._tasks[webhook_id] = asyncio.create_task(self._keep_sending(webhook_id))

    async def stop(self) -> None:
        """Give up what is being sent; the next start sends it again."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.outbound.close()

    async def _keep_sending(self, webhook_id: str) -> None:
        try:
            while not self._listeners.stopped and await self._step(webhook_id):
                pass
        finally:
            # Without a pause since the look that ended it: whoever begins it again is not overlooked.
            del self._tasks[webhook_id]

    async def _step(self, webhook_id: str) -> bool:
        """Do what there is to do for a webhook, or wait until there may be something; tell whether to go on."""
        try:
            webhook = self._store.read_inline(
                lambda tx: tx.one(
                    sql.webhooks.delivery_state, webhook_id=webhook_id, pending_max=DELIVERIES_PENDING_MAX
                )
            )
            if webhook is None:
                return False
            pause = self._seconds_until(webhook["next_attempt_at"])
            if webhook["is_behind"]:
                await self._store.write(partial(_offer, webhook_id, self._clock()))
            elif pause:
                await self._listeners.wait(webhook["org_id"], pause)
                await asyncio.sleep(BATCHING_SECONDS)
            if not pause:
                await self._send(webhook)
        except Exception:
            log.exception("webhook %s could not be served; it is tried again", webhook_id)
            await asyncio.sleep(RETRY_SECONDS[0])
        return True

    def _seconds_until(self, moment: str | None) -> float:
        """Tell how long it is until the next attempt: 0 if it is due."""
        if moment is None:
            return IDLE_SECONDS_MAX
        left = parse_timestamp(moment) - parse_timestamp(self._clock())
        return min(IDLE_SECONDS_MAX, max(0.0, left.total_seconds()))

    async def _send(self, webhook: Row) -> None:
        which = {"webhook_id": webhook["id"], "now": self._clock(), "limit": REQUESTS_PARALLEL_MAX}
        due = self._store.read_inline(lambda tx: tx.all(sql.deliveries.list_due, **which))
        secret = self._decrypt(webhook["secret"], webhook["id"])
        attempts = await asyncio.gather(*[self._attempt(webhook, secret, delivery) for delivery in due])
        await self._store.write(partial(_note, attempts))

    async def _attempt(self, webhook: Row, secret: str | None, delivery: Row) -> dict[str, Any]:
        """Send a delivery once, and give what is to be written down of it."""
        body, begun = _body(webhook, delivery), time.monotonic()
        if secret is None:
            reply = Reply(error="the secret can no longer be decrypted; set a new one")
        else:
            reply = await self.outbound.post(webhook["url"], body, _headers(secret, delivery, body), webhook["org_id"])
        duration = round((time.monotonic() - begun) * 1000)
        attempts = delivery["attempts"] + 1
        verdict = self._verdict(reply, attempts)
        self.outcomes["again" if verdict["state"] == "pending" else verdict["state"]] += 1
        written = {"delivery_id": delivery["id"], "attempts": attempts, "duration_ms": duration}
        return written | {"status_code": reply.status, "error": reply.error} | verdict

    def _verdict(self, reply: Reply, attempts: int) -> dict[str, Any]:
        if reply.error is None:
            return {"state": "delivered", "delivered_at": self._clock(), "next_attempt_at": None}
        if attempts > len(self.pauses):
            return {"state": "failed", "delivered_at": None, "next_attempt_at": None}
        pause = timedelta(seconds=self.pauses[attempts - 1] * _chance.uniform(1, 1.2))
        following = timestamp(parse_timestamp(self._clock()) + pause)
        return {"state": "pending", "delivered_at": None, "next_attempt_at": following}


def signature(secret: str, at: str, body: bytes) -> str:
    """Sign what is sent: HMAC-SHA-256 over timestamp, a point and the body, in hexadecimal."""
    return hmac.new(secret.encode(), at.encode() + b"." + body, hashlib.sha256).hexdigest()


def _body(webhook: Row, delivery: Row) -> bytes:
    """Write what is sent, the same at each attempt."""
    event = orjson.Fragment(delivery["event"])
    known = {"id": delivery["id"], "type": delivery["type"], "organizationId": webhook["org_id"], "event": event}
    return orjson.dumps(known)


def _headers(secret: str, delivery: Row, body: bytes) -> dict[str, str]:
    at = str(int(time.time()))
    return {
        "Content-Type": "application/json",
        "User-Agent": f"Tandem/{VERSION}",
        "X-Tandem-Event": delivery["type"],
        "X-Tandem-Delivery": delivery["id"],
        "X-Tandem-Timestamp": at,
        "X-Tandem-Signature": f"sha256={signature(secret, at, body)}",
    }


def _offer(webhook_id: str, at: str, tx: Tx) -> None:
    """Look at the next events for a webhook, and write down which are to be sent; forget old deliveries."""
    news = tx.all(sql.webhooks.new_events, webhook_id=webhook_id, limit=EVENTS_PER_TRANSACTION)
    for event in news:
        if _is_wanted(event["type"], orjson.loads(event["patterns"])):
            known = {"event_id": event["id"], "type": event["type"], "event": event["text"]}
            tx.run(sql.deliveries.create, id=new_id("dlv"), webhook_id=webhook_id, now=at, **known)
    if news:
        tx.run(sql.webhooks.set_last_event, webhook_id=webhook_id, event_id=news[-1]["id"])
        tx.run(
            sql.deliveries.delete_old,
            webhook_id=webhook_id,
            keep_count=DELIVERIES_KEPT,
            limit=2 * EVENTS_PER_TRANSACTION,
        )


def _is_wanted(type: str, patterns: list[str]) -> bool:
    noun = type.partition(".")[0]
    return not {"*", f"{noun}.*", type}.isdisjoint(patterns)


def _note(attempts: list[dict[str, Any]], tx: Tx) -> None:
    for attempt in attempts:
        tx.run(sql.deliveries.record_attempt, **attempt)
