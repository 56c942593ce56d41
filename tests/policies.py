"""What every route asks of its caller, written down a second time.

A route is declared with its policy in the code; here it stands a second time, so that a policy that is loosened by
mistake, or a new route without a decision, fails tests/test_structure.py. The walks over
permission rows, architects' routes and column policies take their routes from here.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

ORG = "/organizations/{org_id}"
TYPES = ORG + "/card-types"
FIELDS = TYPES + "/{card_type_id}/fields"

POLICIES: Mapping[str, list[str]] = {
    # Of people: the permission row that governs the route, and SA where rows cannot open it to Members.
    "Analytics:read": [
        f"GET {ORG}/analytics",
        f"GET {ORG}/analytics/series",
    ],
    "Archive:read": [
        "GET /archive",
    ],
    "Archive:update": [
        "POST /archive/{type}/{id}/restore",
    ],
    "SA Archive:delete": [
        "DELETE /archive/{type}/{id}",
    ],
    "Card:read": [
        "GET /cards/{card_id}",
        "GET /cards/{card_id}/comments",
        "GET /cards/{card_id}/comments/{comment_id}/replies",
        "GET /cards/{card_id}/context",
        "GET /cards/{card_id}/history",
        "GET /cards/{card_id}/moves",
        f"GET {ORG}/attention",
        f"GET {ORG}/board",
        f"GET {ORG}/board-flow",
        f"GET {ORG}/cards",
        f"GET {ORG}/agents/{{agent_id}}/activity",
        f"GET {ORG}/catch-up",
        f"GET {ORG}/changes",
        f"GET {ORG}/events",
        f"GET {ORG}/move-requests",
        f"GET {ORG}/questions",
        f"GET {ORG}/refusals",
        "GET /me/cards",
        f"GET {ORG}/field-values",
        f"GET {ORG}/search",
        f"PUT {ORG}/seen",
        "PUT /cards/{card_id}/watch",
        "DELETE /cards/{card_id}/watch",
    ],
    "Card:create": [
        "POST /cards/{card_id}/duplicate",
        "POST /cards/{card_id}/split",
        f"POST {ORG}/cards",
    ],
    "Card:update": [
        "DELETE /cards/{card_id}/claim",
        "PATCH /cards/{card_id}",
        "PATCH /cards/{card_id}/checklist",
        "PATCH /cards/{card_id}/rank",
        "POST /cards/{card_id}/restore",
        "POST /cards/{card_id}/transfer",
    ],
    "Card:transition": [
        "PATCH /cards/{card_id}/status",
        "POST /move-requests/{move_request_id}/approve",
        "POST /move-requests/{move_request_id}/reject",
    ],
    "Card:comment": [
        "POST /cards/{card_id}/comments",
        "POST /cards/{card_id}/comments/{comment_id}/replies",
    ],
    "Card:delete": [
        "DELETE /cards/{card_id}",
    ],
    "CardType:read": [
        f"GET {TYPES}",
    ],
    "SA CardType:create": [
        f"POST {TYPES}",
    ],
    "SA CardType:update": [
        f"PATCH {TYPES}/{{card_type_id}}",
    ],
    "SA CardType:delete": [
        f"GET {TYPES}/{{card_type_id}}/usage",
        f"DELETE {TYPES}/{{card_type_id}}",
    ],
    "Column:read": [
        f"GET {ORG}/columns",
    ],
    "SA Column:create": [
        f"POST {ORG}/columns",
    ],
    "SA Column:update": [
        f"PATCH {ORG}/columns/{{column_id}}",
    ],
    "SA Column:delete": [
        f"DELETE {ORG}/columns/{{column_id}}",
    ],
    "Field:read": [
        f"GET {FIELDS}",
    ],
    "Field:create": [
        f"POST {FIELDS}",
    ],
    "Field:update": [
        f"PATCH {FIELDS}/{{field_id}}",
    ],
    "Field:delete": [
        f"GET {FIELDS}/{{field_id}}/usage",
        f"DELETE {FIELDS}/{{field_id}}",
    ],
    "File:read": [
        "GET /files/card/{card_id}",
        "GET /files/card/{card_id}/field/{field_id}",
        "GET /files/{file_id}/content",
    ],
    "File:read Card:read": [
        "POST /files/{file_id}/link",
    ],
    "File:create": [
        "POST /files",
    ],
    "SA File:create": [
        "POST /files/{file_id}/content",
    ],
    "SA File:delete": [
        "DELETE /files/{file_id}",
    ],
    "Project:read": [
        f"GET {ORG}/projects",
        f"GET {ORG}/projects/{{project_id}}",
    ],
    "Project:create": [
        f"POST {ORG}/projects",
    ],
    "Project:update": [
        f"PATCH {ORG}/projects/{{project_id}}",
    ],
    "Project:delete": [
        f"DELETE {ORG}/projects/{{project_id}}",
    ],
    "Prompt:read": [
        "GET /prompt-categories",
        "GET /prompts",
        "GET /prompts/{prompt_id}",
    ],
    "SA Prompt:create": [
        "POST /prompt-categories",
        "POST /prompts",
    ],
    "SA Prompt:update": [
        "PATCH /prompt-categories/{category_id}",
        "PATCH /prompts/{prompt_id}",
        "POST /prompts/{prompt_id}/versions",
        "PATCH /prompts/{prompt_id}/versions/{version_id}",
    ],
    "SA Prompt:delete": [
        "DELETE /prompt-categories/{category_id}",
        "DELETE /prompts/{prompt_id}",
    ],
    "Relationship:read": [
        f"GET {ORG}/relationships",
    ],
    "Relationship:create": [
        f"POST {ORG}/relationships",
    ],
    "Relationship:delete": [
        f"DELETE {ORG}/relationships/{{relationship_id}}",
    ],
    "ToolServer:read": [
        "GET /mcp-servers",
        "GET /mcp-servers/{server_id}",
    ],
    "SA ToolServer:create": [
        "POST /mcp-servers",
    ],
    "SA ToolServer:update": [
        "PATCH /mcp-servers/{server_id}",
    ],
    "SA ToolServer:delete": [
        "DELETE /mcp-servers/{server_id}",
    ],
    "Transition:read": [
        f"GET {ORG}/transitions",
    ],
    "Transition:create": [
        f"POST {ORG}/transitions",
    ],
    "Transition:update": [
        f"PATCH {ORG}/transitions/{{transition_id}}",
    ],
    "Transition:delete": [
        f"DELETE {ORG}/transitions/{{transition_id}}",
    ],
    # Of people: that they are Solution Architects of the organization, or members, or signed in.
    "SA": [
        "GET /admin/about",
        "GET /admin/storage",
        "GET /admin/backups",
        "GET /admin/lost-files",
        "GET /admin/export",
        "GET /admin/lost-secrets",
        "GET /admin/import",
        "POST /admin/import",
        "POST /admin/import/trello",
        "DELETE /agents/{agent_id}",
        "PATCH /agents/{agent_id}/approve",
        "PATCH /agents/{agent_id}/resume",
        "PATCH /agents/{agent_id}/stop",
        f"PATCH {ORG}",
        f"DELETE {ORG}",
        f"POST {ORG}/freeze",
        f"DELETE {ORG}/freeze",
        f"POST {ORG}/members",
        f"PATCH {ORG}/members/{{user_id}}",
        f"DELETE {ORG}/members/{{user_id}}",
        f"POST {ORG}/members/{{user_id}}/password",
        f"GET {ORG}/teams",
        f"POST {ORG}/teams",
        f"GET {ORG}/teams/{{team_id}}",
        f"PATCH {ORG}/teams/{{team_id}}",
        f"DELETE {ORG}/teams/{{team_id}}",
        f"POST {ORG}/teams/{{team_id}}/members",
        f"DELETE {ORG}/teams/{{team_id}}/members/{{user_id}}",
        f"PATCH {ORG}/teams/{{team_id}}/onboarding",
        f"POST {ORG}/undo",
        "PATCH /permissions/{permission_id}",
        "POST /preset-fields",
        "PATCH /preset-fields/{preset_field_id}",
        "DELETE /preset-fields/{preset_field_id}",
        "GET /settings/api-keys",
        "POST /settings/api-keys",
        "PATCH /settings/api-keys/{key_id}",
        "DELETE /settings/api-keys/{key_id}",
        "POST /settings/api-keys/{key_id}/rotate",
        "GET /webhooks",
        "POST /webhooks",
        "PATCH /webhooks/{webhook_id}",
        "DELETE /webhooks/{webhook_id}",
        "GET /webhooks/{webhook_id}/deliveries",
    ],
    "any": [
        "GET /auth/me",
        "POST /auth/invitations/accept",
        "POST /auth/logout",
        "POST /auth/switch",
        "GET /organizations",
        "POST /organizations",
        "POST /settings/password",
        "PATCH /settings/profile",
        "GET /settings/sessions",
        "DELETE /settings/sessions/{session_id}",
        "GET /settings/shortcuts",
        "POST /settings/shortcuts",
        "PATCH /settings/shortcuts/{shortcut_id}",
        "DELETE /settings/shortcuts/{shortcut_id}",
        "PATCH /settings/theme",
    ],
    "member": [
        f"POST {ORG}/cards/batch",
        f"GET {ORG}",
        f"GET {ORG}/agents",
        f"GET {ORG}/freeze",
        f"GET {ORG}/members",
        "GET /permissions",
        "GET /preset-fields",
        "GET /preset-fields/{preset_field_id}",
    ],
    # Of nobody.
    "public: any": [
        "POST /auth/login",
        "POST /auth/refresh",
        "GET /files/{file_id}/linked",
        "GET /teams/{team_id}/onboarding",
    ],
    # Of agents: what the column of the card must have on; pending: open to agents that are not approved;
    # unregistered: open to keys with which no agent has registered.
    "agent: any": [
        "POST /agents/{agent_id}/online",
        "GET /agents/{agent_id}/permissions",
        "GET /cards/{card_id}/comments/mcp",
        "GET /cards/{card_id}/comments/{comment_id}/replies/mcp",
        "GET /cards/{card_id}/context/mcp",
        "GET /cards/{card_id}/history/mcp",
        "GET /cards/{card_id}/mcp",
        "GET /cards/{card_id}/moves/mcp",
        "GET /files/card/{card_id}/field/{field_id}/mcp",
        "GET /files/card/{card_id}/mcp",
        "GET /files/{file_id}/content/mcp",
        "GET /mcp-servers/mcp",
        f"GET {ORG}/inbox/mcp",
        f"GET {ORG}/members/mcp",
        "DELETE /cards/{card_id}/comments/{comment_id}/question/mcp",
        "DELETE /move-requests/{move_request_id}/mcp",
        f"GET {ORG}/agents/mcp",
        f"GET {ORG}/board-flow/mcp",
        f"GET {FIELDS}/mcp",
        f"POST {ORG}/cards/claim/mcp",
        f"GET {ORG}/cards/mcp",
        f"POST {ORG}/cards/mcp",
        f"GET {ORG}/changes/mcp",
        f"GET {ORG}/columns/mcp",
        f"GET {ORG}/events/mcp",
        f"GET {ORG}/freeze/mcp",
        f"GET {ORG}/move-requests/mcp",
        f"GET {ORG}/questions/mcp",
        f"GET {ORG}/relationships/mcp",
        f"POST {ORG}/relationships/mcp",
        f"DELETE {ORG}/relationships/{{relationship_id}}/mcp",
        f"GET {ORG}/search/mcp",
        "GET /prompts/mcp",
        "GET /prompts/{prompt_id}/mcp",
    ],
    "agent: column:pickup_enabled": [
        "POST /cards/{card_id}/comments/mcp",
        "POST /cards/{card_id}/comments/{comment_id}/question/answer/mcp",
        "POST /cards/{card_id}/comments/{comment_id}/replies/mcp",
        "POST /cards/{card_id}/move-requests/mcp",
        "POST /cards/{card_id}/split/mcp",
    ],
    "agent: column:pickup_enabled column:can_moderate": [
        "POST /cards/{card_id}/claim/mcp",
        "PATCH /cards/{card_id}/checklist/mcp",
        "PATCH /cards/{card_id}/mcp",
        "PATCH /cards/{card_id}/mcp/status",
        "POST /files/mcp",
    ],
    "agent: own claim": [
        "DELETE /cards/{card_id}/claim/mcp",
        "POST /cards/{card_id}/claim/renew/mcp",
    ],
    "agent: pending": [
        "POST /agents/{agent_id}/offline",
    ],
    "agent: unregistered": [
        "GET /agent/mcp",
        "GET /agent/orgs",
        "GET /agents/{agent_id}/status",
        "POST /teams/{team_id}/agents/register",
    ],
}


@dataclass(frozen=True)
class Governed:
    """Routes that a permission row governs; some stay with architects whatever the rows say."""

    resource: str
    action: str
    routes: list[str]
    architects_besides: bool


def _governed() -> Iterator[Governed]:
    for policy, names in POLICIES.items():
        for resource, action in re.findall(r"\b([A-Z]\w+):(\w+)", policy):
            yield Governed(resource, action, names, policy.startswith("SA "))


GOVERNED = list(_governed())
PUBLIC = POLICIES["public: any"]
