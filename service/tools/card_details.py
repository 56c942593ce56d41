"""Details of a card that its context leaves out: rules of its fields, earlier comments, complete texts and lists."""

from typing import Any

import orjson

from ..auth.context import Call
from ..errors import NotFound
from ..pipeline import name_resolution
from ..resources import comments, fields
from ..text.comparison import fold_name
from . import card_context, checklist_items
from .token_limit import TruncatableResult

Json = dict[str, Any]
LISTS = (
    "comments",
    "relations",
    "parts",
    "files",
    "takes",
    "moves",
    "checklist",
)  # of a card, each a `part` of its own
COMMENTS_WITH_CARD, COMMENTS_PER_PAGE = 10, 100  # beside the card, and if only comments are asked for


def find_list(part: str | None) -> str | None:
    """Return the list of a card that a part names in any spelling, or None."""
    return next((name for name in LISTS if part is not None and fold_name(name) == fold_name(part)), None)


def render_details(part: str | None, comments_offset: int, call: Call, found: Json) -> Json:
    """Return a card with its context and details, in the transaction that read its context."""
    card = found["card"]
    count = COMMENTS_PER_PAGE if part == "comments" else COMMENTS_WITH_CARD
    page, total = _list_comments(call, card["id"], comments_offset, count)
    rules = None if card["archivedAt"] else _list_field_rules(call, card["cardTypeId"])
    notes = [note for note in found["leftOut"] if not note["what"].startswith("comments")]
    if len(page) < total:
        notes.append({"what": "comments", "shown": len(page), "total": total})
    context = card_context.render_context(call, {**found, "leftOut": notes})
    items = checklist_items.list_items(call, card) if card["checklist"] else None
    return {**context, "checklist": items, "takes": rules, "comments": page, "commentsTotal": total}


def select_list(content: Json, part: str, offset: int) -> TruncatableResult:
    """Return one list of a card from an entry on; comments newest first."""
    items: list[Json] = (content[part] or {}).get("items", []) if part == "parts" else content[part] or []
    total, hint = len(items), "ask again with offset"
    if part == "comments":
        items, total, hint = items[::-1], content["commentsTotal"], "ask again with commentsOffset"
    about = {"key": content["card"]["key"], "part": part, "offset": offset, "total": total}
    return TruncatableResult({**about, "items": items[offset:]}, {"items": hint}, card_context.TEXT_HINT)


def _list_field_rules(call: Call, card_type_id: str) -> list[Json]:
    """Return the fields of a card type with the rules for their values."""
    rules = ("required", "options", "validation", "multiple")
    found = [field.model_dump(by_alias=True) for field in fields.list_fields(call, call.org_id, card_type_id)]
    return [
        {"name": field["name"], "kind": field["kind"], **{key: field[key] or None for key in rules}} for field in found
    ]


def _list_comments(call: Call, card_id: str, offset: int, count: int) -> tuple[list[Json], int]:
    """Return a page of comments with replies, newest last, and the total; `offset` skips the newest ones."""
    full_pages, start = divmod(offset, count)
    page = _get_comment_page(call, card_id, full_pages + 1, count)
    items: list[Json] = page["items"]
    if start and len(items) == count:
        items += _get_comment_page(call, card_id, full_pages + 2, count)["items"]
    newest_first = items[start : start + count]
    return [card_context.render_comment(item) for item in reversed(newest_first)], page["total"]


def _get_comment_page(call: Call, card_id: str, number: int, size: int) -> Json:
    query = comments.CommentQuery.model_construct(page=number, page_size=size, order="desc")
    page: Json = orjson.loads(comments.list_comments(call, card_id, query).body or b"")
    return page


def get_text(part: str, call: Call, card: Json) -> Json:
    """Return one complete text of a card, which is the value of a field, a comment or a reply; raise NotFound."""
    values = {item["fieldId"]: item["value"] for item in card["fieldValues"]}
    named = name_resolution.list_fields_named(call, part, card["cardTypeId"])
    found = [field["id"] for field in named if field["id"] in values]
    if len(found) > 1:
        name_resolution.find_field(call, part, card["cardTypeId"], "part")  # raises the error that lists them
    if found:
        return {"key": card["key"], "text": values[found[0]]}
    content = comments.find_content(call, card["id"], part)
    if content is None:
        raise NotFound("field or comment on the card")
    return {"key": card["key"], "text": content}
