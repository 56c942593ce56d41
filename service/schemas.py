"""What goes over the wire: models in camelCase, timestamps, ids, pages."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, Literal, Self, TypeVar

import orjson
import pydantic
from pydantic import MISSING, AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo

from .clock import parse_timestamp, timestamp

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_EXTERNAL_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:@-]{0,127}")


def _normalized(value: Any) -> str:
    return timestamp(parse_timestamp(value))


def check_external_id(value: str) -> str:
    """Check an id that was chosen outside the service; raise ValueError if it could leave its path."""
    if not _EXTERNAL_ID.fullmatch(value) or ".." in value:
        raise ValueError("must match [A-Za-z0-9][A-Za-z0-9_.:@-]{0,127} and may not contain '..'")
    return value


def _agent_id(value: str) -> str:
    if value.startswith("key_"):
        raise ValueError("may not begin with key_, as the ids of keys do")
    return value


def _one_line(value: str) -> str:
    if not value.strip():
        raise ValueError("may not be blank")
    if _CONTROL.search(value):
        raise ValueError("may not contain control characters")
    return value


def _bcrypt_length(password: str) -> str:
    if not 8 <= len(password.encode()) <= 72:
        raise ValueError("a password has 8 to 72 bytes")
    return password


NOT_BLANK = r"\S"  # the pattern of a text that says something
NO_NUL = "text may not contain NUL characters"  # SQLite ends a text at one, so half of such a value would be lost
Timestamp = Annotated[str, BeforeValidator(_normalized)]
ExternalId = Annotated[str, AfterValidator(check_external_id)]
AgentId = Annotated[ExternalId, AfterValidator(_agent_id)]  # an agent's history is never to look like that of a key
Id = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Title = Annotated[str, StringConstraints(max_length=500), AfterValidator(_one_line)]
Text = Annotated[str, StringConstraints(max_length=100_000)]
Color = Annotated[str, StringConstraints(pattern=r"^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$")]
Email = Annotated[str, StringConstraints(max_length=254, pattern=r"^[^\s@]+@[^\s@]+$")]
Password = Annotated[str, AfterValidator(_bcrypt_length)]
Role = Literal["SolutionArchitect", "Member"]
Mode = Literal["archive", "permanent"]


def stored_json(value: Any) -> Any:
    """Read a JSON column; pass anything else on."""
    return orjson.loads(value) if isinstance(value, str) else value


def json_text(value: Any) -> str:
    """Write a value for a JSON column."""
    return orjson.dumps(value).decode()


StoredJson = BeforeValidator(stored_json)


class Input(BaseModel):
    """A body: strict types, and an unknown key is refused."""

    model_config = ConfigDict(
        alias_generator=to_camel, extra="forbid", strict=True, validate_by_name=False, defer_build=True
    )
    is_optional: ClassVar[bool] = False  # whether a request may come without it

    def changes(self) -> dict[str, Any]:
        """Give the keys that were sent, by their names in the database."""
        return self.model_dump(exclude_unset=True)


class Query(BaseModel):
    """A query string: values are read from text, and an unknown key is refused."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", validate_by_name=False, defer_build=True)

    @property
    def needs_reader_thread(self) -> bool:
        """Tell whether what is asked for takes longer than a route's answers otherwise do."""
        return False


class Output(BaseModel):
    """An answer, made from a row of the database."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True, defer_build=True
    )

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """Make the answer from a row; columns that it does not show are left out."""
        return cls.model_validate(row)

    @classmethod
    def encode_row(cls, row: Mapping[str, Any]) -> bytes:
        """Encode the answer straight from a row, for the routes that are asked for most."""
        plan = cls.__dict__.get("_plan") or _plan(cls)
        return orjson.dumps({alias: shown(row[name]) if shown else row[name] for alias, name, shown in plan})

    def headers(self) -> dict[str, str]:
        """Give the headers that belong to the answer."""
        return {}

    def encode(self) -> bytes:
        """Encode the answer as JSON."""
        return self.__pydantic_serializer__.to_json(self, by_alias=True)


Shown = Callable[[Any], Any] | None


def _plan(model: type[Output]) -> list[tuple[str, str, Shown]]:
    """Work out once how the columns of a row become the keys of an answer."""
    plan = [(field.alias or name, name, _shown(field)) for name, field in model.model_fields.items()]
    model._plan = plan  # type: ignore[attr-defined]
    return plan


def _shown(field: FieldInfo) -> Shown:
    if StoredJson in field.metadata:
        return _fragment
    return bool if field.annotation is bool else None


def _fragment(text: str | None) -> Any:
    return None if text is None else orjson.Fragment(text)


@dataclass(frozen=True, slots=True)
class Actor:
    """Who did something: a person, an agent or the service itself; agents have no label."""

    type: Literal["User", "Agent", "System"]
    id: str
    label: str | None = None

    def json(self) -> str:
        """Write the actor for a JSON column."""
        return json_text({"type": self.type, "id": self.id, "label": self.label})


T = TypeVar("T", bound=Output)


def require_whole_number(value: Any) -> Any:
    """Check that a text from a query is a whole number; raise ValueError if it is not."""
    if isinstance(value, str) and not (value.isascii() and value.isdigit()):
        raise ValueError("must be a whole number")
    return value


PageNumber = Annotated[int, Field(ge=1, le=2**31), BeforeValidator(require_whole_number)]
PageSize = Annotated[int, Field(ge=1, le=100), BeforeValidator(require_whole_number)]


ROWS_PAGED_MAX = 20_000  # that pages reach: SQLite counts off all rows before a page anew


class PageQuery(Query):
    narrowing_hint: ClassVar[str] = "leave fewer by a filter"  # how to go on where pages end

    page_size: PageSize = 20
    page: PageNumber = 1

    @pydantic.field_validator("page")
    @classmethod
    def _within_reach(cls, page: int, info: pydantic.ValidationInfo) -> int:
        if (page - 1) * info.data.get("page_size", 20) >= ROWS_PAGED_MAX:
            raise ValueError(f"goes beyond the first {ROWS_PAGED_MAX:,}; {cls.narrowing_hint}")
        return page

    @property
    def offset(self) -> int:
        """Give how many rows come before this page."""
        return (self.page - 1) * self.page_size


class ModeQuery(Query):
    mode: Mode = "archive"


class Page(Output, Generic[T]):
    """One page of a list, with the total number of items."""

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
