"""Configuration files of MCP clients, with the entry of the service in the format of each client.

All these clients start processes, so the entry is the stdio bridge: each process of an agent is then a session of its
own. API keys are never written, since these files are shared and committed. Each client reads the key from the
environment or asks for it, in its own way. Formats: code.claude.com/docs (project scope), cursor.com/docs (mcp.json),
code.visualstudio.com (MCP configuration reference), Codex (config.toml, mcp_servers).
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..replacement import default_mode, replace_file

KEY = "SERVICE_API_KEY"  # the variable of the environment in which the key is
AGENT = "SERVICE_AGENT_ID"  # the variable of the agent's id, needed if the key has several agents
URL = "SERVICE_API_URL"
HEADER = "X-Agent-Id"
NAME = "tandem"
GUIDE = Path("AGENTS.md")
CHECKOUT = Path(__file__).parents[3] / "run.py"
Json = dict[str, Any]


class ConfigurationConflict(Exception):
    """The file has content that this command must not change; the message says what to do."""


@dataclass(frozen=True)
class ClientFormat:
    """One kind of client: where its configuration file is, and what the file contains.

    A file that a team commits has names of environment variables, and no values of a person.
    """

    title: str
    file: Callable[[], Path]
    servers: str  # the key of the servers
    key_value: str | None  # how the file refers to the variable of the API key; None: by a list of variables
    agent_value: str | None  # how the file refers to the variable of the agent's id; None: it has the id itself
    more: Json  # further content that the file needs
    key: str  # how the client gets the API key
    guide: Callable[[], Path] = lambda: GUIDE  # the file that tells agents how to work in the project

    def entry(self, url: str, agent_id: str | None, toolset: str | None) -> Json:
        """Return the entry for the service at an address; with the agent's id if the key does not say which it is."""
        command, *arguments = _find_program()
        arguments += ["--toolset", toolset] if toolset else []
        environment = {URL: url} | ({KEY: self.key_value} if self.key_value else {})
        environment |= {AGENT: self.agent_value or agent_id} if agent_id else {}
        if self.key_value is None:
            return {"command": command, "args": arguments, "env": environment, "env_vars": [KEY]}
        return {"type": "stdio", "command": command, "args": arguments, "env": environment}

    def is_own(self, known: Any, entry: Json) -> bool:
        """Return whether an entry is one for the same service, of this or an earlier version of the program."""
        found = _without_agent(known)
        earlier: Json = {"url": f"{entry['env'][URL]}/mcp"}  # earlier versions wrote the address of the tool server
        if self.key_value is None:
            earlier["bearer_token_env_var"] = KEY
        else:
            earlier["headers"] = {"Authorization": f"ApiKey {self.key_value}"}
        place = {"type", "command", "args"}  # the program may have moved
        kept = {key: value for key, value in found.items() if key not in place}
        return kept in ({key: value for key, value in _without_agent(entry).items() if key not in place}, earlier)


def _find_program() -> list[str]:
    """Return the command that starts the bridge: without a path if the program is installed on the search path."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "mcp"]
    if CHECKOUT.is_file():
        return [sys.executable, str(CHECKOUT), "mcp"]
    installed, found = Path(sys.executable).with_name(NAME), shutil.which(NAME)
    is_found = found is not None and Path(found).resolve() == installed.resolve()
    return [NAME if is_found else str(installed), "mcp"]


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
        f"${{{KEY}}}",
        f"${{{AGENT}:-}}",
        {},
        f"Start it with {KEY} in the environment.",
        _find_claude_guide,
    ),
    "cursor": ClientFormat(
        "Cursor",
        lambda: Path(".cursor/mcp.json"),
        "mcpServers",
        f"${{env:{KEY}}}",
        f"${{env:{AGENT}}}",
        {},
        f"Start it with {KEY} in the environment.",
    ),
    "vscode": ClientFormat(
        "VS Code",
        lambda: Path(".vscode/mcp.json"),
        "servers",
        "${input:tandem-key}",
        f"${{env:{AGENT}}}",
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
        None,
        None,
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
    """Return the file behind a link; raise ConfigurationConflict unless it is a file of the project."""
    try:
        target = file.resolve()
    except RuntimeError:
        raise ConfigurationConflict("It is a link that leads back to itself.") from None
    if not file.is_absolute() and not target.is_relative_to(Path.cwd().resolve()):
        raise ConfigurationConflict(f"It is a link to {target}, which is outside of this folder.")
    if target.exists() and not target.is_file():
        raise ConfigurationConflict("It is not a file.")
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
    if not client.is_own(known, entry):
        raise ConfigurationConflict(f"It has another server called {NAME}.")
    # Keep the name of a variable, but not the id of an agent, which earlier versions wrote.
    servers[NAME] = _keep_agent(known, entry) if "${" in str(_find_agent(known)) else entry
    if before.strip() and json.loads(before) == whole:
        return before
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _find_agent(known: Json) -> str | None:
    """Return the agent's id in an entry, or the reference to its variable; None without any."""
    agent: str | None = known.get("env", {}).get(AGENT)
    return agent or next((known[key].get(HEADER) for key in ("headers", "http_headers") if key in known), None)


def _keep_agent(known: Json, entry: Json) -> Json:
    """Return an entry with the agent of the existing entry, unless it names one itself."""
    agent = _find_agent(known)
    return {**entry, "env": {AGENT: agent, **entry["env"]}} if agent and AGENT not in entry["env"] else entry


def _without_agent(entry: Any) -> Any:
    """Return an entry without the keys that name an agent."""
    found = dict(entry) if isinstance(entry, dict) else {}
    for key in ("env", "headers", "http_headers"):
        if isinstance(found.get(key), dict):
            found[key] = {name: value for name, value in found[key].items() if name not in (AGENT, HEADER)}
    return {key: value for key, value in found.items() if value != {}}


def _toml(client: ClientFormat, entry: Json, before: str) -> str:
    known = _servers(client, before).get(NAME)
    if known is not None:
        return _replace_table(client, known, entry, before)
    added = _table(client, entry)
    after = f"{before.rstrip()}\n\n{added}" if before.strip() else added
    _servers(client, after)  # raises if TOML cannot add a table, because the servers are in one line
    return after


def _replace_table(client: ClientFormat, known: Any, entry: Json, before: str) -> str:
    """Return the configuration with the table of an earlier version replaced; one that a person edited stays."""
    if not client.is_own(known, entry):
        raise ConfigurationConflict(f"It has another server called {NAME}.")
    written = _table(client, known)
    if written in before:
        return before.replace(written, _table(client, _keep_agent(known, entry)))
    if "url" in known:
        raise ConfigurationConflict(f"It has an edited entry {NAME} of an earlier version; remove it.")
    return before


def _table(client: ClientFormat, entry: Json) -> str:
    lines = [f"[{client.servers}.{NAME}]", *(f"{key} = {_value(value)}" for key, value in entry.items())]
    return "\n".join(lines) + "\n"


def _servers(client: ClientFormat, text: str) -> Json:
    try:
        return dict(tomllib.loads(text).get(client.servers, {}))
    except (ValueError, TypeError):
        raise ConfigurationConflict("It is not TOML that this command can add to.") from None


def _value(value: Any) -> str:
    """Write a text, a list or a table of texts as TOML does; its basic strings and lists are those of JSON."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_value(inside)}" for key, inside in value.items()) + " }"
    return json.dumps(value)
