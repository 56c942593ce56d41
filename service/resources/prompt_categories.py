"""Prompt categories: how the prompt library is sorted."""

from pydantic import MISSING

from ..auth.context import Call
from ..auth.policies import may
from ..database.queries import sql
from ..database.store import Row
from ..errors import NotFound
from ..ids import new_id
from ..pipeline.routing import routes
from ..schemas import Color, Input, Name, Output
from . import events


class PromptCategory(Output):
    """A prompt category."""

    id: str
    name: str
    color: str


class NewPromptCategory(Input):
    name: Name
    color: Color = "#64748b"


class PromptCategoryEdit(Input):
    name: Name | MISSING = MISSING
    color: Color | MISSING = MISSING


def _row(call: Call, category_id: str) -> Row:
    row = call.tx.one(sql.prompt_categories.get, category_id=category_id, org_id=call.org_id)
    if row is None:
        raise NotFound("prompt category")
    return row


@routes.get("/prompt-categories", may("read", "Prompt"))
def browse(call: Call) -> list[PromptCategory]:
    """List the prompt categories of the current organization, oldest first."""
    return [PromptCategory.of(row) for row in call.tx.all(sql.prompt_categories.list, org_id=call.org_id)]


@routes.post("/prompt-categories", may("create", "Prompt", sa=True))
def add(call: Call, body: NewPromptCategory) -> PromptCategory:
    """Make a prompt category (SA)."""
    category_id = new_id("cat")
    call.tx.run(sql.prompt_categories.create, id=category_id, org_id=call.org_id, now=call.now, **body.model_dump())
    events.record(call, "promptCategory.created")
    return PromptCategory.of(_row(call, category_id))


@routes.patch("/prompt-categories/{category_id}", may("update", "Prompt", sa=True))
def edit(call: Call, category_id: str, body: PromptCategoryEdit) -> PromptCategory:
    """Change a prompt category (SA)."""
    before = _row(call, category_id)
    row = {**before, **body.changes()}
    call.tx.run(sql.prompt_categories.update, category_id=category_id, name=row["name"], color=row["color"])
    if row != before:
        events.record(call, "promptCategory.updated")
    return PromptCategory.of(row)


@routes.delete("/prompt-categories/{category_id}", may("delete", "Prompt", sa=True))
def remove(call: Call, category_id: str) -> None:
    """Delete a prompt category (SA); its prompts stay, without one."""
    _row(call, category_id)
    call.tx.run(sql.prompt_categories.delete, category_id=category_id)
    events.record(call, "promptCategory.removed")
