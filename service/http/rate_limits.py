"""Token buckets in memory, one per (limit, key or address), and their headers (contract, section 5)."""

import ipaddress
import math
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..config import Network
from ..errors import RateLimited

_TAKES_PER_SWEEP = 1000  # after which buckets that are full again are dropped


@dataclass(frozen=True)
class Limit:
    """So many requests a minute for each caller: `by` tells callers apart."""

    name: str
    by: str  # "address" or "key"
    per_minute: int | None = None  # None: the setting of the same name says


@dataclass
class _Bucket:
    tokens: float
    at: float


class Buckets:
    """The buckets of one process; the clock (seconds) is an argument, so that tests can move it."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._buckets: dict[tuple[str, str], _Bucket] = {}
        self._takes = 0
        self.refusals: Counter[str] = Counter()  # by limit

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, name: str, caller: str, per_minute: int) -> dict[str, str]:
        """Take one token and give the headers to answer with; raise RateLimited if none is left."""
        now, rate = self._clock(), per_minute / 60
        self._sweep(now)
        bucket = self._buckets.setdefault((name, caller), _Bucket(per_minute, now))
        elapsed = max(0.0, now - bucket.at)
        bucket.tokens, bucket.at = min(per_minute, bucket.tokens + elapsed * rate), now
        granted = bucket.tokens > 1 - 1e-9  # whoever waited as told has a whole token, but for rounding
        bucket.tokens -= granted
        headers = _headers(bucket, now, per_minute)
        if not granted:
            self.refusals[name] += 1
            raise _refusal((1 - bucket.tokens) / rate, headers)
        return headers

    def _sweep(self, now: float) -> None:
        self._takes += 1
        if self._takes % _TAKES_PER_SWEEP == 0:
            # A minute refills any bucket, so one untouched for a minute says no more than a new one.
            self._buckets = {key: bucket for key, bucket in self._buckets.items() if now - bucket.at < 60}


def _headers(bucket: _Bucket, now: float, per_minute: int) -> dict[str, str]:
    full_at = now + (per_minute - bucket.tokens) * 60 / per_minute
    return {
        "X-RateLimit-Limit": str(per_minute),
        "X-RateLimit-Remaining": str(int(bucket.tokens)),
        "X-RateLimit-Reset": str(math.ceil(full_at)),
    }


def _refusal(wait: float, headers: dict[str, str]) -> RateLimited:
    seconds = max(1, math.ceil(wait))
    message = f"Too many requests; wait {seconds} s and send it again."
    return RateLimited(None, message, {**headers, "Retry-After": str(seconds)}, retryAfter=seconds)


def source_address(peer: str | None, headers: Mapping[str, str], trusted: tuple[Network, ...]) -> str:
    """Tell the address a request comes from: the socket's, or behind trusted proxies the last untrusted hop."""
    hops = [hop.strip() for hop in headers.get("X-Forwarded-For", "").split(",") if hop.strip()]
    address = peer or "unknown"
    while hops and _is_trusted(address, trusted):
        address = hops.pop()
    return address[:64]


def _is_trusted(address: str, trusted: tuple[Network, ...]) -> bool:
    try:
        return any(ipaddress.ip_address(address) in network for network in trusted)
    except ValueError:
        return False
