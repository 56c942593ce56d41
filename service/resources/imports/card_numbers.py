"""The numbers of imported cards, and those that they had on other boards."""

from ...database.queries import sql
from ...database.store import Row
from .merge import Merge
from .staging import StagedRow


class CardNumbers:
    """Assigns the numbers of cards that are new on their board."""

    def __init__(self, merge: Merge) -> None:
        self._merge = merge
        self._last: dict[str, int] = {}  # by project

    def assign(self, row: StagedRow, existing: Row | None) -> int:
        """Return the number of a card: the existing one of the same board, else the one of the snapshot, else the next.

        The number of a snapshot counts if no other card has or had it.
        """
        if existing is not None and existing["project_id"] == row["project_id"]:
            return int(existing["number"])
        project_id, number = row["project_id"], row["number"]
        if project_id not in self._last:
            project = self._merge.find_row("projects", project_id)
            self._last[project_id] = project["last_number"] if project else 0
        if number is None or self._is_taken(project_id, number, row["id"]):
            number = self._last[project_id] + 1
        self._last[project_id] = max(number, self._last[project_id])
        return int(number)

    def _is_taken(self, project_id: str, number: int, card_id: str) -> bool:
        tx, place = self._merge.tx, {"project_id": project_id, "number": number}
        had_it = tx.value(sql.imports.find_former_card, **place)
        return bool(tx.value(sql.imports.find_card_by_number, **place)) or had_it not in (None, card_id)

    def update_projects(self) -> None:
        """Set the last number of each project."""
        for project_id, number in self._last.items():
            self._merge.tx.run(sql.imports.raise_last_number, project_id=project_id, number=number)


class FormerKeys:
    """Writes the former keys of cards, whose projects can have other keys here than in the snapshot."""

    def __init__(self, merge: Merge) -> None:
        self._merge = merge
        self._projects = {
            key: row["id"]
            for _, row in merge.staged.rows("projects")
            for key in (row["key"], *row["former_keys"])
            if key is not None
        }

    def write(self, row: StagedRow, existing: Row | None, keys: list[str]) -> None:
        """Write the former keys of a card; one that an import moves to another board keeps the key that it had here."""
        places = [self._find_place(key) for key in keys]
        if existing is not None and existing["project_id"] != row["project_id"]:
            places.append((existing["project_id"], existing["number"]))
            self._merge.tx.run(sql.former_card_keys.delete, project_id=row["project_id"], number=row["number"])
        for project_id, number in places:
            if project_id is not None:
                place = {"project_id": project_id, "number": number}
                self._merge.tx.run(sql.imports.write_former_card_keys, card_id=row["id"], **place)
                self._merge.tx.run(sql.imports.raise_last_number, **place)  # so that no new card gets that key

    def _find_place(self, key: str) -> tuple[str | None, int]:
        project_key, _, number = key.rpartition("-")
        project_id = self._projects.get(project_key)
        if project_id is None:
            project_id = self._merge.tx.value(sql.project_keys.find_project, org_id=self._merge.org_id, key=project_key)
        known = project_id and self._merge.find_row("projects", project_id)
        return (project_id if known else None), int(number)
