"""A service with something of everything in it, and all that can be seen of it from outside and on the disk."""

import hashlib
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .forms import upload
from .world import Client, World

TOKEN = "token-of-a-tool-server"
SERVER = {"name": "tools", "transport": "http", "url": "https://tools.example.test/mcp", "enabled": True}
# What changes by itself while a service starts or runs.
SEARCH = {"search_pending", "search_backlog", "search_cards", "search_values"}
INDEXES = ("search_texts", "search_parts", "search_titles")
RESTLESS = {"readiness", *SEARCH, "sqlite_sequence", "sqlite_stat1", "sqlite_stat4"}


@dataclass
class Loaded:
    """What a test looks for again: a card, its file, and an agent's key."""

    card: Any
    file: Any
    agent: Client


async def fill_organization(world: World) -> Loaded:
    """Fill the SA's organization with cards, talk, a file, an agent that holds a claim, and a kept secret."""
    board = await world.board()
    card = await world.card(board, title="A card", assignedUserId=world.member.id)
    (await world.member.post(f"/cards/{card['id']}/comments", {"content": "Hello"})).ok()
    done = await world.card(board, "Done", title="Done already")
    link = {"fromCardId": done["id"], "toCardId": card["id"], "kind": "relatesTo"}
    (await world.sa.post(world.sa.org("/relationships"), link)).ok()
    file = await upload(world, card, board.field("attachments"), bytes(range(256)) * 1000)
    agent = await world.agent("builder-1")
    (await agent.post(f"/cards/{card['id']}/claim/mcp")).ok()
    (await world.sa.post("/mcp-servers", {**SERVER, "auth": {"kind": "bearer", "token": TOKEN}})).ok()
    return Loaded(card, file, agent)


async def read_everything(world: World, loaded: Loaded) -> dict[str, Any]:
    """Return what people and agents see of it."""
    content = await world.sa.get(f"/files/{loaded.file['id']}/content")
    agent = world.client(loaded.agent.headers, id=loaded.agent.id, org_id=loaded.agent.org_id)
    return {
        "card": (await world.sa.get(f"/cards/{loaded.card['id']}")).ok(),
        "history": (await world.sa.get(f"/cards/{loaded.card['id']}/history")).ok(),
        "comments": (await world.sa.get(f"/cards/{loaded.card['id']}/comments")).ok(),
        "content": hashlib.sha256(content.ok()).hexdigest(),
        "tools": (await agent.get("/mcp-servers/mcp")).ok(),
        "me": (await world.member.get("/auth/me")).ok(),
    }


def rows(database: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table of a database that nobody writes to, but for the event of a restore."""
    with closing(sqlite3.connect(database)) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        kept = [name for name in names if name not in RESTLESS and not name.startswith(INDEXES)]
        found = {name: sorted(connection.execute(f"SELECT * FROM {name}"), key=repr) for name in kept}
    found["events"] = [row for row in found.get("events", []) if "service.restored" not in row]
    return found


def hash_files(folder: Path) -> dict[str, str]:
    """Return the hash of every file below a folder, by its path in there."""
    found = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}
