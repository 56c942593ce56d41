"""Configuration files of MCP clients, with the entry of the service in the format of each client.

API keys are never written, since these files are shared and committed. Each client reads the key from the
environment or asks for it, in its own way. Formats: code.claude.com/docs (project scope), cursor.com/docs (mcp.json),
code.visualstudio.com (MCP configuration reference), Codex (config.toml, mcp_servers).
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..replacement import default_mode, replace_file

KEY = "SERVICE_API_KEY"  # the variable of the environment in which the key is
AGENT = "SERVICE_AGENT_ID"  # the variable of the agent's id, needed if the key has several agents
HEADER = "X-Agent-Id"
OPTIONAL_AGENT, ENV_AGENT = f"${{{AGENT}:-}}", f"${{env:{AGENT}}}"
NAME = "tandem"
GUIDE = Path("AGENTS.md")
Json = dict[str, Any]


class ConfigurationConflict(Exception):
    """Something is there already that is not ours to change; the message says what to do."""


@dataclass(frozen=True)
class ClientFormat:
    """One kind of client: where its configuration lies, and what goes in there."""

    title: str
    file: Callable[[], Path]
    servers: str  # the key under which servers stand
    entry: Callable[[str, str | None], Json]  # of an address and an agent's id, if the key does not tell which it is
    more: Json  # what else has to be in the file
    key: str  # how it gets the key
    guide: Callable[[], Path] = lambda: GUIDE  # the file that tells agents how to work in the project


def _headers(key: str, agent: str, agent_id: str | None) -> Json:
    """Return the headers of a file that a team commits: it names the variables of its reader, and nobody's values."""
    return {"Authorization": f"ApiKey {key}"} | ({HEADER: agent} if agent_id else {})


def _find_claude_guide() -> Path:
    """Return the file that Claude Code reads: AGENTS.md only if there is no CLAUDE.md, or if that one includes it."""
    for file in (Path("CLAUDE.md"), Path(".claude/CLAUDE.md")):
        if file.is_file() and b"@AGENTS.md" not in file.read_bytes():
            return file
    return GUIDE


CLIENTS = {
    "claude": ClientFormat(
        "Claude Code",
        lambda: Path(".mcp.json"),
        "mcpServers",
        lambda url, agent_id: {
            "type": "http",
            "url": url,
            "headers": _headers(f"${{{KEY}}}", OPTIONAL_AGENT, agent_id),
        },
        {},
        f"Start it with {KEY} in the environment.",
        _find_claude_guide,
    ),
    "cursor": ClientFormat(
        "Cursor",
        lambda: Path(".cursor/mcp.json"),
        "mcpServers",
        lambda url, agent_id: {"url": url, "headers": _headers(f"${{env:{KEY}}}", ENV_AGENT, agent_id)},
        {},
        f"Start it with {KEY} in the environment.",
    ),
    "vscode": ClientFormat(
        "VS Code",
        lambda: Path(".vscode/mcp.json"),
        "servers",
        lambda url, agent_id: {
            "type": "http",
            "url": url,
            "headers": _headers("${input:tandem-key}", ENV_AGENT, agent_id),
        },
        {
            "inputs": [
                {"type": "promptString", "id": "tandem-key", "description": "Key of the agent", "password": True},
            ]
        },
        "It asks for the key once, and keeps it safe.",
    ),
    "codex": ClientFormat(
        "Codex",
        lambda: Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex") / "config.toml",
        "mcp_servers",
        lambda url, agent_id: (
            {"url": url, "bearer_token_env_var": KEY} | ({"http_headers": {HEADER: agent_id}} if agent_id else {})
        ),
        {},
        f"Start it with {KEY} in the environment.",
    ),
}


def text(client: ClientFormat, entry: Json, before: str) -> str:
    """Return the configuration with the entry added; raise ConfigurationConflict rather than lose existing content."""
    make = _toml if client.file().suffix == ".toml" else _json
    return make(client, entry, before)


def read(file: Path) -> str:
    """Return the text of a file with its line ends ("" if missing); raise ConfigurationConflict if it is binary."""
    target = _resolve(file)
    try:
        return target.read_bytes().decode() if target.exists() else ""
    except UnicodeDecodeError:
        raise ConfigurationConflict("It is not a text in UTF-8.") from None


def write(file: Path, content: str) -> None:
    """Replace the content of a file atomically."""
    target = _resolve(file)
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = target.stat().st_mode & 0o777 if target.exists() else default_mode()
    with replace_file(target, mode) as fresh:
        fresh.write(content.encode())


def _resolve(file: Path) -> Path:
    """Return the file behind a link; raise ConfigurationConflict if a file of the project is one outside of it."""
    target = file.resolve()
    if not file.is_absolute() and not target.is_relative_to(Path.cwd().resolve()):
        raise ConfigurationConflict(f"It is a link to {target}, which is outside of this folder.")
    return target


def _json(client: ClientFormat, entry: Json, before: str) -> str:
    try:
        whole = json.loads(before) if before.strip() else {}
        servers = whole.setdefault(client.servers, {})
        known = servers.get(NAME, entry)
        for key, items in client.more.items():
            there = [other["id"] for other in whole.setdefault(key, [])]
            whole[key].extend(item for item in items if item["id"] not in there)
    except (ValueError, AttributeError, TypeError, LookupError):
        raise ConfigurationConflict("It is not JSON that this command can add to (comments, perhaps).") from None
    if _without_agent(known) != _without_agent(entry):
        raise ConfigurationConflict(f"It has another server called {NAME}.")
    if HEADER in entry["headers"] or "${" not in str(known["headers"].get(HEADER)):
        servers[NAME] = entry  # without the agent's id that earlier versions wrote
    if before.strip() and json.loads(before) == whole:
        return before
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _without_agent(entry: Any) -> Any:
    """Return an entry without the header that names an agent."""
    found = dict(entry) if isinstance(entry, dict) else {}
    for key in ("headers", "http_headers"):
        if isinstance(found.get(key), dict):
            found[key] = {name: value for name, value in found[key].items() if name != HEADER}
    return {key: value for key, value in found.items() if value != {}}


def _toml(client: ClientFormat, entry: Json, before: str) -> str:
    known = _servers(client, before).get(NAME, entry)
    if known != entry and _without_agent(known) != entry:
        raise ConfigurationConflict(f"It has another server called {NAME}.")
    if NAME in _servers(client, before):
        return before
    lines = [f"[{client.servers}.{NAME}]", *(f"{key} = {_value(value)}" for key, value in entry.items())]
    added = "\n".join(lines) + "\n"
    after = f"{before.rstrip()}\n\n{added}" if before.strip() else added
    _servers(client, after)  # where they stand in one line, TOML lets nobody add a table
    return after


def _servers(client: ClientFormat, text: str) -> Json:
    try:
        return dict(tomllib.loads(text).get(client.servers, {}))
    except (ValueError, TypeError):
        raise ConfigurationConflict("It is not TOML that this command can add to.") from None


def _value(value: Any) -> str:
    """Write a text or a table of texts as TOML does; its basic strings are those of JSON."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_value(inside)}" for key, inside in value.items()) + " }"
    return json.dumps(value)
