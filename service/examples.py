"""Examples of the main bodies, by the names of their models; the OpenAPI document shows them."""

from typing import Any

EXAMPLES: dict[str, dict[str, Any]] = {
    "Login": {"email": "ada@example.com", "password": "correct horse"},
    "Switch": {"orgId": "org_01JD4ZK3V8Q2"},
    "NewOrganization": {"title": "Home", "color": "#4f46e5"},
    "NewMember": {"email": "mo@example.com", "fullName": "Mo Member", "role": "Member"},
    "NewProject": {"title": "Website", "color": "#0ea5e9", "template": "default_kanban"},
    "NewColumn": {
        "projectId": "proj_01JD4ZK3V8Q2",
        "title": "Review",
        "order": 3,
        "agentPickupEnabled": False,
        "agentCanModerate": False,
        "wipLimit": 5,
    },
    "NewCardType": {"title": "Bug", "color": "#dc2626", "commentsEnabled": True, "filesEnabled": True},
    "NewField": {"name": "severity", "label": "Severity", "kind": "select", "options": ["minor", "major"]},
    "NewTransition": {
        "fromColumnId": "col_01JD4ZK3V8Q2",
        "toColumnId": "col_01JD4ZK3V8Q3",
        "requiresApproval": True,
    },
    "NewRelationship": {
        "fromCardId": "card_01JD4ZK3V8Q2",
        "toCardId": "card_01JD4ZK3V8Q3",
        "kind": "blocks",
        "comment": "The schema comes first.",
    },
    "NewCard": {
        "projectId": "proj_01JD4ZK3V8Q2",
        "cardTypeId": "ctype_01JD4ZK3V8Q2",
        "title": "Sign-in fails on slow networks",
        "priority": "high",
        "dueDate": "2026-11-30T12:00:00.000Z",
        "fieldValues": [{"fieldId": "fld_01JD4ZK3V8Q2", "value": ["login", "network"]}],
    },
    "CardEdit": {"title": "Sign-in times out on slow networks", "assignedAgentId": None, "priority": "urgent"},
    "Move": {"toColumnId": "col_01JD4ZK3V8Q2"},
    "Rank": {"afterCardId": "card_01JD4ZK3V8Q2"},
    "NewComment": {"content": "The time-out is 2 s; 10 s is enough."},
    "Registration": {
        "id": "build-bot",
        "title": "Build bot",
        "machineName": "runner-1",
        "llmVersion": "1.0",
        "osName": "Linux",
    },
    "NewTeam": {"name": "Platform", "onboardingDoc": "Register, wait for approval, then read your prompt."},
    "NewApiKey": {"name": "Build bot", "agentId": "build-bot", "expiresAt": "2027-11-30T12:00:00.000Z"},
    "NewWebhook": {"url": "https://ci.example.com/hooks/board", "events": ["card.moved", "comment.*"]},
    "NewPrompt": {"name": "Triage", "categoryId": None, "body": "Read the card, then choose its priority."},
    "NewPromptVersion": {"label": "v2", "body": "Read the card and its comments, then choose its priority."},
    "NewShortcut": {"action": "card.archive", "binding": "ctrl+shift+a"},
    "PermissionEdit": {"actions": ["read", "create", "comment"]},
}
