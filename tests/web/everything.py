"""An organization that has something of everything, with hostile texts, so that each screen shows all it can."""

from typing import Any

from service.resources import refusals

from ..world import World

HOSTILE = "<img src=x onerror=alert(1)> \u202e" + "\u0301" * 40 + "Wwwww" * 30


async def fill(site: World) -> dict[str, str]:
    """Make it, and return what addresses of screens need: ids by name."""
    sa = site.sa
    board = await site.board(title="Everything " + HOSTILE)
    people: list[dict[str, Any]] = [
        {"email": f"{'long' * 12}@example.test", "fullName": HOSTILE, "role": "Member"},
        {"email": "outsider@example.test", "role": "SolutionArchitect"},
    ]
    for person in people:
        (await sa.post(sa.org("/members"), person)).ok()
    for title in ("Todo", "Review"):
        await site.column(board, title, agentPickupEnabled=True, agentCanModerate=True)
    bot, _ = await site.agent("busy-1"), await site.agent("waiting-2", approve=False)
    about = {"id": "busy-1", "title": HOSTILE, "llmVersion": HOSTILE[:60], "machineName": "m" * 60, "osName": "Debian"}
    team = (await sa.post(sa.org("/teams"), {"name": HOSTILE, "onboardingDoc": "# Welcome"})).ok()
    (await bot.post(f"/teams/{team['id']}/agents/register", {**about, "ramBytes": 8 << 30})).ok()
    held = await site.card(board, title=HOSTILE, assignedAgentId="busy-1", assignedUserId=sa.id, dueDate="2020-01-01")
    (await bot.post(f"/cards/{held['id']}/claim/mcp", {"leaseSeconds": 900})).ok()
    (await bot.post(f"/cards/{held['id']}/comments/mcp", {"content": HOSTILE})).ok()
    asked = await site.card(board, "Review", title="Asked " + HOSTILE)
    wish = {"toColumnId": board.columns["Done"], "note": HOSTILE}
    (await bot.post(f"/cards/{asked['id']}/move-requests/mcp", wish)).ok()
    await bot.patch(f"/cards/{held['id']}/mcp/status", {"toColumnId": board.columns["Done"]})
    gone = await site.card(board, title="Archived " + HOSTILE)
    (await sa.delete(f"/cards/{gone['id']}")).ok()
    (await sa.post("/prompts", {"name": HOSTILE, "body": HOSTILE})).ok()
    (await sa.post("/prompt-categories", {"name": HOSTILE, "color": "#aa0000"})).ok()
    url = f"https://{'long.' * 12}example.test/{'path' * 30}"
    (await sa.post("/mcp-servers", {"name": HOSTILE, "transport": "http", "url": url})).ok()
    (await sa.post("/webhooks", {"url": url, "events": ["card.*"]})).ok()
    assert site.service is not None
    await refusals.store_refusals(site.service)
    return {"board": board.id, "card": held["key"]}
