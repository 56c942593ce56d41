"""The clock of a service under test: the time there is, and what the test has let pass besides."""

from datetime import UTC, datetime, timedelta

from service.clock import parse_timestamp, timestamp


class Clock:
    """Tells the time as the service writes it."""

    def __init__(self) -> None:
        self._passed = timedelta()
        self._stopped: datetime | None = None

    def __call__(self) -> str:
        return timestamp(self._stopped or datetime.now(UTC) + self._passed)

    def forward(self, seconds: float) -> None:
        """Let so much time pass at once."""
        self._passed += timedelta(seconds=seconds)

    def stop(self, moment: str, milliseconds: int = 0) -> None:
        """Show one moment, or a number of milliseconds after it, from now on."""
        self._stopped = parse_timestamp(moment) + timedelta(milliseconds=milliseconds)
