"""Which card somebody names: by its id, or by its key (contract, section 7: keys of cards)."""

import re

from ..database.queries import sql
from .authentication import Person
from .context import Call

_KEY = re.compile(r"([A-Za-z][A-Za-z0-9]{1,9})-([1-9][0-9]{0,17})")


def card_id(call: Call, named: str) -> str:
    """Give the id of the card that a text names in the current organization; what names none is given back.

    An id that the caller may know of wins over a key, and keys of other organizations are never looked at.
    """
    match = _KEY.fullmatch(named)
    if match is None:
        return named
    user_id = call.caller.user_id if isinstance(call.caller, Person) else None
    which = {"org_id": call.org_id, "key": match[1].upper(), "number": int(match[2])}
    row = call.tx.one(sql.project_keys.find_card, id_or_key=named, user_id=user_id, **which)
    return row["id"] if row and row["id"] else named
