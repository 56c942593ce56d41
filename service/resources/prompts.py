"""Prompt library: versioned prompts whose current version agents read at run time."""

from itertools import count
from typing import Annotated

from pydantic import MISSING, StringConstraints

from ..auth.context import Call
from ..auth.policies import agent, may
from ..database.queries import sql
from ..errors import Conflict
from ..ids import new_id
from ..pipeline import filter_values, reference_errors
from ..pipeline.routing import routes
from ..schemas import Id, Input, Output, Query, Title
from . import events

CHARACTERS_MAX = 8 << 20  # for all versions of a prompt, because they are returned in one response
Body = Annotated[str, StringConstraints(max_length=500_000)]


class Prompt(Output):
    """A prompt in lists, without its versions."""

    id: str
    name: str
    category_id: str | None
    current_version_id: str | None
    updated_at: str


class PromptVersion(Output):
    """One version of a prompt."""

    id: str
    label: str
    body: str
    active: bool
    created_at: str


class PromptDetail(Prompt):
    """A prompt with its versions, newest first."""

    created_at: str
    versions: list[PromptVersion]


class CurrentPrompt(Output):
    """The current version of a prompt, for agents."""

    name: str
    version: str
    body: str


class NewPrompt(Input):
    name: Title
    category_id: Id | None = None
    body: Body


class PromptEdit(Input):
    name: Title | MISSING = MISSING
    category_id: Id | None | MISSING = MISSING


class NewPromptVersion(Input):
    label: Title | None = None
    body: Body


class PromptVersionEdit(Input):
    active: bool


class PromptQuery(Query):
    category_id: str | None = None


class NameQuery(Query):
    name: str


class ActivateQuery(Query):
    activate: bool = False


def _require_prompt(call: Call, prompt_id: str) -> "sql.prompts.GetRow":
    return call.require(sql.prompts.get, "prompt", prompt_id=prompt_id, org_id=call.org_id)


def _check_category(call: Call, category_id: str | None) -> None:
    ids = {"category_id": category_id, "org_id": call.org_id}
    if category_id is not None and not call.tx.one(sql.prompt_categories.get, **ids):
        raise reference_errors.unknown_prompt_category(call, "categoryId")


@routes.get("/prompts", may("read", "Prompt"))
def list_prompts(call: Call, query: PromptQuery) -> list[Prompt]:
    """List the prompts of the current organization, or of one category, by name."""
    filter_values.require_known(call, query)
    rows = call.tx.all(sql.prompts.list, org_id=call.org_id, category_id=query.category_id)
    return [Prompt.of(row) for row in rows]


@routes.get("/prompts/mcp", agent())
def find_current_prompt(call: Call, query: NameQuery) -> CurrentPrompt:
    """Return the current version of the prompt with this name (agents); of several, the one updated last."""
    prompt_id = call.tx.value(sql.prompts.find_by_name, org_id=call.org_id, name=query.name)
    return get_current_prompt(call, prompt_id or "")


@routes.get("/prompts/{prompt_id}/mcp", agent())
def get_current_prompt(call: Call, prompt_id: str) -> CurrentPrompt:
    """Return the current version of a prompt (agents); 404 if the prompt is deleted or has no current version."""
    row = call.require(sql.prompts.get_current, "prompt", prompt_id=prompt_id, org_id=call.org_id)
    return CurrentPrompt.of(row)


@routes.get("/prompts/{prompt_id}", may("read", "Prompt"))
def get_prompt(call: Call, prompt_id: str) -> PromptDetail:
    """Return a prompt with all its versions, newest first."""
    versions = call.tx.all(sql.prompt_versions.list, prompt_id=prompt_id)
    return PromptDetail(**_require_prompt(call, prompt_id), versions=[PromptVersion.of(row) for row in versions])


@routes.post("/prompts", may("create", "Prompt", requires_architect=True))
def create_prompt(call: Call, body: NewPrompt) -> PromptDetail:
    """Create a prompt with its first version, which is active and current (SA)."""
    _check_category(call, body.category_id)
    prompt_id, version_id = new_id("prm"), new_id("ver")
    ids = {"id": prompt_id, "org_id": call.org_id, "version_id": version_id}
    call.tx.run(sql.prompts.create, name=body.name, category_id=body.category_id, now=call.now, **ids)
    values = {"label": "v1", "body": body.body, "active": True, "now": call.now}
    call.tx.run(sql.prompt_versions.create, id=version_id, prompt_id=prompt_id, **values)
    events.record(call, "prompt.created")
    return get_prompt(call, prompt_id)


@routes.patch("/prompts/{prompt_id}", may("update", "Prompt", requires_architect=True))
def update_prompt(call: Call, prompt_id: str, body: PromptEdit) -> PromptDetail:
    """Update the name or category of a prompt (SA)."""
    row = _require_prompt(call, prompt_id)
    changed = {**row, **body.changes()}
    _check_category(call, changed["category_id"])
    if changed != row:
        values = {"name": changed["name"], "category_id": changed["category_id"], "now": call.now}
        call.tx.run(sql.prompts.update, prompt_id=prompt_id, **values)
        events.record(call, "prompt.updated")
    return get_prompt(call, prompt_id)


@routes.delete("/prompts/{prompt_id}", may("delete", "Prompt", requires_architect=True))
def delete_prompt(call: Call, prompt_id: str) -> None:
    """Soft-delete a prompt (SA): it can no longer be read, and columns that referred to it have no prompt."""
    _require_prompt(call, prompt_id)
    call.tx.run(sql.prompts.archive, prompt_id=prompt_id, now=call.now)
    call.tx.run(sql.columns.clear_prompt, prompt_id=prompt_id)
    events.record(call, "prompt.removed")


@routes.post("/prompts/{prompt_id}/versions", may("update", "Prompt", requires_architect=True))
def create_version(call: Call, prompt_id: str, body: NewPromptVersion, query: ActivateQuery) -> PromptVersion:
    """Create a version of a prompt (SA); it becomes current only with activate=1. 409 if the label is in use."""
    _require_prompt(call, prompt_id)
    label = body.label or _find_free_label(call, prompt_id)
    if call.tx.one(sql.prompt_versions.find_by_label, prompt_id=prompt_id, label=label):
        message = "The prompt has a version with this label; choose another label."
        raise Conflict(None, message, state="taken", label=label)
    if call.tx.value(sql.prompt_versions.total_size, prompt_id=prompt_id) + len(body.body) > CHARACTERS_MAX:
        raise Conflict(None, "The versions of the prompt are at the size limit; create another prompt.", state="full")
    version_id = new_id("ver")
    values = {"label": label, "body": body.body, "active": False, "now": call.now}
    call.tx.run(sql.prompt_versions.create, id=version_id, prompt_id=prompt_id, **values)
    events.record(call, "prompt.updated")
    if query.activate:
        _set_current(call, prompt_id, version_id)
    return _require_version(call, prompt_id, version_id)


def _find_free_label(call: Call, prompt_id: str) -> str:
    used_labels = {row["label"] for row in call.tx.all(sql.prompt_versions.list, prompt_id=prompt_id)}
    return next(label for number in count(len(used_labels) + 1) if (label := f"v{number}") not in used_labels)


def _require_version(call: Call, prompt_id: str, version_id: str) -> PromptVersion:
    row = call.require(sql.prompt_versions.get, "prompt version", prompt_id=prompt_id, version_id=version_id)
    return PromptVersion.of(row)


def _set_current(call: Call, prompt_id: str, version_id: str | None) -> None:
    call.tx.run(sql.prompt_versions.activate, prompt_id=prompt_id, version_id=version_id)
    call.tx.run(sql.prompts.set_current, prompt_id=prompt_id, version_id=version_id, now=call.now)


@routes.patch("/prompts/{prompt_id}/versions/{version_id}", may("update", "Prompt", requires_architect=True))
def update_version(call: Call, prompt_id: str, version_id: str, body: PromptVersionEdit) -> PromptVersion:
    """Activate a version, which makes it current, or deactivate it, which leaves the prompt without one (SA)."""
    _require_prompt(call, prompt_id)
    if _require_version(call, prompt_id, version_id).active != body.active:
        _set_current(call, prompt_id, version_id if body.active else None)
        events.record(call, "prompt.updated")
    return _require_version(call, prompt_id, version_id)
