"""The modules that declare tools; importing them fills the registry."""

from . import (
    agents,
    boards,
    card_changes,
    cards,
    changes,
    claims,
    comments,
    deprecated,
    files,
    mcp_servers,
    move_requests,
    prompts,
    relations,
    search,
)

GROUPS = (
    *(agents, boards, card_changes, cards, changes, claims, comments, deprecated, files),
    *(mcp_servers, move_requests, prompts, relations, search),
)
