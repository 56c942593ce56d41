"""The clock of a service under test: the time there is, and what the test has let pass besides."""

from datetime import UTC, datetime, timedelta

from service.clock import timestamp


class Clock:
    """Tells the time as the service writes it."""

    def __init__(self) -> None:
        self._passed = timedelta()

    def __call__(self) -> str:
        return timestamp(datetime.now(UTC) + self._passed)

    def forward(self, seconds: float) -> None:
        """Let so much time pass at once."""
        self._passed += timedelta(seconds=seconds)
