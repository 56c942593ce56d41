"""The service makes a backup each day by itself, and tells architects if there is none."""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from service import config
from service.runtime import copy_ages, scheduled_backups

from ..forms import upload
from ..process import ServiceProcess, run
from ..running import running
from ..world import SECRET, World

DAY = 86_400
Scheduled = config.Settings


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "backups"


@pytest.fixture
def scheduled(settings: config.Settings, home: Path, monkeypatch: pytest.MonkeyPatch) -> Scheduled:
    monkeypatch.setattr(scheduled_backups, "INTERVAL_SECONDS", 0.05)
    return settings.model_copy(update={"backup_dir": home, "backup_at": "03:30", "backup_keep": 2})


async def shown(world: World) -> Any:
    return (await world.sa.get("/admin/backups")).ok()


async def attention(world: World) -> list[str]:
    items = (await world.sa.get(world.sa.org("/attention"))).ok()
    return [item["message"] for item in items if item["kind"] == "backup"]


async def wait_for(find: Callable[[], Any]) -> Any:
    for _ in range(600):
        if found := find():
            return found
        await asyncio.sleep(0.05)
    raise AssertionError("it did not happen within half a minute")


def make_unusable(home: Path) -> None:
    home.write_text("a file in the place of the folder")


def make_usable(home: Path) -> None:
    home.unlink()


def names(home: Path) -> list[str]:
    return sorted(os.listdir(home)) if home.exists() else []


async def wait_for_verified(world: World, after: str = "") -> Any:
    """Wait until a backup later than one is verified, and return what architects see."""
    data = world.service.settings.data_path if world.service else Path()
    await wait_for(lambda: ((copy_ages.read_record(data) or {}).get("verifiedAt") or "") > after)
    return await shown(world)


async def test_a_missed_backup_is_made_up_for_and_the_next_ones_follow_day_by_day(
    scheduled: Scheduled, home: Path
) -> None:
    async with running(scheduled) as world:
        first = await wait_for_verified(world)
        assert first["last"]["verifiedAt"] >= first["last"]["at"]
        assert first["next"].endswith("T03:30:00.000Z")
        assert first["next"] > world.clock()
        assert first["problem"] is None
        (made,) = names(home)
        for _ in range(2):
            before = (await shown(world))["last"]["verifiedAt"]
            world.clock.forward(DAY)
            await wait_for_verified(world, before)
        await wait_for(lambda: len(names(home)) == 2)
        assert made not in names(home)
        assert await attention(world) == []
    assert run("backup", "--verify", str(home), folder=home.parent).returncode == 0


async def test_a_backup_of_today_is_not_repeated_after_a_restart(scheduled: Scheduled, home: Path) -> None:
    async with running(scheduled) as world:
        await wait_for_verified(world)
    before = names(home)
    async with running(scheduled) as world:
        await asyncio.sleep(1)
        assert (await shown(world))["last"] is not None
    assert names(home) == before


async def test_a_time_of_day_is_one_of_its_time_zone(scheduled: Scheduled) -> None:
    zone = scheduled.model_copy(update={"backup_timezone": "Asia/Kolkata"})
    async with running(zone) as world:
        assert (await shown(world))["next"].endswith("T22:00:00.000Z")


async def test_a_backup_that_fails_is_told_to_architects_and_the_log(
    scheduled: Scheduled, home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    make_unusable(home)
    async with running(scheduled) as world:
        await wait_for(lambda: "the scheduled backup failed" in caplog.text)
        assert (await shown(world))["problem"] == scheduled_backups.FAILED
        assert await attention(world) == [scheduled_backups.FAILED]
        assert (await world.member.get(world.member.org("/attention"), params={"limit": 5})).ok()["counts"][
            "backup"
        ] == 0
        assert str(home) in caplog.text
        make_usable(home)
        world.clock.forward(DAY)
        await wait_for_verified(world)
        schedule = world.service.scheduled_backups
        await wait_for(lambda: schedule.find_problem() is None)
        assert (await shown(world))["problem"] is None
        assert await attention(world) == []


async def test_architects_are_told_if_none_is_made_for_three_days(
    scheduled: Scheduled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduled_backups, "INTERVAL_SECONDS", 3600)
    async with running(scheduled) as world:
        await wait_for_verified(world)
        world.clock.forward(3 * DAY - 60)
        assert await attention(world) == []
        world.clock.forward(120)
        assert await attention(world) == [scheduled_backups.NONE_FOR_DAYS]


async def test_a_schedule_goes_on_after_a_secret_that_cannot_be_read(scheduled: Scheduled) -> None:
    secret = scheduled.data_path / config.CURRENT
    secret.write_text("too short")
    async with running(scheduled) as world:
        schedule = world.service.scheduled_backups
        await wait_for(schedule.find_problem)
        secret.unlink()
        world.clock.forward(DAY)
        await wait_for_verified(world)
        await wait_for(lambda: schedule.find_problem() is None)


async def test_without_a_schedule_nothing_is_due(world: World) -> None:
    world.clock.forward(4 * DAY)
    assert await shown(world) == {"last": None, "next": None, "problem": None}
    assert await attention(world) == []


@pytest.mark.parametrize("is_secret_set", [True, False])
def test_a_stop_in_the_middle_leaves_no_folder_that_looks_complete(
    template: Path, tmp_path: Path, home: Path, is_secret_set: bool
) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    (data / "service.db").write_bytes(template.read_bytes())
    environment = {"SERVICE_BACKUP_DIR": str(home), "SERVICE_BACKUP_AT": "00:00"}
    environment |= {"SERVICE_JWT_SECRET": SECRET} if is_secret_set else {}
    with ServiceProcess(tmp_path, environment) as process:
        for _ in range(3):
            assert process.stop() == 0
            for name in names(home):
                assert (
                    name.endswith(".part")
                    or run("backup", "--verify", str(home / name), folder=tmp_path).returncode == 0
                )
            process.start()
        asyncio.run(wait_for(lambda: (copy_ages.read_record(data) or {}).get("verifiedAt")))
        assert process.stop() == 0
    newest = max(name for name in names(home) if not name.endswith(".part"))
    assert (home / newest / "jwt-secret").exists() is not is_secret_set


def test_a_backup_that_is_being_made_ends_with_the_service_and_leaves_nothing(
    service_process: ServiceProcess, home: Path
) -> None:
    asyncio.run(upload_endless_file(service_process))
    assert service_process.stop() == 0
    service_process.environment |= {"SERVICE_BACKUP_DIR": str(home), "SERVICE_BACKUP_AT": "00:00"}
    service_process.start()
    asyncio.run(wait_for(lambda: any(name.endswith(".part") for name in names(home))))
    began = time.monotonic()
    assert service_process.stop() == 0
    assert time.monotonic() - began < scheduled_backups.STOP_SECONDS
    asyncio.run(wait_for(lambda: names(home) == []))


async def upload_endless_file(service: ServiceProcess) -> None:
    """Upload a file, and put a pipe in the place of its contents, which whoever opens it waits for."""
    async with World(service.url) as world:
        board = await world.board()
        file = await upload(world, await world.card(board), board.field("attachments"))
        org_id = world.sa.org_id
    contents = service.folder / "data" / "files" / org_id / file["cardId"] / file["id"]
    contents.unlink()
    os.mkfifo(contents)


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"SERVICE_BACKUP_DIR": "backups"}, "backup_at: is not set"),
        ({"SERVICE_BACKUP_AT": "03:30"}, "backup_dir: is not set"),
        ({"SERVICE_BACKUP_DIR": "data/backups", "SERVICE_BACKUP_AT": "03:30"}, "is in data_path"),
        ({"SERVICE_BACKUP_DIR": "up/b", "SERVICE_FILES_PATH": "up", "SERVICE_BACKUP_AT": "03:30"}, "is in files_path"),
        ({"SERVICE_BACKUP_AT": "24:00"}, "like 03:30"),
        ({"SERVICE_BACKUP_AT": "3:30"}, "like 03:30"),
        ({"SERVICE_BACKUP_TIMEZONE": "Mars/Base"}, "like UTC or Europe/Berlin"),
        ({"SERVICE_BACKUP_TIMEZONE": "../../etc/passwd"}, "like UTC or Europe/Berlin"),
        ({"SERVICE_BACKUP_KEEP": "0"}, "SERVICE_BACKUP_KEEP"),
    ],
)
def test_an_impossible_schedule_is_one_sentence(environment: dict[str, str], words: str) -> None:
    with pytest.raises(config.ConfigError, match=words):
        config.load(environment=environment)
