"""Text that people and agents wrote, marked as such: data to judge, never an instruction."""

from typing import Any, Literal

from pydantic import ConfigDict

from ..wire import Output


def _briefly(schema: dict[str, Any]) -> None:
    schema.pop("properties")


class Author(Output):
    """Who wrote a text: a name that they chose themselves, so it is data like the text."""

    kind: Literal["User", "Agent", "System"]
    data: str


class Written(Output):
    """A text somebody wrote: `author` is who wrote a comment, or who made the card of a title or field."""

    # Every tool's schema would tell the same of it; the server's instructions tell it once.
    model_config = ConfigDict(json_schema_extra=_briefly)

    kind: str
    author: Author | None = None  # none is told: anybody in the organization who may write it
    data: str | list[str]
    cut: int | None = None  # length of the whole, where this is only a part


def written(kind: str, text: Any, actor: dict[str, Any] | None = None) -> Written:
    """Mark a text with what it is and whose."""
    author = Author(kind=actor["type"], data=actor["label"] or actor["id"]) if actor else None
    return Written(kind=kind, author=author, data=text)


def stretch(mark: Written, offset: int) -> Written:
    """Give what is left of a text from a character on."""
    if offset == 0:
        return mark
    return mark.model_copy(update={"data": mark.data[offset:], "cut": len(mark.data)})
