"""Clicks and keys, counted as a person would: a click, a drag, a tap or a key is one, typed text is none."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from playwright.async_api import Locator, Page

from .boards import drag


@dataclass
class Hands:
    """What somebody does on a page, counted."""

    page: Page
    count: int = 0

    @contextlib.contextmanager
    def at_most(self, most: int, what: str) -> Iterator[None]:
        """Fail if what follows takes more clicks and keys."""
        self.count = 0
        yield
        assert 0 < self.count <= most, f"{what}: {self.count} clicks and keys"

    async def click(self, where: Locator) -> None:
        """Click something."""
        self.count += 1
        await where.click()

    async def click_holding(self, key: str, *places: Locator) -> None:
        """Click several things while a key is held, which counts too."""
        self.count += 1 + len(places)
        await self.page.keyboard.down(key)
        for where in places:
            await where.click()
        await self.page.keyboard.up(key)

    async def drag(self, what: Locator, where: Locator) -> None:
        """Drag a card with the mouse."""
        self.count += 1
        await drag(self.page, what, where)

    async def tap(self, where: Locator) -> None:
        """Touch something for a moment."""
        self.count += 1
        await where.tap()

    async def press(self, *keys: str) -> None:
        """Press keys one after the other; one with Shift or Ctrl is one."""
        for key in keys:
            self.count += 1
            await self.page.keyboard.press(key)

    async def type(self, text: str) -> None:
        """Type a text, letter by letter."""
        await self.page.keyboard.type(text)
