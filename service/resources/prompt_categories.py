"""Prompt categories: named, colored groups of the prompt library."""

from pydantic import MISSING

from ..auth.context import Call
from ..auth.policies import may
from ..database.queries import sql
from ..ids import new_id
from ..pipeline.routing import routes
from ..schemas import Color, Input, Output, Title
from . import events


class PromptCategory(Output):
    """A named, colored group of prompts."""

    id: str
    name: str
    color: str


class NewPromptCategory(Input):
    name: Title
    color: Color = "#64748b"


class PromptCategoryEdit(Input):
    name: Title | MISSING = MISSING
    color: Color | MISSING = MISSING


def _require_prompt_category(call: Call, category_id: str) -> "sql.prompt_categories.GetRow":
    return call.require(sql.prompt_categories.get, "prompt category", category_id=category_id, org_id=call.org_id)


@routes.get("/prompt-categories", may("read", "Prompt"))
def list_prompt_categories(call: Call) -> list[PromptCategory]:
    """List the prompt categories of the current organization, oldest first."""
    return [PromptCategory.of(row) for row in call.tx.all(sql.prompt_categories.list, org_id=call.org_id)]


@routes.post("/prompt-categories", may("create", "Prompt", requires_architect=True))
def create_prompt_category(call: Call, body: NewPromptCategory) -> PromptCategory:
    """Create a prompt category (SA)."""
    category_id = new_id("cat")
    call.tx.run(sql.prompt_categories.create, id=category_id, org_id=call.org_id, now=call.now, **body.model_dump())
    events.record(call, "promptCategory.created")
    return PromptCategory.of(_require_prompt_category(call, category_id))


@routes.patch("/prompt-categories/{category_id}", may("update", "Prompt", requires_architect=True))
def update_prompt_category(call: Call, category_id: str, body: PromptCategoryEdit) -> PromptCategory:
    """Update the name or color of a prompt category (SA)."""
    before = _require_prompt_category(call, category_id)
    row = {**before, **body.changes()}
    call.tx.run(sql.prompt_categories.update, category_id=category_id, name=row["name"], color=row["color"])
    if row != before:
        events.record(call, "promptCategory.updated")
    return PromptCategory.of(row)


@routes.delete("/prompt-categories/{category_id}", may("delete", "Prompt", requires_architect=True))
def delete_prompt_category(call: Call, category_id: str) -> None:
    """Delete a prompt category (SA); its prompts remain, without a category."""
    _require_prompt_category(call, category_id)
    call.tx.run(sql.prompt_categories.delete, category_id=category_id)
    events.record(call, "promptCategory.removed")
