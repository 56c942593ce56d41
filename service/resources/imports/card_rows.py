"""The rows of a snapshot that make up its cards: checked like those in rows.py."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from ...schemas import Actor, OutsideId, Timestamp, Title
from ..cards import Priority
from .rows import Doer, Json, Long, Marked, Number, Row, StoredDoer, Value, Words

Whole = Annotated[int, Field(ge=-(1 << 62), le=1 << 62)]


def _file_name(name: str) -> str:
    """Leave out path parts and control characters."""
    kept = "".join(character for character in name.replace("\\", "/").rpartition("/")[2] if character.isprintable())
    if kept.strip(". ") == "":
        raise ValueError("must name a file")
    return kept


def _plain_type(kind: str) -> str:
    if not kind.isascii() or not kind.isprintable():
        raise ValueError("must be a media type")
    return kind


FileName = Annotated[str, AfterValidator(_file_name), StringConstraints(min_length=1, max_length=255)]
MediaType = Annotated[str, StringConstraints(min_length=1, max_length=255), AfterValidator(_plain_type)]

CHANGES_CHARACTERS_MAX = 4 << 20  # of one row of history


def _short(changes: str) -> str:
    if len(changes) > CHANGES_CHARACTERS_MAX:
        raise ValueError(f"may have {CHANGES_CHARACTERS_MAX >> 20} MiB at the most")
    return changes


class FieldValue(BaseModel):
    """The value of one field on a card; null is the same as none."""

    model_config = ConfigDict(
        alias_generator=to_camel, extra="ignore", strict=True, validate_by_name=False, defer_build=True
    )

    field_id: OutsideId
    value: Value | None


class Card(Marked):
    """A card as a snapshot holds it."""

    project_id: OutsideId | None = None
    number: Annotated[Number, Field(ge=1)] | None = None
    column_id: OutsideId
    card_type_id: OutsideId
    title: Title
    assigned_agent_id: str | None = None
    assigned_user_id: str | None = None
    priority: Priority = "none"
    due_date: Timestamp | None = None
    rank_key: Whole | None = None
    version: Annotated[int, Field(ge=1, le=1 << 53)] = 1
    created_by: StoredDoer = Actor("System", "import").json()  # type: ignore[assignment]  # as it is stored
    updated_at: Timestamp | None = None
    field_values: Annotated[list[FieldValue], Field(max_length=10_000)] | None = None

    def values(self) -> dict[str, Any]:
        """Give the columns, with the values of fields as they are stored."""
        given = None if self.field_values is None else [vars(value) for value in self.field_values]
        return super().values() | {"field_values": given}


class Relationship(Row):
    from_card_id: OutsideId
    to_card_id: OutsideId
    kind: Literal["blocks", "dependsOn", "partOf", "duplicates", "relatesTo"]
    comment: Long | None = None
    created_at: Timestamp | None = None


class Written(Row):
    """A row of the append-only tables."""

    card_id: OutsideId
    actor: Doer
    created_at: Timestamp | None = None

    def values(self) -> dict[str, Any]:
        """Give the columns, the actor as three of them."""
        columns = super().values()
        actor = columns.pop("actor")
        return {**columns, "actor_type": actor.type, "actor_id": actor.id, "actor_label": actor.label}


class Asked(BaseModel):
    """What became of the question that a comment asks."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", strict=True, defer_build=True)

    state: Literal["open", "answered", "withdrawn"]
    options: Annotated[list[Words], Json] | None = None
    answer_id: OutsideId | None = None
    answered_by: StoredDoer | None = None
    answered_at: Timestamp | None = None
    taken_up: bool = False

    def columns(self) -> dict[str, Any]:
        """Give it as the columns of its table."""
        return dict(self.__dict__)


class Comment(Written):
    parent_id: OutsideId | None = None
    content: Annotated[str, StringConstraints(min_length=1, max_length=100_000)]
    asks: Annotated[Asked, AfterValidator(Asked.columns)] | None = None


class HistoryRow(Written):
    action: Annotated[str, StringConstraints(pattern=r"^[A-Za-z]{1,50}$")]
    changes: Annotated[dict[str, Any], Json, AfterValidator(_short)] = "{}"  # type: ignore[assignment]  # as it is stored


class Preset(Row):
    card_type_id: OutsideId
    preset_name: Words
    field_id: OutsideId
    value: Value


class File(Row):
    card_id: OutsideId
    field_id: OutsideId
    name: FileName
    mime_type: MediaType
    size_bytes: Annotated[int, Field(ge=0, le=1 << 62)]
    uploaded_at: Timestamp | None = None
    content_base64: str | None = None
