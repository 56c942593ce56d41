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

KEY = "SERVICE_API_KEY"  # the variable of the environment in which the key is
NAME = "tandem"
Json = dict[str, Any]


class ConfigurationConflict(Exception):
    """Something is there already that is not ours to change; the message says what to do."""


@dataclass(frozen=True)
class ClientFormat:
    """One kind of client: where its configuration lies, and what goes in there."""

    title: str
    file: Callable[[], Path]
    servers: str  # the key under which servers stand
    entry: Callable[[str, str], Json]  # of an address and an agent's id
    more: Json  # what else has to be in the file
    key: str  # how it gets the key


def _bearer(reference: str, agent_id: str) -> Json:
    return {"Authorization": f"ApiKey {reference}", "X-Agent-Id": agent_id}


CLIENTS = {
    "claude": ClientFormat(
        "Claude Code",
        lambda: Path(".mcp.json"),
        "mcpServers",
        lambda url, agent_id: {"type": "http", "url": url, "headers": _bearer(f"${{{KEY}}}", agent_id)},
        {},
        f"Start it with {KEY} in the environment.",
    ),
    "cursor": ClientFormat(
        "Cursor",
        lambda: Path(".cursor/mcp.json"),
        "mcpServers",
        lambda url, agent_id: {"url": url, "headers": _bearer(f"${{env:{KEY}}}", agent_id)},
        {},
        f"Start it with {KEY} in the environment.",
    ),
    "vscode": ClientFormat(
        "VS Code",
        lambda: Path(".vscode/mcp.json"),
        "servers",
        lambda url, agent_id: {"type": "http", "url": url, "headers": _bearer("${input:tandem-key}", agent_id)},
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
        lambda url, agent_id: {"url": url, "bearer_token_env_var": KEY, "http_headers": {"X-Agent-Id": agent_id}},
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
    try:
        return file.read_bytes().decode() if file.exists() else ""
    except UnicodeDecodeError:
        raise ConfigurationConflict("It is not a text in UTF-8.") from None


def write(file: Path, content: str) -> None:
    """Replace the content of a file atomically."""
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f"{file.name}.new")
    fresh.write_bytes(content.encode())
    if file.exists():
        fresh.chmod(file.stat().st_mode)
    fresh.replace(file.resolve() if file.is_symlink() else file)


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
    if known != entry:
        raise ConfigurationConflict(f"It has another server called {NAME}.")
    servers[NAME] = entry
    if before.strip() and json.loads(before) == whole:
        return before
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _toml(client: ClientFormat, entry: Json, before: str) -> str:
    known = _servers(client, before).get(NAME, entry)
    if known != entry:
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
