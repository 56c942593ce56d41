"""Rate limits: token buckets in memory, one per limit and API key or address."""

import ipaddress
import math
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..config import Network
from ..errors import RateLimited

_REQUESTS_PER_CLEANUP = 1000  # then buckets that are full again are dropped


@dataclass(frozen=True)
class Limit:
    """A limit of requests per minute for each caller; `by` says how callers are identified."""

    name: str
    by: str  # "address" or "key"
    per_minute: int | None = None  # None: the value of a setting
    setting: str | None = None  # name of that setting; None: rate_limit_ and the name of the limit


@dataclass
class _Bucket:
    tokens: float
    updated_at: float


class Buckets:
    """The token buckets of a process; tests pass their own clock (seconds)."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._buckets: dict[tuple[str, str], _Bucket] = {}
        self._request_count = 0
        self.rejections: Counter[str] = Counter()  # by name of the limit

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, name: str, caller: str, per_minute: int) -> dict[str, str]:
        """Take a token and return the rate limit headers of the response; raise RateLimited if no token is left."""
        now, rate = self._clock(), per_minute / 60
        self._drop_full_buckets(now)
        bucket = self._buckets.setdefault((name, caller), _Bucket(per_minute, now))
        elapsed = max(0.0, now - bucket.updated_at)
        bucket.tokens, bucket.updated_at = min(per_minute, bucket.tokens + elapsed * rate), now
        granted = bucket.tokens > 1 - 1e-9  # tolerates the rounding error of a client that waited as long as required
        bucket.tokens -= granted
        headers = _headers(bucket, now, per_minute)
        if not granted:
            self.rejections[name] += 1
            raise _rate_limited((1 - bucket.tokens) / rate, headers)
        return headers

    def _drop_full_buckets(self, now: float) -> None:
        self._request_count += 1
        if self._request_count % _REQUESTS_PER_CLEANUP == 0:
            # A minute refills any bucket, so one that was unused for a minute equals a new one.
            self._buckets = {key: bucket for key, bucket in self._buckets.items() if now - bucket.updated_at < 60}


def _headers(bucket: _Bucket, now: float, per_minute: int) -> dict[str, str]:
    full_at = now + (per_minute - bucket.tokens) * 60 / per_minute
    return {
        "X-RateLimit-Limit": str(per_minute),
        "X-RateLimit-Remaining": str(int(bucket.tokens)),
        "X-RateLimit-Reset": str(math.ceil(full_at)),
    }


def _rate_limited(wait: float, headers: dict[str, str]) -> RateLimited:
    seconds = max(1, math.ceil(wait))
    message = f"Too many requests; wait {seconds} s and send it again."
    return RateLimited(None, message, {**headers, "Retry-After": str(seconds)}, retryAfter=seconds)


def resolve_client_address(peer: str | None, headers: Mapping[str, str], trusted: tuple[Network, ...]) -> str:
    """Return the client address: the peer of the socket, or behind trusted proxies the last untrusted hop."""
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
