"""Error responses of a route in the OpenAPI document."""

from typing import Any

from ..auth.authentication import API_KEY, JWT, NONE
from ..auth.policies import Policy
from ..pipeline.routing import Route

Json = dict[str, Any]
JSON = "application/json"
ENVELOPE: Json = {
    "type": "object",
    "description": "The body of every error response.",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "code": {"type": "string", "description": "Identifies the error; for programs."},
                "message": {"type": "string", "description": "Says what to do; for people."},
                "details": {"type": "object"},
                "requestId": {"type": "string"},
            },
            "required": ["code", "message", "details", "requestId"],
            "additionalProperties": False,
        }
    },
    "required": ["error"],
    "additionalProperties": False,
}
RATE_HEADERS: Json = {
    "X-RateLimit-Limit": {"schema": {"type": "integer"}, "description": "Requests per minute."},
    "X-RateLimit-Remaining": {"schema": {"type": "integer"}, "description": "Remaining requests."},
    "X-RateLimit-Reset": {
        "schema": {"type": "integer"},
        "description": "Unix time in seconds when the full limit is available.",
    },
}
_RETRY: Json = {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait."}}


def list_errors(route: Route) -> Json:
    """Return the error responses that follow from the policy, limit and models of a route, and a default entry."""
    errors = {status: _error(names) for status, names in _codes(route).items() if names}
    if "401" in errors:
        errors["401"]["headers"] = {"WWW-Authenticate": {"schema": {"type": "string"}}}
    if route.limit:
        errors["429"] = {**_error(["rate_limited"]), "headers": {**RATE_HEADERS, **_RETRY}}
    return {**errors, "default": _error([])}


def _codes(route: Route) -> dict[str, list[str]]:
    policy = route.policy
    codes: dict[str, list[str]] = {"400": ["validation_failed"], "401": [], "403": [], "404": [], "409": []}
    if route.body:
        codes["400"] += ["invalid_json"]
    if policy.requires_comments:
        codes["400"] += ["comments_disabled"]
    if policy.scheme != NONE:
        codes["401"] = ["unauthorized"]
    of_scheme = {JWT: ["token_expired", "session_ended"], API_KEY: ["api_key_expired", "api_key_revoked"]}
    codes["401"] += of_scheme.get(policy.scheme, [])
    codes["403"] = _denials(policy)
    codes["409"] += ["archived_parent", "already_claimed", "claim_expired"] if policy.flags else []
    codes["409"] += ["quota_exceeded"] if route.grows and policy.requires_organization else []
    codes["409"] += ["conflict"] if route.repeatable else []  # a retry whose first response was not stored
    codes["412"] = ["precondition_failed"] if policy.supports_if_match else []
    codes["415"] = ["unsupported_media_type"] if policy.requires_same_origin and route.body else []
    codes["422"] = ["idempotency_key_reused"] if route.repeatable else []
    codes["423"] = ["frozen"] if policy.scheme == API_KEY and not route.reads else []
    codes["404"] += (
        ["not_found"] if "{" in route.path or (policy.requires_organization and policy.scheme == JWT) else []
    )
    return codes


def _denials(policy: Policy) -> list[str]:
    codes = ["sa_required"] if policy.requires_architect else []
    codes += ["permission_denied"] if policy.resource or policy.requires_same_origin else []
    if policy.scheme == API_KEY:
        codes += ["cross_organization", "agent_unknown"]
        codes += [] if policy.allows_unregistered_keys else ["agent_not_registered"]
        codes += [] if policy.allows_pending_agents else ["agent_not_approved", "agent_stopped"]
        codes += [flag.replace("can_", "cannot_").replace("enabled", "disabled") for flag in policy.flags]
    return codes


def _error(codes: list[str]) -> Json:
    description = ", ".join(f"`{code}`" for code in codes) or "Any other error."
    return {"description": description, "content": {JSON: {"schema": {"$ref": "#/components/schemas/Error"}}}}
