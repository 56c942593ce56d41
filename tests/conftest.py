"""Every test runs against a real service on a real socket, on its own copy of a template database."""

import asyncio
import gc
import os
import shutil
import signal
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path

import pytest

from service import config
from service.auth.passwords import hash_password_sync
from service.database.migrate import migrate
from service.database.queries import sql
from service.database.store import Store, Tx
from service.resources import members, organizations

from .process import ServiceProcess
from .running import running
from .world import HOME, MEMBER, OTHER, OUTSIDER, PASSWORD, SA, SECRET, World

LEFT_OUT = (
    "Left out: tests of the page in a browser, and slow ones (fuzz, upgrades, crashes, conformance, packaging).\n"
    "Run all with: .venv/bin/python -m pytest -n auto -m ''"
)

# Whoever runs the tests in the background may have them ignore an interruption, and so would all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def _found(tx: Tx, password_hash: str) -> None:
    home = organizations.insert_organization(
        tx, members.create_user(tx, members.NewUser(SA, "Ada Architect", password_hash)), HOME
    )
    member = members.create_user(tx, members.NewUser(MEMBER, "Mo Member", password_hash))
    tx.run(sql.members.create, org_id=home, user_id=member, role="Member", now=tx.now)
    organizations.insert_organization(
        tx, members.create_user(tx, members.NewUser(OUTSIDER, "Oz Outsider", password_hash)), OTHER
    )


async def make(path: Path) -> None:
    """Put the people of the tests into a new database."""
    store = Store(path)
    await store.open()
    # Cost 4 only here: the service itself always hashes with cost 12.
    await store.write(lambda tx: _found(tx, hash_password_sync(PASSWORD, cost=4)))
    await store.close()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without looking for garbage, which would take a third of the time; then leave them out of it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the slow tests first, so that no worker is left with one at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_xdist_auto_num_workers() -> int:
    """Use one process more than there are cores, since tests also wait for the disk, other processes and time."""
    return (os.cpu_count() or 1) + 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the figures of agents' jobs; say which tests were left out, and how to run them."""
    reports = [report for found in terminalreporter.stats.values() for report in found]
    calls = [report for report in reports if getattr(report, "when", None) == "call"]
    jobs = [value for report in calls for key, value in report.user_properties if key == "job"]
    if jobs:
        terminalreporter.section("jobs of agents")
        terminalreporter.write_line(f"{'calls':>6} {'sent':>8} {'received':>9}  job (bytes)")
    for title, calls, sent, received in jobs:
        terminalreporter.write_line(f"{calls:>6} {sent:>8,} {received:>9,}  {title}")
    if config.option.markexpr == config.getini("addopts")[-1]:
        terminalreporter.write_line(LEFT_OUT)


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Provide a database with two organizations: one with an SA and a Member, one with an SA of its own."""
    path = tmp_path_factory.mktemp("template") / "service.db"
    migrate(path)
    asyncio.run(make(path))
    return path


@pytest.fixture
def settings(tmp_path: Path, template: Path) -> config.Settings:
    """Provide settings of a service on a fresh copy of the template database."""
    data = tmp_path / "data"
    data.mkdir()
    shutil.copy(template, data / "service.db")
    environment = {
        "SERVICE_DATA_PATH": str(data),
        "SERVICE_JWT_SECRET": SECRET,
        "SERVICE_RATE_LIMIT_LOGIN": "1000",
        "SERVICE_AGENT_CREATES_PER_HOUR": "0",  # test_creation_limit.py has the limit
        "SERVICE_AGENT_CLAIMS_MAX": "0",  # one agent holds many cards here; test_claims_limit.py has the default
        "SERVICE_PORT": "0",
    }
    return config.load(environment=environment)


@pytest.fixture
async def world(settings: config.Settings) -> AsyncIterator[World]:
    """Provide a running service, and everybody who talks to it."""
    async with running(settings) as world:
        yield world


@pytest.fixture
def service_process(settings: config.Settings, tmp_path: Path) -> Iterator[ServiceProcess]:
    """Provide the service as a process of its own, on its copy of the template database; `World(url)` talks to it."""
    environment = {"SERVICE_JWT_SECRET": SECRET, "SERVICE_RATE_LIMIT_LOGIN": "1000"}
    assert settings.data_path == tmp_path / "data"  # where a process in this folder looks by default
    with ServiceProcess(tmp_path, environment) as process:
        yield process
