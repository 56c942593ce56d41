"""What there is of a card beside its context: what its fields take, earlier comments, and single texts in full."""

from typing import Any

import orjson

from ..auth.context import Call
from ..errors import NotFound
from ..pipeline import name_resolution
from ..resources import comments, fields
from . import contexts

Json = dict[str, Any]
COMMENTS_SHOWN = 10  # at a time


def told(comments_skipped: int, call: Call, found: Json) -> Json:
    """Tell a card whole, in the transaction that read its context."""
    card = found["card"]
    said, total = _comments(call, card["id"], comments_skipped)
    takes = None if card["archivedAt"] else _takes(call, card["cardTypeId"])
    return {**contexts.told(call, found), "takes": takes, "comments": said, "commentsTotal": total}


def _takes(call: Call, card_type_id: str) -> list[Json]:
    """List the fields of a card type: what they take."""
    said = ("required", "options", "validation", "multiple")
    found = [field.model_dump(by_alias=True) for field in fields.list_fields(call, call.org_id, card_type_id)]
    return [
        {"name": field["name"], "kind": field["kind"], **{key: field[key] or None for key in said}} for field in found
    ]


def _comments(call: Call, card_id: str, skipped: int) -> tuple[list[Json], int]:
    """List comments of a card with their replies, newest last, but for the newest ones; and count them all."""
    first, begun = divmod(skipped, COMMENTS_SHOWN)
    page = _page(call, card_id, first + 1)
    found: list[Json] = page["items"]
    if begun and len(found) == COMMENTS_SHOWN:
        found += _page(call, card_id, first + 2)["items"]
    wanted = found[begun : begun + COMMENTS_SHOWN]
    return [contexts.comment(item) for item in reversed(wanted)], page["total"]


def _page(call: Call, card_id: str, number: int) -> Json:
    query = comments.CommentQuery.model_construct(page=number, page_size=COMMENTS_SHOWN, order="desc")
    page: Json = orjson.loads(comments.list_comments(call, card_id, query).body or b"")
    return page


def text(part: str, call: Call, card: Json) -> Json:
    """Give one text of a card in full: the value of a field, a comment or a reply; raise NotFound."""
    values = {item["fieldId"]: item["value"] for item in card["fieldValues"]}
    names = name_resolution.names(call, values)
    for field_id, value in values.items():
        if part in (field_id, names.get(field_id)):
            return {"key": card["key"], "text": value}
    content = comments.find_content(call, card["id"], part)
    if content is None:
        raise NotFound("field or comment on the card")
    return {"key": card["key"], "text": content}
