"""Resolution of card keys like REL-12 to card ids."""

import re

from ..database.queries import sql
from ..database.store import Row
from ..errors import BadRequest, invalid
from ..schemas import json_text, stored_json
from .authentication import Person
from .context import Call

ID_PREFIX = "card_"
_KEY = re.compile(r"#?([A-Za-z][A-Za-z0-9]{1,9})-([1-9][0-9]{0,17})")
_KEY_WITHOUT_HYPHEN = re.compile(r"#?([A-Za-z][A-Za-z0-9]{1,27})")
_SPLIT = re.compile(r"([A-Z][A-Z0-9]{1,9})-([1-9][0-9]{0,17})")


def resolve_card_id(call: Call, named: str, path: str = "cardId") -> str:
    """Return the id of the card that an id or key names in the current organization; return unknown text unchanged.

    An id that is visible to the caller takes precedence over a key. Keys of other organizations are never searched.
    REL-12, rel-12, #REL-12 and REL12 are keys; a card keeps the keys that it had on other boards. Without the hyphen a
    text can mean several cards: raise validation_failed with their keys, if the caller may read them. Cards of active
    boards take precedence.
    """
    user_id = call.caller.user_id if isinstance(call.caller, Person) else None
    rows = _find_cards(call, named, id_or_key=named, user_id=user_id)
    found = [row for row in rows if not row["is_archived"]] or rows
    ids = {row["id"] for row in found}
    if len(ids) > 1 and _may_read_cards(call):
        raise _ambiguous(named, found, path)
    return str(ids.pop()) if len(ids) == 1 else named


def list_card_ids(call: Call, text: str) -> list[str]:
    """Return the ids of the cards of the current organization that a text can mean as a key, without those of ids."""
    return list(dict.fromkeys(row["id"] for row in _find_cards(call, text, id_or_key=None, user_id=None)))


def _find_cards(call: Call, named: str, id_or_key: str | None, user_id: str | None) -> list[Row]:
    keys = _parse_keys(named.strip())
    which = {"org_id": call.org_id, "keys": json_text(keys)}
    return call.tx.all(sql.project_keys.find_cards, id_or_key=id_or_key, user_id=user_id, **which) if keys else []


def resolve_card_filter(call: Call, named: str) -> str:
    """Return the id of the card that the filter of a list names; raise validation_failed if it names none.

    A removed card counts as named. It leaves no trace of its id, so any id of a card is taken.
    """
    card_id, keys = resolve_card_id(call, named), _parse_keys(named.strip())
    is_id = card_id.startswith(ID_PREFIX)
    is_known = is_id or call.tx.one(sql.directory.get_card, card_id=card_id, org_id=call.org_id) is not None
    if is_known or call.tx.value(sql.directory.is_known_card, keys=json_text(keys), org_id=call.org_id):
        return card_id
    raise invalid("cardId", "names no card; send a card key such as REL-12, or the id of a card")


def _parse_keys(text: str) -> list[dict[str, str | int]]:
    """Return each project key and number that a text can mean: without the hyphen, PX61 is PX-61 or PX6-1."""
    if match := _KEY.fullmatch(text):
        return [{"key": match[1].upper(), "number": int(match[2])}]
    if not (match := _KEY_WITHOUT_HYPHEN.fullmatch(text)):
        return []
    joined = match[1].upper()
    splits = (_SPLIT.fullmatch(f"{joined[:end]}-{joined[end:]}") for end in range(2, len(joined)))
    return [{"key": split[1], "number": int(split[2])} for split in splits if split]


def _may_read_cards(call: Call) -> bool:
    """Return whether the caller may read the cards of the current organization, which is known before its membership.

    An agent is checked before its card.
    """
    if not isinstance(call.caller, Person):
        return True
    row = call.tx.one(sql.access.get_membership, user_id=call.caller.user_id, org_id=call.org_id)
    return row is not None and "read" in stored_json(row["actions"]).get("Card", ())


def _ambiguous(named: str, found: list[Row], path: str) -> BadRequest:
    keys = [row["key"] for row in found]
    error = invalid(path, f"{named.strip()!r} means {' or '.join(keys)}; write the key with its hyphen")
    error.details["options"] = keys
    return error
