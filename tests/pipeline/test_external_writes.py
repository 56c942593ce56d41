"""Writes of other programs, such as operators' commands, are seen by the running service."""

import asyncio
import sqlite3
from contextlib import closing
from typing import Any

from service import config

from ..running import running


async def test_what_another_program_writes_is_shown_although_nothing_has_changed_here(
    settings: config.Settings,
) -> None:
    """Both caches of responses know nothing of an organization in which this process has changed nothing."""
    async with running(settings) as world:
        board = await world.board()
        await world.card(board, title="Before")
    async with running(settings) as world:
        whole, page = world.sa.org("/board-flow"), world.sa.org("/cards")

        async def titles() -> list[Any]:
            flow = (await world.sa.get(whole, params={"projectId": board.id})).ok()["cards"]
            cards = (await world.sa.get(page)).ok()["items"]
            return [card["title"] for card in (*flow, *cards)]

        assert await titles() == ["Before", "Before"]
        with closing(sqlite3.connect(settings.data_path / "service.db")) as connection:
            connection.execute("UPDATE cards SET title = 'After'")
            connection.commit()
        async with asyncio.timeout(10):
            while "Before" in await titles():  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        assert await titles() == ["After", "After"]
