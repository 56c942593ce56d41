"""One browser a worker and one service a module: to start either takes longer than most tests."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from service import config

from ..running import running
from ..world import SECRET, World
from .axe import source
from .browser import launch_browser


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what opens a browser, and as slow the accessibility checks, which install a package from npm."""
    for item in items:
        names = item.fixturenames if isinstance(item, pytest.Function) else []
        if "browser" in names:
            item.add_marker(pytest.mark.browser)
        if "axe" in names:
            item.add_marker(pytest.mark.slow)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Provide a real Chromium without a window."""
    async with launch_browser() as browser:
        yield browser


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def site(tmp_path_factory: pytest.TempPathFactory, template: Path) -> AsyncIterator[World]:
    """Provide a running service, and everybody who talks to it, for all tests of a module."""
    data = tmp_path_factory.mktemp("site")
    shutil.copy(template, data / "service.db")
    environment = {
        "SERVICE_DATA_PATH": str(data),
        "SERVICE_JWT_SECRET": SECRET,
        "SERVICE_RATE_LIMIT_LOGIN": "1000",
        "SERVICE_PORT": "0",
    }
    async with running(config.load(environment=environment)) as world:
        yield world


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Provide the program of axe-core."""
    return source(tmp_path_factory)
