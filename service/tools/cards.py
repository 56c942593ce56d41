"""Tools that look at cards."""

from typing import Any

from pydantic import Field

from ..resources.cards import Priority
from ..wire import Id, Output
from . import card_parts
from .bounding import Bounded, Bounds
from .registry import Visit, tool
from .written import Written, stretch, written

Json = dict[str, Any]
COMMENTS_SHOWN = 5  # at a time


class ListCards(Bounds):
    project_id: Id | None = None
    column_id: Id | None = None
    card_type_id: Id | None = None
    assigned_agent_id: Id | None = None
    assigned_user_id: Id | None = None
    priority: Priority | None = None
    q: str | None = Field(None, description="part of the title")
    sort: str | None = Field(None, description="rank (default), -updatedAt, dueDate, priority")
    page: int = 1
    page_size: int = 10


class ClaimOnCard(Output):
    """Who works on a card, and until when."""

    agent_id: str
    expires_at: str


class CardInList(Output):
    """A card as a list shows it."""

    id: str
    key: str
    title: Written
    column_id: str
    priority: Priority
    assigned_agent_id: str | None = None
    assigned_user_id: str | None = None
    due_date: str | None = None
    blocked_by: list[str] | None = None
    claim: ClaimOnCard | None = None
    version: int


class CardList(Bounded):
    """A page of cards."""

    lists = {"items": "ask again with a smaller pageSize, or maxTokens=8000"}
    texts = "get_card shows the whole"
    items: list[CardInList]
    page: int
    page_size: int
    total: int


class GetCard(Bounds):
    card_id: Id
    part: Id | None = Field(None, description="a fieldId or comment id: show only its text, from offset")
    offset: int = Field(0, ge=0, description="character to begin at, with part")
    comments_offset: int = Field(0, ge=0, description="newest comments to skip")


class CardShown(Bounded):
    """A card with all that an agent needs to work on it."""

    lists = {
        "comments": "page on with commentsOffset, or maxTokens=8000",
        "fields": "ask again with maxTokens=8000, or part=<fieldId>",
        "moves": "ask again with maxTokens=8000; get_board shows transitions",
        "blockedBy": "ask again with maxTokens=8000",
    }
    texts = "ask again with part=<fieldId or comment id> and offset, or maxTokens=8000"
    id: str
    key: str
    project_id: str
    column_id: str
    card_type_id: str
    title: Written
    version: int
    priority: Priority
    due_date: str | None = None
    assigned_agent_id: str | None = None
    assigned_user_id: str | None = None
    blocked_by: list[str] | None = None
    claim: ClaimOnCard | None = None
    parent: card_parts.ParentOfCard | None = None
    parts: card_parts.PartsOfCard | None = None
    archived_at: str | None = None
    rules: card_parts.Rules | None = None
    moves: list[card_parts.MoveOfCard] | None = None
    move_request: card_parts.RequestOfCard | None = None
    fields: list[card_parts.FieldOfCard] | None = None
    comments: list[card_parts.CommentOnCard] | None = None
    comments_total: int | None = None
    part: Written | None = None


@tool("List cards, a page at a time, without field values; get_card shows one.", CardList, reads=True)
async def list_cards(visit: Visit, arguments: ListCards) -> CardList:
    """List cards of the organization."""
    query = arguments.model_dump(by_alias=True, exclude_none=True, exclude={"max_tokens"})
    found = await visit.ask("GET /organizations/{org_id}/cards/mcp", None, query)
    return CardList.of({**found, "items": [_listed(card) for card in found["items"]]})


def _listed(card: Json) -> Json:
    title = written("title", card["title"], card["createdBy"])
    return {**card, "title": title, "blockedBy": card["blockedBy"] or None}


@tool(
    "Show a card: fields with what they take, what agents may do here, moves and what is in their way, newest "
    "comments. "
    "With part: one long text of it.",
    CardShown,
    reads=True,
)
async def get_card(visit: Visit, arguments: GetCard) -> CardShown:
    """Show a card with all that is needed to work on it, or one text of it."""
    card = await visit.ask("GET /cards/{card_id}/mcp", card_id=arguments.card_id)
    answer = CardShown.of(_listed(card))
    if arguments.part is not None:
        answer.part = stretch(await card_parts.part_of(visit, card, arguments.part), arguments.offset)
        return answer
    answer.rules = await card_parts.rules_of(visit, card)
    answer.fields = await card_parts.fields_of(visit, card)
    answer.moves = None if card["archivedAt"] else await card_parts.moves_of(visit, card["id"])
    answer.move_request = await card_parts.request_of(visit, card["id"])
    comments = await card_parts.comments_of(visit, card["id"], arguments.comments_offset, COMMENTS_SHOWN)
    answer.comments, answer.comments_total = comments
    return answer
