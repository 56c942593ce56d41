"""Links: the contents of one file for a minute, without a credential, for downloads by the browser itself."""

import time
from dataclasses import replace
from datetime import UTC, datetime

from aiohttp import web

from ..auth import signed_links
from ..auth.authentication import Person
from ..auth.context import FileCall
from ..auth.policies import FILE, may, public
from ..clock import timestamp
from ..errors import Forbidden, Unauthorized
from ..pipeline.pipeline import Operation
from ..pipeline.routing import PREFIX, routes
from ..schemas import Output
from . import file_contents

LINK_SECONDS = 60
READING = may("read", "File", FILE)


class Link(Output):
    """Where the contents are for a while; the path begins with /api/v1."""

    url: str
    expires_at: str


class LinkQuery(file_contents.ContentQuery):
    token: str


@routes.post("/files/{file_id}/link", READING)
def add(call: FileCall, file_id: str) -> Link:
    """Make a link to the contents of this file alone, for 60 s: for large downloads and media, which send no header.

    Whoever has it reads the contents as the caller would, and no longer: it ends with the caller's right to the file,
    and when they sign out.
    """
    assert isinstance(call.caller, Person)
    expires = int(time.time()) + LINK_SECONDS
    named = signed_links.Named(call.caller.user_id, call.caller.issued_at, expires)
    token = signed_links.sign(call.service.settings.secret, file_id, named)
    url = f"{PREFIX}/files/{file_id}/linked?token={token}"
    return Link(url=url, expires_at=timestamp(datetime.fromtimestamp(expires, UTC)))


@routes.get("/files/{file_id}/linked", public(FILE))
async def read(operation: Operation[FileCall], file_id: str, query: LinkQuery) -> web.StreamResponse:
    """Stream the contents of a file to whoever has a link to it; 403 when that is over, 404 when the file is gone."""
    named = signed_links.opened(operation.service.settings.secret, file_id, query.token)
    if named is None:
        raise _over()
    person = Person(named.user_id, None, named.issued_at, named.expires)
    if operation.request_context is not None:
        operation.request_context.caller_id = person.id
    route = replace(operation.route, policy=READING)
    own = replace(operation, caller=person, route=route)
    try:
        return await file_contents.read(own, file_id, query)
    except Unauthorized:
        raise _over() from None


def _over() -> Forbidden:
    return Forbidden(None, "The link is over or not whole; open the file again for a new one.")
