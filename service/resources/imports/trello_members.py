"""Members of the organization who are members of a Trello board."""

from collections.abc import Iterable

from ...database.store import Row
from ...text.comparison import fold_name
from ...trello.board import TrelloMember


class Members:
    """The members of an organization by e-mail address and by name."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._by_email: dict[str, str] = {}
        self._by_name: dict[str, set[str]] = {}
        for row in rows:
            if row["state"] == "active":
                self._by_email[row["email"].lower()] = row["user_id"]
                self._by_name.setdefault(fold_name(row["full_name"]), set()).add(row["user_id"])
        self._found: dict[TrelloMember, str | None] = {}  # since a member can be on very many cards

    def find(self, member: TrelloMember) -> str | None:
        """Return the id of the member with the same e-mail address, else of the only one with this name, or None."""
        if member not in self._found:
            self._found[member] = self._find(member)
        return self._found[member]

    def _find(self, member: TrelloMember) -> str | None:
        if found := self._by_email.get(member.email.lower()):
            return found
        namesakes = self._by_name.get(fold_name(member.name), set())
        return next(iter(namesakes)) if len(namesakes) == 1 else None

    def find_assignee(self, members: Iterable[TrelloMember]) -> tuple[TrelloMember, str] | None:
        """Return the first member of a card who is in the organization, with the id of that person; or None."""
        return next(((member, found) for member in members if (found := self.find(member))), None)
