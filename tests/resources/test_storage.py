"""The room that an organization takes, beside its quotas, for its architects."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from service.config import DEFAULT_DATABASE_QUOTA_BYTES
from service.database.migrate import migrate
from service.database.statement import FOLDER

from ..forms import upload
from ..monitoring.test_metrics import value
from ..old_schemas import ELSEWHERE, ORG, make
from ..world import World

BEFORE = int(next(FOLDER.glob("migrations/*_database_usage.sql")).name[:4]) - 1  # the schema without estimates


async def storage(world: World) -> Any:
    return (await world.sa.get("/admin/storage")).ok()


async def test_architects_see_what_their_organization_uses_and_may_use(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    await upload(world, card, board.field("attachments"), b"x" * 1234)
    for _ in range(20):
        (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "x" * 19_000})).ok()
    shown = await storage(world)
    assert world.service is not None
    assert shown == {
        "database": {
            "usedBytes": world.service.database_usage.get_used_bytes(world.sa.org_id),
            "quotaBytes": 10 << 30,
        },
        "files": {"usedBytes": 1234, "quotaBytes": 10 << 30},
    }
    assert 300_000 < shown["database"]["usedBytes"] < 3_000_000
    assert (await world.outsider.get("/admin/storage")).ok()["database"]["usedBytes"] < 100_000
    assert await value(world, "tandem_database_largest_organization_bytes") == shown["database"]["usedBytes"]
    assert await value(world, "tandem_database_quota_bytes") == 10 << 30


async def test_without_a_quota_none_is_shown(world: World) -> None:
    assert world.service is not None
    none = {"database_quota_bytes": 0, "files_quota_bytes": 0}
    world.service.settings = world.service.settings.model_copy(update=none)
    shown = await storage(world)
    assert [shown[name]["quotaBytes"] for name in ("database", "files")] == [None, None]


async def test_members_and_agents_do_not_see_it(world: World) -> None:
    (await world.member.get("/admin/storage")).refused(403, "sa_required")
    (await (await world.agent()).get("/admin/storage")).refused(401, "unauthorized")


TEXTS = """
SELECT title FROM cards WHERE org_id = :org
UNION ALL SELECT value FROM field_values WHERE card_id IN (SELECT id FROM cards WHERE org_id = :org)
UNION ALL SELECT content FROM comments WHERE org_id = :org
UNION ALL SELECT changes FROM history WHERE org_id = :org
"""


def estimates(path: Path) -> dict[str, tuple[int, int]]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT org_id, used_bytes, is_exempt FROM database_usage")
        return {org_id: (used, is_exempt) for org_id, used, is_exempt in rows}


def test_the_estimate_of_existing_data_begins_with_the_lengths_of_its_texts(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    make(path, BEFORE)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE cards SET title = 'é' WHERE id = 'card_1'")
        connection.commit()
        found = [text for (text,) in connection.execute(TEXTS, {"org": ORG})]
    assert len(found) > 6
    migrate(path)
    assert estimates(path) == {ORG: (sum(len(text.encode()) for text in found), 0), ELSEWHERE: (0, 0)}


def test_what_is_above_the_default_before_the_upgrade_is_exempt_from_it(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    make(path, BEFORE)
    (migration,) = FOLDER.glob("migrations/*_database_usage.sql")
    text = migration.read_text("utf-8")
    assert str(DEFAULT_DATABASE_QUOTA_BYTES) in text
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(text.replace(str(DEFAULT_DATABASE_QUOTA_BYTES), "10"))
    assert {org_id: is_exempt for org_id, (_, is_exempt) in estimates(path).items()} == {ORG: 1, ELSEWHERE: 0}
