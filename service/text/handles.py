"""Handles: the unique names by which people are mentioned."""

import json
import re
from collections import Counter

from .comparison import fold_text

PATTERN = r"^[a-z0-9][a-z0-9-]{1,30}$"
RESERVED = frozenset({"all", "channel", "everyone", "here", "me", "nobody", "none", "system", "team"})
_MADE_CHARACTERS_MAX = 24  # of a handle that is made from a name, so that there is room for a number
_DEFAULT = "user"


def check_handle(handle: str) -> str:
    """Return a handle; raise ValueError if it is malformed or reserved."""
    if not re.fullmatch(PATTERN, handle):
        raise ValueError("must have 2 to 31 of a-z, 0-9 and hyphens, and begin with a letter or digit")
    if handle in RESERVED:
        raise ValueError("is reserved; choose another one")
    return handle


def propose_handle(name: str, email: str) -> str:
    """Return the handle that a name or else an e-mail address makes, in ASCII; others may have it already."""
    proposals = (_to_ascii(text) for text in (name, email.partition("@")[0]))
    return next((text for text in proposals if len(text) > 1 and text not in RESERVED), _DEFAULT)


def _to_ascii(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", fold_text(text)).strip("-")[:_MADE_CHARACTERS_MAX].strip("-")


def assign_handles(people: str) -> str:
    """Return a handle for each of the `[id, name, email]` of a JSON list, in its order, as a JSON object by id."""
    taken: set[str] = set()
    numbers: Counter[str] = Counter()  # the last number behind each proposed handle
    handles = {}
    for user_id, name, email in json.loads(people):
        handle = proposal = propose_handle(name, email)
        while handle in taken:
            numbers[proposal] = max(numbers[proposal], 1) + 1
            handle = f"{proposal}-{numbers[proposal]}"
        handles[user_id] = handle
        taken.add(handle)
    return json.dumps(handles)
