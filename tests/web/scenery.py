"""A board as teams have them, with something of everything that a board and a card can show."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from service.resources import refusals

from ..forms import upload
from ..world import Board, World
from .test_text_editor import picture

LONG_WORD = "Donaudampfschifffahrtsgesellschaftskapitänskajütenschlüssel" * 2
LONG_TITLE = "Measure backup verification and tell the support team, since three of them asked about it last week"
RIGHT_TO_LEFT = "תרגום של כל ההודעות לעברית (v2.4)"
COLORS = {"bug": "#c53030", "customer": "#2b6cb0", "idea": "#f5d35c"}
TEXT = """The export **stops silently** after 5,000 rows when a name has a comma, see {key} and [the thread](https://a.test).

1. Reproduce with `fixtures/comma.csv`
2. Quote the field, @mo-member

```
writer = csv.writer(out, quoting=csv.QUOTE_MINIMAL, lineterminator="\\n", delimiter=",", escapechar=None, strict=True)
```

| rows | before | after |
|---|---|---|
| 5,000 | 2.1 s | 0.4 s |

> Seen by three customers since Monday.

- [x] works with 10,000 rows
- [ ] the error names the row
- [ ] documented
"""


@dataclass
class Scenery:
    """The board, its cards by a word of their titles, and what else states need."""

    board: Board
    blank: str
    cards: dict[str, Any]


async def furnish(site: World) -> Scenery:
    """Make it."""
    sa, day = site.sa, datetime.now(UTC).date()
    board, other = await site.board(title="Release 2.4"), await site.board(title="Customer support")
    blank = (await sa.post(sa.org("/projects"), {"title": "Ideas", "template": "blank"})).ok()["id"]
    for name in ("Todo", "Review"):
        await site.column(board, name, agentPickupEnabled=True, agentCanModerate=True)
    await site.column(board, "In Progress", wipLimit=2)
    await site.column(board, "Done", title="Done, tested and delivered to customers")
    await site.column(other, "Todo", wipLimit=1)
    await site.card(other, "Todo", title="Answer the first letter")
    (await sa.post(sa.org("/card-types"), {"title": "Story", "projectId": board.id})).ok()
    tags = board.field("tags")
    (await sa.patch(sa.org(f"/card-types/{board.card_type['id']}/fields/{tags}"), {"optionColors": COLORS})).ok()
    points = await site.field(board, "points", "number", label="Points", showOnCard=True)
    environment = await site.field(board, "environment", "text", label="Environment", showOnCard=True)
    builder, tester = await site.agent("builder-1"), await site.agent("tester")
    await site.agent("scout", approve=False)

    def values(labels: list[str], **more: str) -> list[dict[str, Any]]:
        ids = {"points": points, "environment": environment, "description": board.field("description")}
        return [{"fieldId": tags, "value": labels}, *({"fieldId": ids[key], "value": more[key]} for key in more)]

    cards = {}
    for name, column, wishes in (
        ("plain", "Backlog", {"title": "Translate the CSV import of members"}),
        ("gone", "Backlog", {"title": "Write notes about upgrades"}),
        ("word", "Backlog", {"title": LONG_WORD, "fieldValues": values([LONG_WORD[:80]], environment=LONG_WORD)}),
        ("hebrew", "Backlog", {"title": RIGHT_TO_LEFT, "fieldValues": values(["עברית"]), "priority": "low"}),
        (
            "late",
            "Todo",
            {
                "title": "Harden the invoice export (customer request)",
                "priority": "urgent",
                "dueDate": f"{day - timedelta(days=3)}",
                "assignedUserId": sa.id,
                "assignedAgentId": "tester",
                "fieldValues": values(["bug", "customer"], points="5"),
            },
        ),
        (
            "claimed",
            "Todo",
            {"title": "Migrate the webhook retry queue", "priority": "high", "assignedAgentId": "builder-1"},
        ),
        ("asked", "Todo", {"title": "Add time zones to due dates", "dueDate": f"{day + timedelta(days=1)}"}),
        ("full-1", "In Progress", {"title": "Document column limits", "assignedUserId": site.member.id}),
        ("full-2", "In Progress", {"title": LONG_TITLE}),
        ("review", "Review", {"title": "Rename the card dialog on small screens", "assignedUserId": sa.id}),
        ("done", "Done", {"title": "Test search by custom fields", "priority": "high", "dueDate": f"{day}"}),
    ):
        cards[name] = await site.card(board, column, **wishes)
    text = TEXT.format(key=cards["done"]["key"])
    cards["main"] = await site.card(
        board,
        "Todo",
        title="Keep commas in the names of an export",
        priority="high",
        assignedUserId=sa.id,
        dueDate=f"{day + timedelta(days=9)}",
        fieldValues=values(
            ["bug", "customer", "idea", "ui", "export"], points="3", environment="Firefox", description=text
        ),
    )
    main = cards["main"]
    await upload(
        site, main, board.field("attachments"), picture(600, 300), file_name="screen.png", mime_type="image/png"
    )
    await upload(
        site, main, board.field("attachments"), b"line\n" * 90, file_name=f"{LONG_WORD}.txt", mime_type="text/plain"
    )
    for number in range(24):
        by = site.member if number % 2 else sa
        (
            await by.post(
                f"/cards/{main['id']}/comments", {"content": f"Tried it with file {number}: **{number} rows**"}
            )
        ).ok()
    parts = [{"title": title, "cardTypeId": board.card_type["id"]} for title in ("Reproduce it", "Quote the field")]
    (await sa.post(f"/cards/{main['id']}/split", {"parts": parts})).ok()
    (await builder.post(f"/cards/{cards['claimed']['id']}/claim/mcp", {})).ok()
    (await builder.post(f"/cards/{cards['claimed']['id']}/comments/mcp", {"content": "Begun."})).ok()
    question = {
        "content": "Which **zone** counts?",
        "asks": True,
        "options": ["Reader", "Organization"],
        "keepClaim": True,
    }
    (await tester.post(f"/cards/{cards['asked']['id']}/comments/mcp", question)).ok()
    wish = {"toColumnId": board.columns["Done"], "note": "All 212 tests pass; criteria 1 and 3 checked by hand."}
    (await tester.post(f"/cards/{cards['review']['id']}/move-requests/mcp", wish)).ok()
    await tester.patch(f"/cards/{cards['late']['id']}/mcp/status", {"toColumnId": board.columns["Done"]})  # is denied
    for number in range(3):
        gone = await site.card(board, title=f"Obsolete {number}")
        (await sa.delete(f"/cards/{gone['id']}")).ok()
    assert site.service is not None
    await refusals.store_refusals(site.service)
    return Scenery(board, blank, cards)
