"""An organization that has something of everything, with hostile texts, so that each screen shows all it can."""

from typing import Any

from ..world import World

HOSTILE = "<img src=x onerror=alert(1)> \u202e\u0301\u0301" + "Wwwww" * 30


async def fill(site: World) -> dict[str, str]:
    """Make it, and give what addresses of screens need: ids by name."""
    sa = site.sa
    board = await site.board(title="Everything " + HOSTILE)
    people: list[dict[str, Any]] = [
        {"email": f"{'long' * 12}@example.test", "fullName": HOSTILE, "role": "Member"},
        {"email": "outsider@example.test", "role": "SolutionArchitect"},
    ]
    for person in people:
        (await sa.post(sa.org("/members"), person)).ok()
    return {"board": board.id}
