"""Checklists of a card: setting one item."""

from ..auth.context import Call
from ..auth.policies import MODERATE, PICKUP, agent_where
from ..domain.checklist_ticks import Tick
from ..errors import BadRequest, rename_paths
from ..pipeline.routing import routes
from . import cards

PATH = "/cards/{card_id}/checklist"


@routes.patch(PATH, cards.UPDATE_POLICY)
@routes.patch(PATH + "/mcp", agent_where(PICKUP, MODERATE, supports_if_match=True))
def update_checklist(call: Call, card_id: str, body: Tick) -> cards.Card:
    """Tick an item of a checklist, or open it again; returns the card.

    The items are the lines of the rich text `fieldId` that begin, after blanks and any `>`, with a list marker and
    `[ ]` or `[x]`, followed by a blank and a text: `- [ ] text`, `* [x] text`, `> 1. [ ] text`, however far indented.
    Lines between code fences and in `<!-- -->` are none. Items are numbered from 0; `text` is the rest of the line
    without the blanks around it. If the item with this number has another text by now: 409 `conflict` with
    `details.items`, all items as `{text, done}`. Only the mark changes, whatever else is edited at the same time. An
    item that has the state already stays as it is, without a history row.
    """
    try:
        return cards.change_card(call, card_id, {}, ticks=[body])
    except BadRequest as error:
        rename_paths(error, lambda path: path.removeprefix("checklist.0."))
        raise
