"""Models of the rows of a snapshot that belong to cards; validated like those in rows.py."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from ...domain import due_dates, mentions
from ...schemas import Actor, ExternalId, Timestamp, json_text
from .. import files
from ..cards import Priority
from ..comments import OPTIONS_MAX
from ..history import RecordedChanges
from .rows import ActorJson, ArchivableRow, Json, LongText, Number, SnapshotActor, SnapshotRow, Title, Value

Whole = Annotated[int, Field(ge=-(1 << 62), le=1 << 62)]


def _base_name(name: str) -> str:
    """Return a file name without its path and control characters."""
    base = files.remove_path(name)
    if base.strip(". ") == "":
        raise ValueError("must be a file name")
    return base


def _check_media_type(kind: str) -> str:
    if not kind.isascii() or not kind.isprintable():
        raise ValueError("must be a media type")
    return kind


CardKey = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,11}$")]  # its number: a Number
FileName = Annotated[str, AfterValidator(_base_name), StringConstraints(min_length=1, max_length=255)]
MediaType = Annotated[str, StringConstraints(min_length=1, max_length=255), AfterValidator(_check_media_type)]

CHANGES_CHARACTERS_MAX = 4 << 20  # of one row of history


def _encode_changes(changes: RecordedChanges) -> str:
    text = json_text(changes.to_dict())
    if len(text) > CHANGES_CHARACTERS_MAX:
        raise ValueError(f"may have at most {CHANGES_CHARACTERS_MAX >> 20} MiB")
    return text


class MentionRow(BaseModel):
    """A member or an agent that a text mentions."""

    model_config = ConfigDict(extra="ignore", strict=True, defer_build=True)

    type: Literal["User", "Agent"]
    id: ExternalId

    def pair(self) -> tuple[str, str]:
        """Return the type and the id."""
        return self.type, self.id


Mentions = Annotated[list[Annotated[MentionRow, AfterValidator(MentionRow.pair)]], Field(max_length=mentions.NAMES_MAX)]


class FieldValueRow(BaseModel):
    """The value of one field of a card; null means that the field is empty."""

    model_config = ConfigDict(
        alias_generator=to_camel, extra="ignore", strict=True, validate_by_name=False, defer_build=True
    )

    field_id: ExternalId
    value: Value | None
    mentions: Mentions = []


class CardRow(ArchivableRow):
    """A card and the values of its custom fields."""

    project_id: ExternalId | None = None
    number: Annotated[Number, Field(ge=1)] | None = None
    former_keys: Annotated[list[CardKey], Field(max_length=1000)] = []
    column_id: ExternalId
    card_type_id: ExternalId
    title: Title
    assigned_agent_id: str | None = None
    assigned_user_id: str | None = None
    priority: Priority = "none"
    due_all_day: bool | None = None  # before the date, which is parsed with it; None in an older snapshot
    due_date: due_dates.DueDate = None
    rank_key: Whole | None = None
    version: Annotated[int, Field(ge=1, le=1 << 53)] = 1
    created_by: ActorJson = Actor("System", "import").json()  # type: ignore[assignment]  # as it is stored
    updated_at: Timestamp | None = None
    field_values: Annotated[list[FieldValueRow], Field(max_length=10_000)] | None = None

    def values(self) -> dict[str, Any]:
        """Return the columns, with the field values as dicts."""
        field_values = None if self.field_values is None else [vars(value) for value in self.field_values]
        due = self.due_date
        if due and self.due_all_day is None:
            due = due.removesuffix(due_dates.MIDNIGHT)
        return super().values() | due_dates.get_columns(due) | {"field_values": field_values}


class RelationshipRow(SnapshotRow):
    from_card_id: ExternalId
    to_card_id: ExternalId
    kind: Literal["blocks", "dependsOn", "partOf", "duplicates", "relatesTo"]
    comment: LongText | None = None
    created_at: Timestamp | None = None


class AppendOnlyRow(SnapshotRow):
    """A row of an append-only table."""

    card_id: ExternalId
    actor: SnapshotActor
    created_at: Timestamp | None = None

    def values(self) -> dict[str, Any]:
        """Return the columns; the actor takes three of them, and the row is marked as imported."""
        columns = super().values()
        actor = columns.pop("actor")
        return {**columns, "imported": True, "actor_type": actor.type, "actor_id": actor.id, "actor_label": actor.label}


class QuestionRow(BaseModel):
    """The state of the question that a comment asks, and its answer."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", strict=True, defer_build=True)

    state: Literal["open", "answered", "withdrawn"]
    options: Annotated[list[Title], Field(max_length=OPTIONS_MAX), Json] | None = None
    answer_id: ExternalId | None = None
    answered_by: ActorJson | None = None
    answered_at: Timestamp | None = None
    taken_up: bool = False

    def columns(self) -> dict[str, Any]:
        """Return the columns of the row."""
        return dict(self.__dict__)


class CommentRow(AppendOnlyRow):
    parent_id: ExternalId | None = None
    content: Annotated[str, StringConstraints(min_length=1, max_length=100_000)]
    mentions: Mentions = []
    asks: Annotated[QuestionRow, AfterValidator(QuestionRow.columns)] | None = None


class HistoryEntryRow(AppendOnlyRow):
    action: Annotated[str, StringConstraints(pattern=r"^[A-Za-z]{1,50}$")]
    changes: Annotated[RecordedChanges, AfterValidator(_encode_changes)] = "{}"  # type: ignore[assignment]  # as it is stored


class PresetRow(SnapshotRow):
    card_type_id: ExternalId
    preset_name: Title
    field_id: ExternalId
    value: Value


class FileRow(SnapshotRow):
    card_id: ExternalId
    field_id: ExternalId
    name: FileName
    mime_type: MediaType
    size_bytes: Annotated[int, Field(ge=0, le=1 << 40)]
    sha256: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")] | None = None
    uploaded_at: Timestamp | None = None
    content_base64: str | None = None
