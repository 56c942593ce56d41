"""Fuzz a running service by what its OpenAPI document says of itself: `python -m tests.fuzz [--cases N]`.

Schemathesis makes requests that the document allows and requests that it does not, for every operation of a scheme (JWT
as an architect, ApiKey as an agent's key), with things that are there about as often as with things that are not. No
answer may be a failure of the service (5xx), or one that the document does not describe: status, kind of content,
schema. Operations after which little is left to ask about come last. Streams of events have no end, so no answer of
theirs is waited for; tests/resources/test_events.py has them.
"""

import argparse
import asyncio
import contextlib
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi import checks

from service.auth.authentication import API_KEY, JWT
from service.database.migrate import migrate

from . import walk
from .conftest import make
from .process import ServiceProcess
from .walk import Ids
from .world import SECRET, Client, World

CASES = 10_000  # of each scheme
CHECKS = [
    schemathesis.checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.response_headers_conformance,
]
POSITIVE, NEGATIVE = schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE
SECURITY = {JWT: "bearer", API_KEY: "apiKey"}
EXAMPLES_SHOWN_MAX = 3  # of one failure
ENDLESS = {"/organizations/{orgId}/events", "/organizations/{orgId}/events/mcp"}
# Besides each DELETE: what ends credentials or roles, closes the board to agents, or overwrites everything.
DESTRUCTIVE = [
    "PATCH /permissions/{permissionId}",
    "PATCH /organizations/{orgId}/columns/{columnId}",
    "PATCH /organizations/{orgId}/card-types/{cardTypeId}",
    "PATCH /organizations/{orgId}/members/{userId}",
    "POST /organizations/{orgId}/freeze",
    "PATCH /agents/{agentId}/stop",
    "PATCH /settings/api-keys/{keyId}",
    "POST /settings/api-keys/{keyId}/rotate",
    "POST /agents/{agentId}/offline",
    "POST /admin/import",
    "POST /admin/import/trello",
]
LAST = ["DELETE /organizations/{orgId}", "POST /settings/password", "POST /auth/logout"]
OPEN = {"SERVICE_RATE_LIMITS": "disabled", "SERVICE_LOG_LEVEL": "warning"} | {
    f"SERVICE_GUARD_{bound}": "0" for bound in ("CARDS_PER_HOUR", "COMMENTS_PER_HOUR", "RETURNS")
}


@dataclass
class Findings:
    """What a run met: how many answers of each status, and what was wrong with some."""

    statuses: Counter[int] = field(default_factory=Counter)
    wrong: dict[tuple[str, str], list[str]] = field(default_factory=dict)  # (operation, what) -> requests

    @property
    def cases(self) -> int:
        """Count the requests."""
        return self.statuses.total()

    def add(self, label: str, what: str, request: str) -> None:
        """Note a request whose answer may not be."""
        self.wrong.setdefault((label, what), []).append(request)

    def lines(self) -> Iterator[str]:
        """Say what was found."""
        yield ", ".join(f"{status}: {count}" for status, count in sorted(self.statuses.items()))
        for (label, what), found in self.wrong.items():
            yield f"{label}: {what} ({len(found)} times)"
            yield from (f"    {request}" for request in found[:EXAMPLES_SHOWN_MAX])


def document_of(url: str) -> Any:
    """Read what a service says of itself."""
    return requests.get(f"{url}/api/v1/openapi.json", timeout=30).json()


def operations(document: dict[str, Any], scheme: str) -> list[Any]:
    """List the operations that a scheme opens, those that destroy last, and of those the widest."""
    # Without what it says of credentials, which else would be what schemathesis gets wrong most of the time.
    paths = {
        path: {method: {**about, "security": []} for method, about in methods.items() if _opens(about, scheme)}
        for path, methods in document["paths"].items()
        if path not in ENDLESS
    }
    found = schemathesis.openapi.from_dict({**document, "paths": paths, "security": []}).get_all_operations()
    return sorted([result.ok() for result in found], key=_harm)


def _opens(about: dict[str, Any], scheme: str) -> bool:
    return {SECURITY[scheme]: []} in about["security"]


def _harm(operation: Any) -> tuple[int, int]:
    name = f"{operation.method.upper()} {operation.path}"
    if name in LAST:
        return 3, LAST.index(name)
    return (2, 0) if name.startswith("DELETE") else (1, 0) if name in DESTRUCTIVE else (0, 0)


def fuzz(url: str, scheme: str, who: dict[str, str], ids: Ids, cases: int, started: int = 1) -> Findings:
    """Send a number of cases of a scheme's operations, and check each answer; `started` makes other ones."""
    found, todo = Findings(), operations(document_of(url), scheme)
    chance = random.Random(started)  # noqa: S311
    with requests.Session() as session:
        for number, operation in enumerate(todo, 1):
            send = partial(_send, url=url, session=session, who=who, ids=ids, chance=chance, found=found)
            _tried(operation, NEGATIVE, (cases * number // len(todo) - found.cases) // 2, started, send)
            # Where nothing can be wrong there are more that are right.
            _tried(operation, POSITIVE, cases * number // len(todo) - found.cases, started, send)
    return found


def _tried(operation: Any, mode: Any, cases: int, started: int, send: Callable[[Any], None]) -> None:
    """Have cases of one operation made and sent."""
    if cases < 1:
        return
    health, phases = list(HealthCheck), [Phase.generate]

    @seed(started)
    @settings(max_examples=cases, database=None, deadline=None, phases=phases, suppress_health_check=health)
    @given(case=operation.as_strategy(generation_mode=mode))
    def tried(case: Any) -> None:
        send(case)

    with contextlib.suppress(Unsatisfiable):  # an operation that takes nothing takes nothing that is wrong
        tried()


def _send(
    case: Any,
    url: str,
    session: requests.Session,
    who: dict[str, str],
    ids: Ids,
    chance: random.Random,
    found: Findings,
) -> None:
    """Send one case, and note what is wrong with its answer."""
    _place(case, ids, chance)
    known = who if chance.random() < 0.95 else {}
    response = case.call(base_url=f"{url}/api/v1", session=session, headers=known, timeout=60)
    found.statuses[response.status_code] += 1
    try:
        case.validate_response(response, checks=CHECKS)
    except FailureGroup as failures:
        for failure in failures.exceptions:
            what = f"{response.status_code} {type(failure).__name__}: {' '.join(str(failure).split())[:300]}"
            found.add(case.operation.label, what, case.as_curl_command()[:600])


def _place(case: Any, ids: Ids, chance: random.Random) -> None:
    """Name things that are there, in three of four cases."""
    for name in case.path_parameters or {}:
        if chance.random() < 0.75:
            case.path_parameters[name] = _of(name, ids) or case.path_parameters[name]
    if isinstance(case.query, dict):
        case.query.pop("wait", None)  # up to 50 s each
    for part in (case.query, case.body):
        _fill(part, ids, chance)


def _fill(part: Any, ids: Ids, chance: random.Random) -> None:
    if isinstance(part, list):
        for item in part:
            _fill(item, ids, chance)
    if not isinstance(part, dict):
        return
    for key, value in part.items():
        if isinstance(value, str) and _of(key, ids) and chance.random() < 0.75:
            part[key] = _of(key, ids)
        else:
            _fill(value, ids, chance)


def _of(name: str, ids: Ids) -> str | None:
    """Return the id of a thing by what a parameter or key calls it: cardId, toCardId, assignedAgentId."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    return next((ids[key] for key in ids if snake == key or (key.endswith("_id") and snake.endswith(f"_{key}"))), None)


async def prepared(url: str) -> dict[str, tuple[dict[str, str], Ids]]:
    """Put something of every kind into an organization; give for each scheme the credential and the ids."""
    async with World(url) as world:
        ids, agent = await walk.create_one_of_each(world, world.sa, "bot")
        member = ids | {"user_id": world.member.id}
        return {JWT: (_credential(world.sa), member), API_KEY: (_credential(agent), member)}


def _credential(who: Client) -> dict[str, str]:
    return {"Authorization": who.headers["Authorization"]}


def main() -> int:
    """Fuzz a service of its own, and say what was found; 1 if anything was."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=CASES, help=f"of each scheme (default {CASES})")
    parser.add_argument("--seed", type=int, default=1, help="another number makes other requests")
    parser.add_argument("--scheme", choices=[JWT, API_KEY], help="only this one")
    options = parser.parse_args()
    wrong = 0
    for scheme in [options.scheme] if options.scheme else [API_KEY, JWT]:
        with tempfile.TemporaryDirectory() as folder, service(Path(folder)) as process:
            who, ids = asyncio.run(prepared(process.url))[scheme]
            began = time.monotonic()
            found = fuzz(process.url, scheme, who, ids, options.cases, options.seed)
            print(f"{scheme}: {found.cases} cases in {time.monotonic() - began:.0f} s", *found.lines(), sep="\n")
            wrong += len(found.wrong)
    return 1 if wrong else 0


def service(folder: Path) -> ServiceProcess:
    """Make a service with the people of the tests, and without limits that would end the run."""
    data = folder / "data"
    data.mkdir()
    migrate(data / "service.db")
    asyncio.run(make(data / "service.db"))
    return ServiceProcess(folder, OPEN | {"SERVICE_JWT_SECRET": SECRET})


if __name__ == "__main__":
    sys.exit(main())
