"""Toolsets: which tools `tools/list` shows. All tools can be called with any toolset."""

from multidict import MultiMapping

from ..errors import invalid
from ..pipeline.parsing import require_single
from .registry import TOOLS, Tool

PARAMETER, FULL, CORE = "toolset", "full", "core"
# What an agent needs for its loop; the others cost tokens in each conversation.
CORE_TOOLS = (
    *("claim_next", "get_card", "update_card", "move_card", "comment", "ask"),
    *("request_move", "release", "inbox"),
)


def parse_toolset(query: MultiMapping[str]) -> str:
    """Return the toolset that the query of a request names; raise validation_failed if it names none or several."""
    require_single(query, [PARAMETER])
    name = query.get(PARAMETER, FULL)
    if name not in (FULL, CORE):
        raise invalid(PARAMETER, f"must be {FULL} or {CORE}")
    return name


def list_tools(toolset: str) -> list[Tool]:
    """Return the tools that a toolset lists."""
    if toolset == CORE:
        return [TOOLS[name] for name in CORE_TOOLS]
    return [tool for tool in TOOLS.values() if tool.is_listed]
