"""The context of a card: all that one needs to work on it, in one answer, from one moment (contract, section 7)."""

from typing import Annotated, Any

import orjson
from pydantic import BeforeValidator, Field

from ..auth.context import CardCall
from ..auth.policies import CARD, agent, may
from ..database.queries import sql
from ..database.store import Row
from ..domain import truncation
from ..pipeline.routing import routes
from ..schemas import Actor, Output, Query, StoredJson, stored_json, whole
from . import cards, move_requests, moves, questions

PATH = "/cards/{card_id}/context"
COMMENTS_SHOWN, RELATIONS_SHOWN, FILES_SHOWN = 10, 100, 50


class CardInContext(Output):
    """The card itself, with what stands in its fields by their names."""

    id: str
    key: str
    title: str
    project_id: str
    project: str
    card_type_id: str
    card_type: str
    priority: cards.Priority
    due_date: str | None
    assigned_agent_id: str | None
    assigned_user_id: str | None
    version: int
    blocked_by: Annotated[list[str], StoredJson]
    claim: Annotated[cards.HeldClaim | None, StoredJson]
    created_by: Annotated[Actor, StoredJson]
    created_at: str
    updated_at: str
    archived_at: str | None
    fields: dict[str, str | list[str]]


class Instruction(Output):
    """The current version of the prompt of agents who work in the column."""

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
    """Another card, and what it is to this one: `blockedBy`, `has` and so on."""

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
    """The progress of the parts, and which they are."""

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
    created_at: str


class Context(Output):
    """All that one needs to work on a card; what did not fit is named in `leftOut`."""

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
    left_out: list[truncation.LeftOut]


class ContextQuery(Query):
    max_tokens: Annotated[int, Field(ge=500, le=100_000), BeforeValidator(whole)] = 8000


@routes.get(PATH, may("read", "Card", CARD), bulk=True, answers=Context)
@routes.get(PATH + "/mcp", agent(CARD), bulk=True, answers=Context)
def get_context(call: CardCall, card_id: str, query: ContextQuery) -> bytes:
    """Show all that one needs to work on a card: the card with its values by field name, the column with its prompt,
    moves with what is in their way, parent, parts, relations, files, the newest 10 comments and replies (newest last),
    the open question and move request, else the last ones.

    All of it is of one moment. `maxTokens` (a token counts as 4 bytes) bounds it: long texts end sooner, then
    lists, and `leftOut` tells what, and how much there is.
    """
    related = call.tx.all(sql.context.list_relations, card_id=card_id, limit=RELATIONS_SHOWN + 1)
    said = call.tx.all(sql.context.list_comments, card_id=card_id, limit=COMMENTS_SHOWN)
    shown = Context(
        **_get_card_and_column(call),
        moves=moves.browse(call, card_id),
        **_get_related(call, related[:RELATIONS_SHOWN]),
        files=[NamedFile.of(row) for row in call.tx.all(sql.context.list_files, card_id=card_id, limit=FILES_SHOWN)],
        comments=[Said.of(row) for row in reversed(said)],
        **_get_pending(call),
        left_out=_list_omissions(related, said),
    )
    return truncation.truncate(orjson.loads(shown.encode()), query.max_tokens)


def _list_omissions(related: list[Row], said: list[Row]) -> list[truncation.LeftOut]:
    """Tell of lists that are not whole whatever the room."""
    notes = [] if len(related) <= RELATIONS_SHOWN else [truncation.LeftOut(what="relations", shown=RELATIONS_SHOWN)]
    if said and said[0]["total"] > len(said):
        notes.append(truncation.LeftOut(what="comments", shown=len(said), total=said[0]["total"]))
    return notes


def _get_card_and_column(call: CardCall) -> dict[str, Any]:
    """Give the card with its values by name, and the column with its prompt."""
    about = call.tx.one(sql.context.get_column, card_id=call.card["id"])
    assert about is not None
    rows = call.tx.all(sql.context.list_fields, card_id=call.card["id"])
    values = {row["name"]: stored_json(row["value"]) for row in rows}
    titles = {name: about[name] for name in ("project", "card_type")}
    prompt = None
    if about["prompt_body"] is not None:
        prompt = {name: about[f"prompt_{name}"] for name in ("name", "version", "body")}
    return {
        "card": CardInContext.of({**call.card, **titles, "fields": values}),
        "column": ColumnInContext.of({**about, "prompt": prompt}),
    }


def _get_related(call: CardCall, related: list[Row]) -> dict[str, Any]:
    """Give what hangs together with a card: what it is part of, its parts, all its relations."""
    progress = stored_json(call.card["parts"])
    items = [Part.of(row) for row in related if row["kind"] == "has"]
    return {
        "parent": stored_json(call.card["parent"]),
        "parts": PartsInContext(**progress, items=items) if progress else None,
        "relations": [Relation.of(row) for row in related],
    }


def _get_pending(call: CardCall) -> dict[str, Any]:
    question = call.tx.one(sql.context.get_question, card_id=call.card["id"])
    request = call.tx.one(sql.context.get_move_request, card_id=call.card["id"])
    return {
        "question": question and questions.Question.of(question),
        "request": request and move_requests.MoveRequest.of(request),
    }
