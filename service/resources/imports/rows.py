"""The rows of a snapshot, checked like any input from outside; `values` are the columns they go to.

Keys that this version does not know are passed over: a later minor version may add some. What an older or
shorter snapshot leaves out takes its default, or stays as it is where the row exists.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from ...domain import patterns
from ...domain.project_keys import ProjectKey
from ...errors import BadRequest
from ...schemas import Actor, AgentId, Color, OutsideId, Timestamp, Title, json_text
from ..agents import Status
from ..fields import Kind, MachineName
from ..organizations import DEFAULT_COLOR
from ..prompts import Body
from ..registration import Size

Long = Annotated[str, StringConstraints(max_length=1 << 20)]
Line = Annotated[str, StringConstraints(max_length=2000)]
Words = Annotated[str, StringConstraints(min_length=1, max_length=500)]
Order = Annotated[int, Field(ge=0, le=1 << 31)]
Number = Annotated[int, Field(ge=0, le=1 << 40)]  # of cards in a project
Json = AfterValidator(json_text)
Lines = Annotated[list[Line], Json]
Value = Annotated[str | list[str], Json]


def _readable_pattern(pattern: str) -> str:
    try:
        patterns.check_pattern(pattern)
    except BadRequest as error:
        raise ValueError(error.message) from None
    return pattern


Pattern = Annotated[patterns.Pattern, AfterValidator(_readable_pattern)]


class Row(BaseModel):
    """A row of a snapshot."""

    model_config = ConfigDict(
        alias_generator=to_camel, extra="ignore", strict=True, validate_by_name=False, defer_build=True
    )

    id: OutsideId

    def values(self) -> dict[str, Any]:
        """Give the row as the columns of its table, and what belongs to it."""
        return dict(self.__dict__)  # checked already; some values are now what their columns hold


class Doer(BaseModel):
    """Who did something."""

    model_config = ConfigDict(extra="ignore", strict=True, defer_build=True)

    type: Literal["User", "Agent", "System"]
    id: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    label: Line | None = None

    def json_text(self) -> str:
        """Write it as the service writes an actor."""
        return Actor(self.type, self.id, self.label).json()


StoredDoer = Annotated[Doer, AfterValidator(Doer.json_text)]


class Marked(Row):
    """A row that may be in the archive."""

    created_at: Timestamp | None = None
    archived_at: Timestamp | None = None
    archived_by: StoredDoer | None = None
    archive_id: OutsideId | None = None


class Organization(Row):
    title: Title
    color: Color = DEFAULT_COLOR
    created_at: Timestamp | None = None


class User(Row):
    """Somebody whom a snapshot names; whether that is a member here is looked up."""

    email: Line | None = None


class Permission(Row):
    """What a role may do with a resource, where the snapshot comes from."""

    role: Words
    resource: Words
    actions: Annotated[list[Words], Field(max_length=100)]


class Project(Marked):
    title: Title
    key: ProjectKey | None = None
    former_keys: Annotated[list[ProjectKey], Field(max_length=1000)] = []
    last_number: Number | None = None
    color: Color = DEFAULT_COLOR


class Team(Marked):
    name: Words
    onboarding_doc: Long | None = None
    member_ids: list[str] = []


class Agent(Row):
    id: AgentId
    title: Words
    team_id: OutsideId | None = None
    status: Status = "pending"
    last_seen_at: Timestamp | None = None
    machine_name: Line | None = None
    machine_ip: Line | None = None
    llm_version: Line | None = None
    email: Line | None = None
    os_name: Line | None = None
    os_version: Line | None = None
    ram_bytes: Size | None = None
    storage_bytes: Size | None = None
    storage_type: Line | None = None
    created_at: Timestamp | None = None


class CardType(Marked):
    project_id: OutsideId | None = None
    title: Words
    color: Color = DEFAULT_COLOR
    comments_enabled: bool = True
    files_enabled: bool = True


class CustomField(Row):
    card_type_id: OutsideId
    name: MachineName
    label: Words
    kind: Kind
    required: bool = False
    options: Lines = "[]"  # type: ignore[assignment]  # as it is stored
    order: Order = 0
    validation: Pattern | None = None
    multiple: bool = False
    created_at: Timestamp | None = None


class Column(Marked):
    project_id: OutsideId
    title: Words
    order: Order = 0
    agent_pickup_enabled: bool = False
    agent_can_moderate: bool = False
    column_type: Literal["standard", "done"] = "standard"
    wip_limit: Annotated[int, Field(ge=1, le=1 << 31)] | None = None
    required_field_ids: Annotated[list[OutsideId], Json] = "[]"  # type: ignore[assignment]  # as it is stored
    rejects_blocked: bool = False
    prompt_id: OutsideId | None = None


class Transition(Row):
    project_id: OutsideId | None = None
    from_column_id: OutsideId
    to_column_id: OutsideId
    requires_approval: bool = False
    created_at: Timestamp | None = None
    archived_at: Timestamp | None = None
    archive_id: OutsideId | None = None


class PromptCategory(Row):
    name: Words
    color: Color = DEFAULT_COLOR
    created_at: Timestamp | None = None


class Prompt(Row):
    name: Words
    category_id: OutsideId | None = None
    current_version_id: OutsideId | None = None
    created_at: Timestamp | None = None
    updated_at: Timestamp | None = None
    archived_at: Timestamp | None = None


class PromptVersion(Row):
    prompt_id: OutsideId
    label: Words
    body: Body
    active: bool = False
    created_at: Timestamp | None = None


class Auth(BaseModel):
    """How a tool server is signed in to; the token itself is never in a snapshot."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", strict=True, defer_build=True)

    kind: Words


class ToolServer(Row):
    """An outbound tool server as a snapshot holds it: without secrets."""

    name: Words
    transport: Literal["stdio", "http"]
    command: Line | None = None
    args: Lines = "[]"  # type: ignore[assignment]  # as it is stored
    url: Line | None = None
    env: dict[str, Any] = {}
    auth: Auth | None = None
    enabled: bool = False
    created_at: Timestamp | None = None

    def values(self) -> dict[str, Any]:
        """Give the columns; one that had a secret comes in disabled, since its secret stays behind."""
        has_secrets = bool(self.env) or self.auth is not None
        columns = super().values() | {"enabled": self.enabled and not has_secrets}
        auth = columns.pop("auth")
        del columns["env"]
        return {**columns, "auth_kind": auth.kind if auth else None}
