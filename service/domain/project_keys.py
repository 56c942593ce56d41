"""Project keys, the prefixes of card keys."""

import re
import unicodedata
from itertools import chain
from typing import Annotated

from pydantic import AfterValidator

from ..auth.context import Call
from ..database.queries import sql
from ..database.store import Tx
from ..errors import Conflict

KEY_CHARACTERS_MAX = 10
# Suffixes that are tried for a key, counted from the number of similar keys. The steps grow, since a user may have
# taken very many numbers in a row.
STEPS = (*range(1, 10), *(1 << power for power in range(4, 30)))
_KEY = re.compile(r"[A-Z][A-Z0-9]{1,9}")


def _check_key(key: str) -> str:
    if not _KEY.fullmatch(key):
        raise ValueError("must be 2 to 10 capital letters and digits, a letter first, for example REL")
    return key


ProjectKey = Annotated[str, AfterValidator(_check_key)]


def derive_key(title: str) -> str:
    """Return a key for a title: the initials of its words, or the first three letters of a single word."""
    decomposed = unicodedata.normalize("NFKD", title.upper())  # separates letters from accents
    words = re.findall("[A-Z0-9]+", "".join(sign for sign in decomposed if not unicodedata.combining(sign)))
    key = "".join(word[0] for word in words) if len(words) > 1 else "".join(words)[:3]
    return (key if key[:1].isalpha() else f"P{key}")[:KEY_CHARACTERS_MAX]


def count_similar_keys(tx: Tx, org_id: str, title: str) -> int:
    """Count the keys of an organization that begin with the key derived from a title."""
    return int(tx.value(sql.project_keys.count_by_prefix, org_id=org_id, prefix=derive_key(title)))


def find_free_key(tx: Tx, org_id: str, title: str, counted: dict[str, int] | None = None) -> str:
    """Return a key derived from a title that no project of the organization has or had.

    Callers that create many projects pass `counted`, the number of keys by prefix, which saves a query for each. Raises
    key_exists if all keys that are tried are taken.
    """
    base, counted = derive_key(title), {} if counted is None else counted
    similar = counted[base] if base in counted else count_similar_keys(tx, org_id, title)
    counted[base] = similar + 1
    numbers = (number for step in STEPS if (number := similar + step) < 10 ** (KEY_CHARACTERS_MAX - 1))
    numbered = (f"{base[: KEY_CHARACTERS_MAX - len(str(number))]}{number}" for number in numbers)
    for key in numbered if len(base) == 1 else chain([base], numbered):
        if tx.value(sql.project_keys.find_project, org_id=org_id, key=key) is None:
            return key
    raise Conflict("key_exists", "Choose a key for this project: those made from its title are taken.", key=base)


def reserve_key(call: Call, project_id: str, key: str) -> None:
    """Reserve a key for a project; raise key_exists if another project has or had it."""
    owner_id = call.tx.value(sql.project_keys.find_project, org_id=call.org_id, key=key)
    if owner_id not in (None, project_id):
        message = "Another project has or had this key, and its links must keep working; choose another key."
        raise Conflict("key_exists", message, key=key)
    call.tx.run(sql.project_keys.reserve, org_id=call.org_id, key=key, project_id=project_id)
