"""The context of a card: everything needed to work on it, in one consistent response."""

from collections.abc import Sequence
from typing import Annotated, Any

import orjson
from pydantic import BeforeValidator, Field

from ..auth.context import Call, CardCall
from ..auth.policies import CARD, agent, may
from ..database.queries import sql
from ..database.store import Row
from ..domain import truncation
from ..pipeline.routing import routes
from ..schemas import Actor, Output, Query, StoredJson, require_whole_number, stored_json
from . import cards, move_requests, moves, questions

PATH = "/cards/{card_id}/context"
COMMENTS_SHOWN, RELATIONS_SHOWN, FILES_SHOWN = 10, 100, 50
TOKENS_DEFAULT = 6000


class CardInContext(Output):
    """The card, with its field values by field name."""

    id: str
    key: str
    title: str
    project_id: str
    project: str
    card_type_id: str
    card_type: str
    priority: cards.Priority
    due_date: str | None
    due_all_day: bool
    assigned_agent_id: str | None
    assigned_user_id: str | None
    version: int
    blocked_by: Annotated[list[str], StoredJson]
    checklist: Annotated[cards.ChecklistCounts | None, StoredJson]
    claim: Annotated[cards.HeldClaim | None, StoredJson]
    created_by: Annotated[Actor, StoredJson]
    created_at: str
    updated_at: str
    archived_at: str | None
    fields: dict[str, str | list[str]]


class Instruction(Output):
    """The current version of the column's prompt for agents."""

    name: str
    version: str
    body: str


class ColumnInContext(Output):
    id: str
    title: str
    agent_pickup_enabled: bool
    agent_can_moderate: bool
    prompt: Instruction | None


class Relation(Output):
    """A related card and the kind of the relation, for example `blockedBy` or `has`."""

    kind: str
    key: str
    title: str
    column: str
    done: bool


class Part(Output):
    key: str
    title: str
    column: str
    done: bool


class PartsInContext(cards.Parts):
    """The parts of the card and their progress."""

    items: list[Part]


class NamedFile(Output):
    id: str
    field: str
    name: str
    size_bytes: int


class Said(Output):
    """A comment, or a reply if it has a `parentId`."""

    id: str
    parent_id: str | None
    content: str
    actor: Annotated[Actor, StoredJson]
    imported: bool
    created_at: str


class Context(Output):
    """Everything needed to work on a card; `leftOut` lists what was truncated."""

    left_out: list[truncation.LeftOut]
    card: CardInContext
    column: ColumnInContext
    moves: list[moves.LegalMove]
    parent: cards.Parent | None
    parts: PartsInContext | None
    relations: list[Relation]
    files: list[NamedFile]
    comments: list[Said]
    question: questions.Question | None
    request: move_requests.MoveRequest | None


class ContextQuery(Query):
    max_tokens: Annotated[int, Field(ge=500, le=100_000), BeforeValidator(require_whole_number)] = TOKENS_DEFAULT


@routes.get(PATH, may("read", "Card", CARD, loads_whole_card=True), on_reader_thread=True, answers=Context)
@routes.get(PATH + "/mcp", agent(CARD, loads_whole_card=True), on_reader_thread=True, answers=Context)
def get_context(call: CardCall, card_id: str, query: ContextQuery) -> bytes:
    """Return everything needed to work on a card, read in one transaction.

    That is the card with its values by field name, the column with its prompt, the moves with their blockers, parent,
    parts, relations, files, the newest 10 comments and replies (newest last), and the open question and move request,
    or the latest ones if none is open; for agents, decided ones have `next`: what to do now. `maxTokens` (4 bytes each,
    default 6,000) limits the size: the oldest comments are left out first, then relations and other lists, newer
    comments, the card's own texts, and last its description. `leftOut`, the first key, lists what was truncated.
    """
    related = _list_related(call, card_id, RELATIONS_SHOWN + 1)
    recent = call.tx.all(sql.context.list_comments, card_id=card_id, limit=COMMENTS_SHOWN)
    shown = Context(
        **_get_card_and_column(call),
        moves=moves.list_moves(call, card_id),
        **_get_related(call, related[:RELATIONS_SHOWN]),
        files=[NamedFile.of(row) for row in call.tx.all(sql.context.list_files, card_id=card_id, limit=FILES_SHOWN)],
        comments=[Said.of(row) for row in reversed(recent)],
        **_get_pending(call),
        left_out=_list_omissions(related, recent),
    )
    return orjson.dumps(truncation.truncate(orjson.loads(shown.encode()), query.max_tokens))


def _list_related(call: Call, card_id: str, limit: int) -> list[Row]:
    """Return the relations of a card, and its parts after them."""
    related = call.tx.all(sql.context.list_relations, card_id=card_id, limit=limit)
    return related + call.tx.all(sql.context.list_parts, card_id=card_id, limit=limit - len(related))


def _list_omissions(related: list[Row], recent: Sequence[Row]) -> list[truncation.LeftOut]:
    """Return notes on lists that exceed their fixed limits, independent of `maxTokens`."""
    notes = [] if len(related) <= RELATIONS_SHOWN else [truncation.LeftOut(what="relations", shown=RELATIONS_SHOWN)]
    if recent and recent[0]["total"] > len(recent):
        notes.append(truncation.LeftOut(what="comments", shown=len(recent), total=recent[0]["total"]))
    return notes


def _get_card_and_column(call: CardCall) -> dict[str, Any]:
    """Return the card with its values by field name, and the column with its prompt."""
    about = call.tx.one(sql.context.get_column, card_id=call.card["id"])
    assert about is not None
    rows = call.tx.all(sql.context.list_fields, card_id=call.card["id"])
    values = {row["name"]: stored_json(row["value"]) for row in rows}
    titles = {"project": about["project"], "card_type": about["card_type"]}
    prompt = None
    if about["prompt_body"] is not None:
        prompt = {"name": about["prompt_name"], "version": about["prompt_version"], "body": about["prompt_body"]}
    return {
        "card": CardInContext.of({**call.card, **titles, "fields": values}),
        "column": ColumnInContext.of({**about, "prompt": prompt}),
    }


def _get_related(call: CardCall, related: list[Row]) -> dict[str, Any]:
    """Return the parent, the parts and the relations of a card."""
    card: Row = call.card  # with all its columns
    progress = stored_json(card["parts"])
    items = [Part.of(row) for row in related if row["kind"] == "has"]
    return {
        "parent": stored_json(card["parent"]),
        "parts": PartsInContext(**progress, items=items) if progress else None,
        "relations": [Relation.of(row) for row in related],
    }


def _get_pending(call: CardCall) -> dict[str, Any]:
    question = call.tx.one(sql.context.get_question, card_id=call.card["id"])
    request = call.tx.one(sql.context.get_move_request, card_id=call.card["id"], org_id=call.org_id)
    return {
        "question": question and questions.to_output(call, question),
        "request": request and move_requests.to_output(call, request),
    }
