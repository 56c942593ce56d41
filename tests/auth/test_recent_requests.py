"""What a process remembers of the last requests: times are due once a minute, and the memory is bounded."""

import asyncio
from time import monotonic

from service.auth.recent_requests import CACHED_MAX, RecentRequests

NOW, SOON, LATER = (f"2026-01-02T03:0{minute}.000Z" for minute in ("4:05", "5:04", "5:05"))
AGENT, OTHER = ("org_1", "builder"), ("org_1", "tester")


def test_a_time_is_due_once_a_minute_for_each_name() -> None:
    recent = RecentRequests()
    assert recent.take_due(AGENT, NOW)
    assert not recent.is_due(AGENT, SOON)
    assert not recent.take_due(AGENT, SOON)
    assert recent.take_due(OTHER, SOON)
    assert recent.take_due(AGENT, LATER)


def test_only_requests_from_before_an_agent_went_offline_are_ignored() -> None:
    recent, before = RecentRequests(), monotonic()
    assert recent.is_after_offline(AGENT, before)
    recent.set_offline(AGENT)
    assert not recent.is_after_offline(AGENT, before)
    assert recent.is_after_offline(OTHER, before)
    assert recent.is_after_offline(AGENT, monotonic() + 1)


def test_what_is_remembered_is_bounded() -> None:
    recent, before = RecentRequests(), monotonic()
    for number in range(CACHED_MAX):
        recent.take_due(("org_1", str(number)), NOW)
        recent.set_offline(("org_1", str(number)))
    assert not recent.is_due(("org_1", "0"), NOW)
    recent.take_due(AGENT, NOW)
    recent.set_offline(AGENT)
    assert recent.is_due(("org_1", "0"), NOW)  # it is written once more, and nothing is lost
    assert recent.is_after_offline(("org_1", "0"), before)


async def test_what_is_written_in_the_background_is_kept_until_it_ends() -> None:
    recent, end = RecentRequests(), asyncio.Event()

    async def write() -> None:
        await end.wait()

    recent.start(write())
    (task,) = recent.tasks
    end.set()
    await task
    await asyncio.sleep(0)
    assert recent.tasks == set()
