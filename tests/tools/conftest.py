"""What tests of tools share."""

from collections.abc import Callable

import pytest

from .jobs import Job


@pytest.fixture
def job(record_property: Callable[[str, object], None]) -> Job:
    """Provide the figures of an agent's job, which are printed at the end of the run."""
    return Job(record_property)
