"""Base models of requests and responses (camelCase JSON), and shared types: timestamps, ids, pages."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Generic, Literal, Self, TypeVar

import orjson
import pydantic
from pydantic import MISSING, AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo

from .clock import parse_timestamp, timestamp
from .text.comparison import is_blank, to_nfc

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_EXTERNAL_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:@-]{0,127}")


def _normalize_timestamp(value: Any) -> str:
    return timestamp(parse_timestamp(value))


def is_external_id(value: str) -> bool:
    """Return whether an id that a client chose is safe as part of a file path."""
    return bool(_EXTERNAL_ID.fullmatch(value)) and ".." not in value


def check_external_id(value: str) -> str:
    """Return an id that a client chose; raise ValueError if it is unsafe as part of a file path."""
    if not is_external_id(value):
        raise ValueError("must match [A-Za-z0-9][A-Za-z0-9_.:@-]{0,127} and may not contain '..'")
    return value


def _check_agent_id(value: str) -> str:
    if value.startswith("key_"):
        raise ValueError("may not begin with key_, which is the prefix of API keys")
    return value


def check_not_blank(value: str) -> str:
    """Return a text; raise ValueError if it has no visible character."""
    if is_blank(value):
        raise ValueError("may not be blank")
    return value


def check_single_line(value: str) -> str:
    """Return a text; raise ValueError if it is blank or has control characters."""
    check_not_blank(value)
    if _CONTROL.search(value):
        raise ValueError("may not contain control characters")
    return value


def _normalize(value: Any) -> Any:
    return to_nfc(value) if isinstance(value, str) else value


def _check_password_length(password: str) -> str:
    if not 8 <= len(password.encode()) <= 72:
        raise ValueError("a password has 8 to 72 bytes")
    return password


@cache
def _timezones() -> set[str]:
    from zoneinfo import available_timezones  # imported on demand: it needs 1 MB that most processes never use

    return available_timezones() - NO_TIMEZONES


def _check_timezone(name: str) -> str:
    if name not in _timezones():
        raise ValueError("must be an IANA time zone, for example Europe/Berlin")
    return name


NO_TIMEZONES = {"Factory", "localtime"}  # names of the zone data that are no IANA zones, and unknown to browsers
NO_NUL = "text may not contain NUL characters"  # SQLite functions end a text at a NUL, so the rest would be lost
Timestamp = Annotated[str, BeforeValidator(_normalize_timestamp)]
ExternalId = Annotated[str, AfterValidator(check_external_id)]
AgentId = Annotated[ExternalId, AfterValidator(_check_agent_id)]  # its history must differ from that of an API key
Id = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Normalized = BeforeValidator(_normalize)  # titles, names and tags are stored in NFC
TITLE_CHARACTERS_MAX = 500
Title = Annotated[
    str, StringConstraints(max_length=TITLE_CHARACTERS_MAX), Normalized, AfterValidator(check_single_line)
]
Name = Annotated[str, StringConstraints(min_length=1, max_length=500)]  # the title or id of something that exists
Choice = Annotated[str, StringConstraints(max_length=200), Normalized, AfterValidator(check_single_line)]
Text = Annotated[str, StringConstraints(max_length=100_000)]
Color = Annotated[str, StringConstraints(pattern=r"^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$")]
HexColor = Annotated[str, StringConstraints(pattern=r"^#[0-9a-fA-F]{6}$")]
Email = Annotated[
    str, StringConstraints(max_length=254, pattern=r"^[^\s@]+@[^\s@]+$"), AfterValidator(check_single_line)
]
Timezone = Annotated[str, AfterValidator(_check_timezone)]
Password = Annotated[str, Normalized, AfterValidator(_check_password_length)]
Role = Literal["SolutionArchitect", "Member"]
Mode = Literal["archive", "permanent"]


def stored_json(value: Any) -> Any:
    """Return the value of a JSON column; return any value that is not a text unchanged."""
    return orjson.loads(value) if isinstance(value, str) else value


def json_text(value: Any) -> str:
    """Return the JSON text of a value, for a JSON column."""
    return orjson.dumps(value).decode()


StoredJson = BeforeValidator(stored_json)


class Input(BaseModel):
    """A request body: types are strict, and unknown keys are rejected."""

    model_config = ConfigDict(
        alias_generator=to_camel, extra="forbid", strict=True, validate_by_name=False, defer_build=True
    )
    is_optional: ClassVar[bool] = False  # whether the body may be missing

    def changes(self) -> dict[str, Any]:
        """Return the values that were sent, by their column names."""
        return self.model_dump(exclude_unset=True)


class Repeatable:
    """Marks a list in a query: its key can be repeated, once for each value."""


class Query(BaseModel):
    """A query string: values are parsed from text, and unknown keys are rejected."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", validate_by_name=False, defer_build=True)

    @property
    def needs_reader_thread(self) -> bool:
        """Return whether this query is too slow for the event loop and needs a reader thread."""
        return False


class Output(BaseModel):
    """A response that is built from a database row."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True, defer_build=True
    )

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """Return the response for a row; columns without a field are ignored."""
        return cls.model_validate(row)

    @classmethod
    def encode_row(cls, row: Mapping[str, Any]) -> bytes:
        """Return the JSON of a row without validation, for frequently used routes."""
        plan = cls.__dict__.get("_plan") or _create_plan(cls)
        return orjson.dumps({alias: convert(row[name]) if convert else row[name] for alias, name, convert in plan})

    def headers(self) -> dict[str, str]:
        """Return the headers of the response."""
        return {}

    def encode(self) -> bytes:
        """Return the response as JSON."""
        return self.__pydantic_serializer__.to_json(self, by_alias=True)


Converter = Callable[[Any], Any] | None


def _create_plan(model: type[Output]) -> list[tuple[str, str, Converter]]:
    """Return the JSON key, column and converter of each field, and store them on the model."""
    plan = [(field.alias or name, name, _get_converter(field)) for name, field in model.model_fields.items()]
    model._plan = plan  # type: ignore[attr-defined]
    return plan


def _get_converter(field: FieldInfo) -> Converter:
    if StoredJson in field.metadata:
        return _embed_json
    return bool if field.annotation is bool else None


def _embed_json(text: str | None) -> Any:
    return None if text is None else orjson.Fragment(text)


@dataclass(frozen=True, slots=True)
class Actor:
    """The author of a change: a person, an agent or the service itself; agents have no label."""

    type: Literal["User", "Agent", "System"]
    id: str
    label: str | None = None

    def json(self) -> str:
        """Return the JSON text of the actor, for a JSON column."""
        return json_text({"type": self.type, "id": self.id, "label": self.label})


T = TypeVar("T", bound=Output)


def require_whole_number(value: Any) -> Any:
    """Return a query value unchanged; raise ValueError if it is a text that is not a whole number."""
    if isinstance(value, str) and not (value.isascii() and value.isdigit()):
        raise ValueError("must be a whole number")
    return value


PageNumber = Annotated[int, Field(ge=1, le=2**31), BeforeValidator(require_whole_number)]
PageSize = Annotated[int, Field(ge=1, le=100), BeforeValidator(require_whole_number)]


ROWS_PAGED_MAX = 20_000  # rows that can be paged: SQLite scans all rows before a page again


class PageQuery(Query):
    narrowing_hint: ClassVar[str] = "use a filter"  # advice in the error for a page beyond ROWS_PAGED_MAX

    page_size: PageSize = 20
    page: PageNumber = 1

    @pydantic.field_validator("page")
    @classmethod
    def _check_reach(cls, page: int, info: pydantic.ValidationInfo) -> int:
        if (page - 1) * info.data.get("page_size", 20) >= ROWS_PAGED_MAX:
            raise ValueError(f"goes beyond the first {ROWS_PAGED_MAX:,}; {cls.narrowing_hint}")
        return page

    @property
    def offset(self) -> int:
        """Return the number of rows before this page."""
        return (self.page - 1) * self.page_size


class ModeQuery(Query):
    mode: Mode = "archive"


class Page(Output, Generic[T]):
    """One page of a list, with its number, its size and the total number of items."""

    items: list[T]
    page: int
    page_size: int
    total: int
    truncated: Literal[True] | MISSING = Field(
        MISSING,
        description="The page ends early, since it would be larger than 4 MiB; a smaller pageSize reads the rest.",
    )


class Success(Output):
    success: bool = True
