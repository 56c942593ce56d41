"""Relay of elicitation forms between the service and clients that use an older version of MCP over stdio.

The service supports forms only in version 2026-07-28 of MCP: it responds to a call with the forms, and expects the
call again with the answers. The bridge sends an older client a request for each form instead (elicitation/create).
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from typing import Any

Message = dict[str, Any]
Post = Callable[[Message], Awaitable[Message]]
FORM_TOOLS = ("ask",)  # tools that may show a form to the person at the client
VERSION_OF = "io.modelcontextprotocol/protocolVersion"
META = {
    VERSION_OF: "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
}
ANSWER_SECONDS = 600.0  # time for the person at the client to answer
CANCELLED = {"action": "cancel"}


class FormRelay:
    """Sends forms to one client and waits for the answers."""

    def __init__(self, write: Callable[[Message], None]) -> None:
        self._write = write
        self._can_show_forms = False
        self._pending: dict[str, asyncio.Future[Message]] = {}
        self._numbers = itertools.count(1)
        self._cancellations: set[asyncio.Task[Message]] = set()

    def observe(self, message: Message) -> bool:
        """Read the capabilities of the client from a message; return whether the message is the answer to a form."""
        if message.get("method") == "initialize":
            self._can_show_forms = _supports_forms(message.get("params"))
        waiting = None if "method" in message else self._pending.pop(str(message.get("id")), None)
        if waiting is not None and not waiting.done():
            waiting.set_result(message)
        return waiting is not None

    async def relay(self, message: Message, post: Post) -> Message:
        """Send a message to the service and its forms to the client, and return the final answer."""
        if not (self._can_show_forms and _may_need_form(message)):
            return await post(message)
        meta = {**message["params"].get("_meta", {}), **META}
        call = {**message, "params": {**message["params"], "_meta": meta}}
        answer = await post(call)
        while (result := answer.get("result") or {}).get("resultType") == "input_required":
            params = {**call["params"], "requestState": result.get("requestState")}
            answer = await self._show_forms(result.get("inputRequests") or {}, {**call, "params": params}, post)
        if result:
            answer = {**answer, "result": {key: result[key] for key in result.keys() - {"resultType", "_meta"}}}
        return answer

    async def _show_forms(self, forms: Message, call: Message, post: Post) -> Message:
        """Show forms one after another and repeat the call with the answers; a cancelled call cancels them."""

        def repeat_call(answers: Message) -> Message:
            return {**call, "params": {**call["params"], "inputResponses": answers}}

        try:
            return await post(repeat_call({name: await self._show_form(form) for name, form in forms.items()}))
        except asyncio.CancelledError:
            task = asyncio.ensure_future(post(repeat_call(dict.fromkeys(forms, CANCELLED))))
            self._cancellations.add(task)
            task.add_done_callback(self._cancellations.discard)
            raise

    async def _show_form(self, form: Message) -> Message:
        """Send one form to the client and return its answer; an error or a timeout counts as cancelled."""
        form_id = f"form-{next(self._numbers)}"
        self._pending[form_id] = asyncio.get_running_loop().create_future()
        self._write({"jsonrpc": "2.0", "id": form_id, "method": form.get("method"), "params": form.get("params")})
        try:
            answer = await asyncio.wait_for(self._pending[form_id], ANSWER_SECONDS)
        except TimeoutError:
            return CANCELLED
        finally:
            self._pending.pop(form_id, None)
        result = answer.get("result")
        return result if isinstance(result, dict) and "action" in result else CANCELLED


def _supports_forms(params: Any) -> bool:
    capabilities = params.get("capabilities") if isinstance(params, dict) else None
    elicitation = capabilities.get("elicitation") if isinstance(capabilities, dict) else None
    return isinstance(elicitation, dict) and ("form" in elicitation or "url" not in elicitation)


def _may_need_form(message: Message) -> bool:
    """Return whether a message is a call, in an older version of MCP, of a tool that may show a form."""
    params = message.get("params")
    if message.get("method") != "tools/call" or not isinstance(params, dict):
        return False
    meta = params.get("_meta", {})
    return params.get("name") in FORM_TOOLS and isinstance(meta, dict) and VERSION_OF not in meta
