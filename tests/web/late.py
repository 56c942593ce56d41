"""Answers that come late, as over a bad line: tests of the page that pass at once and fail with it rely on luck.

    LATE=0.3 python -m pytest -p tests.web.late tests/web

Each request of a browser waits up to so many seconds before it is answered, and so does its answer.
"""

import asyncio
import os
import random
from typing import Any

from aiohttp import web

from service.pipeline import server

MOST_SECONDS = float(os.environ.get("LATE", "0.3"))
answer = server._dispatch


async def _late(*request_context: Any) -> web.StreamResponse:
    request: web.Request = request_context[-1]
    is_late = "Mozilla" in request.headers.get("User-Agent", "") and request.path.startswith("/api/")
    if is_late:
        await asyncio.sleep(random.uniform(0, MOST_SECONDS))  # noqa: S311
    response = await answer(*request_context)
    if is_late and isinstance(response, web.Response):  # not of a stream, which is over by now
        await asyncio.sleep(random.uniform(0, MOST_SECONDS))  # noqa: S311
    return response


server._dispatch = _late
