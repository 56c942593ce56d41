"""Models of the rows of a snapshot, which are validated like any other input; `values` returns their database columns.

Unknown keys are ignored, since a later minor version may add some. A key that an older or shorter snapshot leaves out
takes its default value, or keeps its current value if the row exists.
"""

import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator
from pydantic.alias_generators import to_camel

from ... import schemas
from ...domain import board_display, patterns
from ...domain.project_keys import ProjectKey
from ...errors import BadRequest
from ...schemas import Actor, AgentId, Color, ExternalId, Normalized, Timestamp, Timezone, json_text
from ..agents import Status
from ..columns import REQUIRED_FIELDS_MAX
from ..fields import OPTIONS_MAX, Kind, MachineName
from ..mcp_servers import ARGUMENTS_MAX, Url
from ..organizations import DEFAULT_COLOR
from ..prompts import Body
from ..registration import Size

_CONTROL = re.compile("[\x01-\x1f\x7f-\x9f]")


def _remove_control_characters(title: Any) -> Any:
    """Return a title or an option without the control characters that some could have up to version 0.2."""
    return _CONTROL.sub("", title) if isinstance(title, str) else title


def _remove_repeated(ids: list[str]) -> list[str]:
    return list(dict.fromkeys(ids))


Title = Annotated[schemas.Title, BeforeValidator(_remove_control_characters)]
LongText = Annotated[str, StringConstraints(max_length=1 << 20)]
TextLine = Annotated[str, StringConstraints(max_length=2000)]
Order = Annotated[int, Field(ge=0, le=1 << 31)]
Number = Annotated[int, Field(ge=0, le=1 << 40)]  # of cards in a project
Json = AfterValidator(json_text)
Choice = Annotated[TextLine, Normalized, BeforeValidator(_remove_control_characters)]
_FIXED_COLUMNS = "|".join(board_display.COLUMNS)
ListColumn = Annotated[
    str, StringConstraints(max_length=70, pattern=rf"^({_FIXED_COLUMNS}|field:[A-Za-z][A-Za-z0-9_-]*)$")
]
Value = Annotated[str | list[Annotated[str, Normalized, BeforeValidator(_remove_control_characters)]], Json]


def _check_pattern(pattern: str) -> str:
    try:
        patterns.check_pattern(pattern)
    except BadRequest as error:
        raise ValueError(error.message) from None
    return pattern


Pattern = Annotated[patterns.Pattern, AfterValidator(_check_pattern)]


class SnapshotRow(BaseModel):
    """A row of a snapshot."""

    model_config = ConfigDict(
        alias_generator=to_camel, extra="ignore", strict=True, validate_by_name=False, defer_build=True
    )

    id: ExternalId

    def values(self) -> dict[str, Any]:
        """Return the values of the row by name: database columns, and lists that have a table of their own."""
        return dict(self.__dict__)  # validated already; some values have the form in which their column stores them


class SnapshotActor(BaseModel):
    """The author of a change or a comment."""

    model_config = ConfigDict(extra="ignore", strict=True, defer_build=True)

    type: Literal["User", "Agent", "System"]
    id: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    label: TextLine | None = None

    def json_text(self) -> str:
        """Return the actor in the JSON form in which the database stores it."""
        return Actor(self.type, self.id, self.label).json()


ActorJson = Annotated[SnapshotActor, AfterValidator(SnapshotActor.json_text)]


class ArchivableRow(SnapshotRow):
    """A row that can be archived."""

    created_at: Timestamp | None = None
    archived_at: Timestamp | None = None
    archived_by: ActorJson | None = None
    archive_id: ExternalId | None = None


class OrganizationRow(SnapshotRow):
    title: Title
    color: Color = DEFAULT_COLOR
    timezone: Timezone | None = None
    created_at: Timestamp | None = None


class UserRow(SnapshotRow):
    """A person whom a snapshot names; the import looks up whether that person is a member."""

    email: TextLine | None = None


class PermissionRow(SnapshotRow):
    """The actions that a role may perform on a resource in the exported organization."""

    role: Title
    resource: Title
    actions: Annotated[list[Title], Field(max_length=100)]


class DisplayRow(BaseModel):
    """What the tiles of a board show besides fields, and the columns of its lists."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", strict=True, defer_build=True)

    attachments: bool = True
    progress: bool = True
    list_columns: Annotated[list[ListColumn], Field(max_length=board_display.COLUMNS_MAX)] = (
        board_display.DEFAULT_COLUMNS
    )

    def json_text(self) -> str:
        """Return the JSON text in which the database stores it; of columns that occur twice the first stays."""
        columns = list(dict.fromkeys(self.list_columns))
        return board_display.to_json(
            board_display.BoardDisplay(attachments=self.attachments, progress=self.progress, list_columns=columns)
        )


class ProjectRow(ArchivableRow):
    title: Title
    key: ProjectKey | None = None
    former_keys: Annotated[list[ProjectKey], Field(max_length=1000)] = []
    last_number: Number | None = None
    color: Color = DEFAULT_COLOR
    display: Annotated[DisplayRow, AfterValidator(DisplayRow.json_text)] | None = None


class TeamRow(ArchivableRow):
    name: Title
    onboarding_doc: LongText | None = None
    member_ids: Annotated[list[str], AfterValidator(_remove_repeated)] = []


class AgentRow(SnapshotRow):
    id: AgentId
    title: Title
    team_id: ExternalId | None = None
    status: Status = "pending"
    last_seen_at: Timestamp | None = None
    machine_name: TextLine | None = None
    machine_ip: TextLine | None = None
    llm_version: TextLine | None = None
    email: TextLine | None = None
    os_name: TextLine | None = None
    os_version: TextLine | None = None
    ram_bytes: Size | None = None
    storage_bytes: Size | None = None
    storage_type: TextLine | None = None
    created_at: Timestamp | None = None


class CardTypeRow(ArchivableRow):
    project_id: ExternalId | None = None
    title: Title
    color: Color = DEFAULT_COLOR
    comments_enabled: bool = True
    files_enabled: bool = True


class CustomFieldRow(SnapshotRow):
    card_type_id: ExternalId
    name: MachineName
    label: Title
    kind: Kind
    required: bool = False
    options: Annotated[list[Choice], Field(max_length=OPTIONS_MAX), Json] = "[]"  # type: ignore[assignment]  # in stored form
    order: Order = 0
    validation: Pattern | None = None
    multiple: bool = False
    show_on_card: bool | None = None  # older snapshots do not say it: see boards.py
    option_colors: Annotated[dict[Choice, schemas.HexColor], Field(max_length=OPTIONS_MAX), Json] | None = None
    created_at: Timestamp | None = None


class ColumnRow(ArchivableRow):
    project_id: ExternalId
    title: Title
    order: Order = 0
    agent_pickup_enabled: bool = False
    agent_can_moderate: bool = False
    column_type: Literal["standard", "done"] = "standard"
    wip_limit: Annotated[int, Field(ge=1, le=1 << 31)] | None = None
    required_field_ids: Annotated[list[ExternalId], Field(max_length=REQUIRED_FIELDS_MAX), Json] = "[]"  # type: ignore[assignment]  # in stored form
    rejects_blocked: bool = False
    prompt_id: ExternalId | None = None


class TransitionRow(SnapshotRow):
    project_id: ExternalId | None = None
    from_column_id: ExternalId
    to_column_id: ExternalId
    requires_approval: bool = False
    created_at: Timestamp | None = None
    archived_at: Timestamp | None = None
    archive_id: ExternalId | None = None


class PromptCategoryRow(SnapshotRow):
    name: Title
    color: Color = DEFAULT_COLOR
    created_at: Timestamp | None = None


class PromptRow(SnapshotRow):
    name: Title
    category_id: ExternalId | None = None
    current_version_id: ExternalId | None = None
    created_at: Timestamp | None = None
    updated_at: Timestamp | None = None
    archived_at: Timestamp | None = None


class PromptVersionRow(SnapshotRow):
    prompt_id: ExternalId
    label: Title
    body: Body
    active: bool = False
    created_at: Timestamp | None = None


class ServerAuth(BaseModel):
    """The kind of authentication of an MCP server; a snapshot never contains the token."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", strict=True, defer_build=True)

    kind: Title


class ToolServerRow(SnapshotRow):
    """An external MCP server that agents of the organization use, without its secrets."""

    name: Title
    transport: Literal["stdio", "http"]
    command: TextLine | None = None
    args: Annotated[list[TextLine], Field(max_length=ARGUMENTS_MAX), Json] = "[]"  # type: ignore[assignment]  # in stored form
    url: Url | None = None
    env: dict[str, Any] = {}
    auth: ServerAuth | None = None
    enabled: bool = False
    created_at: Timestamp | None = None

    @model_validator(mode="after")
    def _check_address(self) -> Self:
        required = "command" if self.transport == "stdio" else "url"
        if not getattr(self, required):
            raise ValueError(f"has no {required}, which a server with transport {self.transport} needs")
        return self

    def values(self) -> dict[str, Any]:
        """Return the columns; a server that had secrets is disabled, since a snapshot does not contain them."""
        has_secrets = bool(self.env) or self.auth is not None
        columns = super().values() | {"enabled": self.enabled and not has_secrets}
        auth = columns.pop("auth")
        del columns["env"]
        return {**columns, "auth_kind": auth.kind if auth else None}
