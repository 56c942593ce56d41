"""The values that cards have in fields by which they are filtered, such as labels."""

from typing import Annotated

from ..auth.context import Call
from ..auth.policies import may
from ..database.queries import sql
from ..pipeline.routing import routes
from ..schemas import Output, StoredJson

VALUES_MAX = 200  # per field


class UsedValues(Output):
    """Values that cards have in a field, the most frequent ones first."""

    field_id: str
    values: Annotated[list[str], StoredJson]


@routes.get("/organizations/{org_id}/field-values", may("read", "Card"), on_reader_thread=True)
def list_used_values(call: Call, org_id: str) -> list[UsedValues]:
    """List the values that cards have in fields with `showOnCard` whose values are chosen, such as labels.

    For filters: cards can have values that no option names, and people and agents are named by id. Kinds: `select`,
    `multiselect`, `checkbox`, `user` and `agent`. At most 200 of each field, the most frequent ones first; archived
    cards count, too. Fields without values are left out.
    """
    rows = call.tx.all(sql.field_values.list_used, org_id=org_id, limit=VALUES_MAX)
    return [UsedValues.of(row) for row in rows]
