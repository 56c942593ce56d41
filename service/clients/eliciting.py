"""What the stdio bridge does for a client of the older era that asks the person at it: it carries the form to and fro.

The service has a form filled in by the younger era only: it answers a call with what is to be asked, and is called
again with what came of it. A client of the older era is sent a request of its own instead (elicitation/create).
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from typing import Any

Message = dict[str, Any]
Post = Callable[[Message], Awaitable[Message]]
INQUIRING = ("ask",)  # tools that may have the person at the client asked
VERSION_OF = "io.modelcontextprotocol/protocolVersion"
META = {
    VERSION_OF: "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
}
ANSWER_SECONDS = 600.0  # in which the person at the client may answer
CANCELLED = {"action": "cancel"}


class Eliciting:
    """The forms that one client has been sent."""

    def __init__(self, write: Callable[[Message], None]) -> None:
        self._write = write
        self._is_offered = False
        self._waiting: dict[str, asyncio.Future[Message]] = {}
        self._numbers = itertools.count(1)
        self._late: set[asyncio.Task[Message]] = set()

    def hear(self, message: Message) -> bool:
        """Learn from a message what the client offers; tell whether it is an answer to a form, and for nobody else."""
        if message.get("method") == "initialize":
            self._is_offered = _offers_forms(message.get("params"))
        waiting = None if "method" in message else self._waiting.pop(str(message.get("id")), None)
        if waiting is not None and not waiting.done():
            waiting.set_result(message)
        return waiting is not None

    async def carry(self, message: Message, post: Post) -> Message:
        """Carry a message to the service, and forms to the client, until there is an answer."""
        if not (self._is_offered and _is_inquiring(message)):
            return await post(message)
        meta = {**message["params"].get("_meta", {}), **META}
        call = {**message, "params": {**message["params"], "_meta": meta}}
        answer = await post(call)
        while (result := answer.get("result") or {}).get("resultType") == "input_required":
            again = {**call["params"], "requestState": result.get("requestState")}
            answer = await self._fill(result.get("inputRequests") or {}, {**call, "params": again}, post)
        if result:
            answer = {**answer, "result": {key: result[key] for key in result.keys() - {"resultType", "_meta"}}}
        return answer

    async def _fill(self, forms: Message, call: Message, post: Post) -> Message:
        """Have forms filled in, one after the other, and call again; who gives up waiting has cancelled them."""

        def again(filled: Message) -> Message:
            return {**call, "params": {**call["params"], "inputResponses": filled}}

        try:
            return await post(again({name: await self._filled(form) for name, form in forms.items()}))
        except asyncio.CancelledError:
            task = asyncio.ensure_future(post(again(dict.fromkeys(forms, CANCELLED))))
            self._late.add(task)
            task.add_done_callback(self._late.discard)
            raise

    async def _filled(self, form: Message) -> Message:
        """Send one form to the client, and give what it was filled in with; an error is no more than no answer."""
        form_id = f"form-{next(self._numbers)}"
        self._waiting[form_id] = asyncio.get_running_loop().create_future()
        self._write({"jsonrpc": "2.0", "id": form_id, "method": form.get("method"), "params": form.get("params")})
        try:
            answer = await asyncio.wait_for(self._waiting[form_id], ANSWER_SECONDS)
        except TimeoutError:
            return CANCELLED
        finally:
            self._waiting.pop(form_id, None)
        result = answer.get("result")
        return result if isinstance(result, dict) and "action" in result else CANCELLED


def _offers_forms(params: Any) -> bool:
    capabilities = params.get("capabilities") if isinstance(params, dict) else None
    offered = capabilities.get("elicitation") if isinstance(capabilities, dict) else None
    return isinstance(offered, dict) and ("form" in offered or "url" not in offered)


def _is_inquiring(message: Message) -> bool:
    """Tell whether a message is a call, in the older era, of a tool that may ask."""
    params = message.get("params")
    if message.get("method") != "tools/call" or not isinstance(params, dict):
        return False
    meta = params.get("_meta", {})
    return params.get("name") in INQUIRING and isinstance(meta, dict) and VERSION_OF not in meta
