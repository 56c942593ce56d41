"""A service that is killed again and again under mixed load: nothing acknowledged is lost, and the history is whole."""

import pytest

from ..crashing import loop
from ..process import ServiceProcess

pytestmark = pytest.mark.slow


async def test_a_service_that_is_killed_again_and_again_loses_nothing(service_process: ServiceProcess) -> None:
    tally = await loop(service_process, kills=3)
    assert tally.lost == []
    assert tally.kills == 3
    assert tally.acknowledged.total() >= 3 * 60
    assert tally.acknowledged.keys() >= {"title", "comment", "retried", "reply", "upload", "move", "claim"}
    assert tally.files > 0
    assert tally.history_rows > tally.acknowledged.total() / 2
