"""Secrets of webhooks and tool servers that are lost, since the secret of the service has changed."""

from typing import Literal

from ..auth.context import Call
from ..auth.policies import architect
from ..auth.reencryption import is_lost, list_parts
from ..database.queries import sql
from ..pipeline.routing import routes
from ..schemas import Output


class LostSecret(Output):
    """A webhook, named by its URL, or a tool server of which a secret must be set again."""

    type: Literal["webhook", "toolServer"]
    id: str
    name: str


@routes.get("/admin/lost-secrets", architect())
def list_lost_secrets(call: Call) -> list[LostSecret]:
    """List the webhooks and tool servers of the current organization that have lost a secret (SA).

    The secret of the service has changed, so that it cannot decrypt them. Set them again by PATCH.
    """
    encryptor = call.service.encryptor
    webhooks = call.tx.all(sql.lost_secrets.list_webhooks, org_id=call.org_id)
    servers = call.tx.all(sql.lost_secrets.list_tool_servers, org_id=call.org_id)
    found = [
        LostSecret.of({**row, "type": "webhook"}) for row in webhooks if is_lost(encryptor, row["id"], [row["secret"]])
    ]
    for row in servers:
        if is_lost(encryptor, row["id"], [*list_parts(row["env"]), *list_parts(row["auth_token"])]):
            found.append(LostSecret.of({**row, "type": "toolServer"}))
    return found
