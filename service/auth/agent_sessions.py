"""Sessions of agents: each process of an agent names itself, so that processes do not share claims.

A session is a name that the client chooses or receives from the tool server; the service stores it only with claims.
"""

import logging
import re
from collections.abc import Mapping
from hashlib import sha256

from ..database.queries import sql
from ..database.store import Share, Tx
from ..errors import invalid
from .authentication import Caller, Key
from .context import Service

HEADER, MCP_HEADER = "X-Agent-Session", "Mcp-Session-Id"
_NAME = re.compile("[ -~]{1,64}")
log = logging.getLogger("service")


def parse_session(headers: Mapping[str, str]) -> str | None:
    """Return the session that a request names, or None; raise validation_failed if the name is malformed."""
    name = headers.get(HEADER)
    if name is not None and not _NAME.fullmatch(name):
        raise invalid(HEADER, "must be 1 to 64 printable ASCII characters")
    return name


def parse_tool_session(headers: Mapping[str, str]) -> str | None:
    """Return the session of a message to the tool server: the one that it names, else the one of its protocol."""
    if (name := parse_session(headers)) is not None:
        return name
    mcp_name = headers.get(MCP_HEADER) or None
    if mcp_name is None or _NAME.fullmatch(mcp_name):
        return mcp_name
    return sha256(mcp_name.encode(errors="surrogateescape")).hexdigest()


async def renew_claims(service: Service, caller: Caller, agent_id: str | None, session: str | None) -> None:
    """Renew all claims of a session for their full length, unless that was done within the last minute.

    A lease of less than three minutes is renewed at each third of its length.
    """
    if agent_id is None or session is None or not isinstance(caller, Key):
        return
    where = {"org_id": caller.org_id, "agent_id": agent_id, "session": session}

    def renew(tx: Tx) -> None:
        tx.clock = service.clock
        tx.run(sql.claims.renew_session, now=tx.now, **where)
        tx.on_commit(lambda: service.notify_change(where["org_id"]))

    try:
        if service.store.read_inline(lambda tx: tx.value(sql.claims.is_renewal_due, now=service.clock(), **where)):
            await service.store.write(renew, Share(caller.org_id))
    except Exception:
        log.exception("the claims of a session of agent %s could not be renewed", agent_id)
