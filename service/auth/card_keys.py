"""Resolution of card keys like REL-12 to card ids (contract, section 7: keys of cards)."""

import re

from ..database.queries import sql
from .authentication import Person
from .context import Call

_KEY = re.compile(r"([A-Za-z][A-Za-z0-9]{1,9})-([1-9][0-9]{0,17})")


def resolve_card_id(call: Call, named: str) -> str:
    """Return the id of the card that an id or key names in the current organization; return unknown text unchanged.

    An id that is visible to the caller takes precedence over a key. Keys of other organizations are never searched.
    """
    match = _KEY.fullmatch(named)
    if match is None:
        return named
    user_id = call.caller.user_id if isinstance(call.caller, Person) else None
    which = {"org_id": call.org_id, "key": match[1].upper(), "number": int(match[2])}
    row = call.tx.one(sql.project_keys.find_card, id_or_key=named, user_id=user_id, **which)
    return row["id"] if row and row["id"] else named
