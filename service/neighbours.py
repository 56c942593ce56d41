"""Whether several organizations want something at a time: what is fair to others costs the one that does much."""

RECENT_SECONDS = 0.25  # for which whoever asked counts as somebody who may be kept waiting


class Neighbours:
    """Whose request was the last one, and when it was another's than the one before."""

    def __init__(self) -> None:
        self._last: str | None = None
        self._others_at = float("-inf")

    def note(self, org_id: str, now: float) -> None:
        """Note that an organization asks; times in seconds, by a clock that never goes back."""
        if org_id != self._last:
            self._last, self._others_at = org_id, now

    def are_there(self, now: float) -> bool:
        """Tell whether more than one organization asked lately."""
        return now - self._others_at <= RECENT_SECONDS
