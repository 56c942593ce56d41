"""Download links: the contents of one file for a minute without an Authorization header, for use by browsers."""

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
READ_FILE = may("read", "File", FILE, and_resource="Card")


class Link(Output):
    """Temporary address of the contents of a file; the path begins with that of public_url, then /api/v1."""

    url: str
    expires_at: str


class LinkQuery(file_contents.ContentQuery):
    token: str


@routes.post("/files/{file_id}/link", READ_FILE, grows=False)
def create_link(call: FileCall, file_id: str) -> Link:
    """Create a link to the contents of this file that is valid for 60 s, for downloads and media without a header.

    Creating and following it needs the permission to read cards, too.

    Anybody with the link can read the contents as the caller. It becomes invalid earlier if the caller loses access to
    the file or signs out.
    """
    assert isinstance(call.caller, Person)
    expires = int(time.time()) + LINK_SECONDS
    person = call.caller
    named = signed_links.LinkPayload(person.user_id, person.issued_at, expires, person.session_id)
    token = signed_links.sign(call.service.settings.secret, file_id, named)
    url = call.service.settings.external_path(f"{PREFIX}/files/{file_id}/linked?token={token}")
    return Link(url=url, expires_at=timestamp(datetime.fromtimestamp(expires, UTC)))


@routes.get("/files/{file_id}/linked", public(FILE))
async def get_linked_contents(operation: Operation[FileCall], file_id: str, query: LinkQuery) -> web.StreamResponse:
    """Stream the contents of a file by its link; 403 if the link is invalid or expired, 404 if the file was deleted."""
    named = signed_links.verify(operation.service.settings.secret, file_id, query.token)
    if named is None:
        raise _invalid_link()
    person = Person(named.user_id, None, named.issued_at, named.expires, named.session_id)
    if operation.request_context is not None:
        operation.request_context.caller_id = person.id
    route = replace(operation.route, policy=READ_FILE)
    read_operation = replace(operation, caller=person, route=route)
    try:
        return await file_contents.get_contents(read_operation, file_id, query)
    except Unauthorized:
        raise _invalid_link() from None


def _invalid_link() -> Forbidden:
    return Forbidden(None, "The link has expired or is incomplete. Open the file again to get a new one.")
