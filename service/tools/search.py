"""The tool that searches cards."""

from typing import Any

from pydantic import Field

from ..wire import Id, Output
from .bounding import Bounded, Bounds
from .registry import Visit, tool
from .written import Written, written


class Search(Bounds):
    q: str = Field(description='words that must all occur; "a phrase"')
    project_id: Id | None = None
    page: int = 1
    page_size: int = 10


class Snippet(Output):
    """Where a word was found."""

    field_id: str | None = None
    comment_id: str | None = None
    text: Written


class Found(Output):
    """A card that was found."""

    card_id: str
    column_id: str
    title: Written
    snippets: list[Snippet] | None = None


class FoundCards(Bounded):
    """A page of what was found."""

    lists = {"items": "ask again with a smaller pageSize, or maxTokens=8000"}
    texts = "get_card shows the whole"
    items: list[Found]
    page: int
    page_size: int
    total: int


@tool("Find cards by words in titles, fields and comments, best first.", FoundCards, reads=True)
async def search(visit: Visit, arguments: Search) -> FoundCards:
    """Search the cards of the organization."""
    query = arguments.model_dump(by_alias=True, exclude={"max_tokens"})
    found = await visit.ask("GET /organizations/{org_id}/search/mcp", None, query)
    return FoundCards.of({**found, "items": [_found(item) for item in found["items"]]})


def _found(item: dict[str, Any]) -> dict[str, Any]:
    snippets = [
        {**snippet, "text": written(snippet["source"], snippet["text"])}
        for snippet in item["snippets"]
        if snippet["source"] != "title"
    ]
    return {**item, "title": written("title", item["title"]), "snippets": snippets or None}
