"""Import of people only: assignees, teams and mentions of rows that have none, once the people are members."""

from ...database.queries import sql
from ...errors import NotFound
from . import boards, cards, comments
from .merge import Group, Merge
from .staging import StagedRow

TEAMS = next(group for group in boards.BOARD if group.key == "teams")


def fill(merge: Merge) -> None:
    """Fill in the people of existing rows; nothing else is changed, and no row is created.

    Raise NotFound if the organization does not exist.
    """
    if merge.tx.one(sql.imports.get_organization, id=merge.org_id) is None:
        raise NotFound("organization")
    for _, row in merge.staged.rows("cards"):
        if _exists(merge, cards.CARDS, row):
            merge.imported["cards"] += _fill_card(merge, row)
    for _, row in merge.staged.rows("teams"):
        if _exists(merge, TEAMS, row):
            merge.imported["teams"] += _fill_team(merge, row)
    for _, row in merge.staged.rows("comments"):
        merge.imported["comments"] += _fill_comment(merge, row)


def _exists(merge: Merge, group: Group, row: StagedRow) -> bool:
    existing = merge.tx.live.one(group.read, id=row["id"])
    return existing is not None and existing["org_id"] == merge.org_id


def _fill_card(merge: Merge, row: StagedRow) -> bool:
    existing = merge.tx.live.one(cards.CARDS.read, id=row["id"])
    assert existing is not None
    filled = [_fill_value(merge, row["id"], item) for item in row["field_values"] or ()]
    user_id = merge.find_member(row["assigned_user_id"]) if existing["assigned_user_id"] is None else None
    if user_id is not None:
        cards.update_card(merge, {**existing, "assigned_user_id": user_id}, existing, {})
    return user_id is not None or any(filled)


def _fill_value(merge: Merge, card_id: str, item: StagedRow) -> bool:
    """Fill in the mentions of a text that has none and is still the same."""
    key = {"card_id": card_id, "field_id": item["field_id"]}
    mentions = merge.encode_mentions(item["mentions"])
    existing = merge.tx.live.one(sql.imports.get_field_value, **key) if mentions else None
    if existing is None or existing["mentions"] is not None or existing["value"] != item["value"]:
        return False
    merge.tx.run(sql.field_values.upsert, value=item["value"], mentions=mentions, **key)
    return True


def _fill_team(merge: Merge, row: StagedRow) -> bool:
    """Fill a team that has no members; whoever has imported it may be in it already."""
    if merge.tx.live.value(sql.imports.has_team_members, team_id=row["id"], user_id=merge.actor.id):
        return False
    members = [member for user_id in row["member_ids"] if (member := merge.find_member(user_id)) is not None]
    for member in members:
        merge.tx.run(sql.imports.add_team_member, team_id=row["id"], user_id=member)
    return any(member != merge.actor.id for member in members)


def _fill_comment(merge: Merge, row: StagedRow) -> bool:
    mentions = merge.encode_mentions(row["mentions"])
    existing = merge.tx.live.one(comments.COMMENTS.read, id=row["id"]) if mentions else None
    if existing is None or existing["org_id"] != merge.org_id or existing["mentions"] is not None:
        return False
    if existing["content"] != row["content"]:
        return False
    merge.tx.run(sql.imports.fill_mentions_of_comment, id=row["id"], mentions=mentions)
    return True
