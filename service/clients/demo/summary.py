"""Summary at the end of the demo: the state of the board, and what to try next."""

from __future__ import annotations

from collections import Counter
from urllib.parse import quote

from ..account import Account
from ..client import PREFIX
from .board import DemoBoard
from .reviewer import DemoState

AUTHORIZED = '-H "Authorization: Bearer $TOKEN"'
PICK = "python3 -c \"import json, sys; print(json.load(sys.stdin)['token'])\""


def summarize(account: Account, board: DemoBoard, seen: DemoState) -> str:
    """Return the state of the board and commands for the next steps."""
    held = Counter(board.title(card["columnId"]) for card in seen.cards)
    standing = ", ".join(f"{held[title]} in {title}" for title in board.columns if held[title])
    return "\n".join(
        [
            f"\nCards: {standing or 'none left'}.",
            *_addresses(account, board, seen),
            "\nThe same by hand:",
            *_sign_in(account),
            *_requests(account, seen),
            "# Put the project into the archive (?mode=permanent removes it for good).",
            f"curl -s -X DELETE {board.address(account.url)} {AUTHORIZED}",
            f"\nAll routes: {account.url.removesuffix(PREFIX)}/api/docs",
        ]
    )


def _addresses(account: Account, board: DemoBoard, seen: DemoState) -> list[str]:
    """Return the addresses of the page for the open requests and the board."""
    page = account.url.removesuffix(PREFIX)
    lines = ["\nNext, on the page" + (f" (sign in as {account.email}):" if account.email else ":")]
    for request in seen.waiting:
        lines.append(
            f'  {page}/  Home: {request["requestedBy"]["id"]} asked you: may "{request["title"]}" move to Done?'
        )
        lines.append(
            f"  {page}/agents/{quote(request['requestedBy']['id'], safe='')}  what this agent did, and how to undo it"
        )
    return [*lines, f"  {page}/b/{board.project}  the board"]


def _sign_in(account: Account) -> list[str]:
    if account.token:
        return ["TOKEN=…  # the token that you gave"]
    body = f'"{{\\"email\\": \\"{account.email}\\", \\"password\\": \\"$PASSWORD\\"}}"'
    login = f'curl -s {account.url}/auth/login -H "Content-Type: application/json" -d {body}'
    return ["PASSWORD=…  # yours", f"TOKEN=$({login} | {PICK})"]


def _requests(account: Account, seen: DemoState) -> list[str]:
    """Return commands that approve the open requests and show the history of their cards."""
    lines = []
    for request in seen.waiting:
        asked, title = request["requestedBy"]["id"], request["title"]
        lines += [
            f'# {asked} asked you: may "{title}" move to Done? (/reject instead of /approve says no.)',
            f"curl -s -X POST {account.url}/move-requests/{request['id']}/approve {AUTHORIZED}",
            "# What happened to this card, and by whom.",
            f"curl -s {account.url}/cards/{request['cardId']}/history {AUTHORIZED}",
        ]
    return lines
