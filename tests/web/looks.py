"""Looks at states of the page: at several widths and in both themes, for layout, contrast and accessibility."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from playwright.async_api import CDPSession, Page

from .axe import PICTURES, list_findings
from .geometry import layout_problems
from .painted import TEXT_MIN, capture, faint_texts

WIDTHS = (1440, 1024, 720, 390)
PHONE_MAX = 480  # up to this width, what is pressed is pressed by a finger
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
# Rules of axe-core: in dark those of colours only. The contrast of what is painted is measured instead of computed.
RULES: dict[str, Any] = {
    "light": {"rules": {"color-contrast": {"enabled": False}}},
    "dark": {"runOnly": {"type": "rule", "values": ["link-in-text-block"]}},
}
PICTURED = ((1440, "light"), (390, "dark"))
FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


@dataclass
class Looks:
    """A page that is looked at, and what was wrong with its states, by their names."""

    page: Page
    axe: str
    touch: CDPSession
    problems: dict[str, list[str]] = field(default_factory=dict)

    async def at(self, name: str, widths: Sequence[int] = WIDTHS) -> None:
        """Look at a state, and keep pictures of it."""
        found = []
        for width in widths:
            await self.resize(width)
            found += [f"at {width}: {one}" for one in await layout_problems(self.page, by_touch=width <= PHONE_MAX)]
            if width in WIDTHS:
                found += await self._in_both_themes(name, width)
        await self.resize(WIDTHS[0])
        if found:
            self.problems[name] = found

    async def resize(self, width: int) -> None:
        """Give the window another width, with a finger instead of a mouse on a phone, and let the page follow it."""
        options = {"enabled": width <= PHONE_MAX, "maxTouchPoints": 1}
        await self.touch.send("Emulation.setTouchEmulationEnabled", options)
        await self.page.set_viewport_size({"width": width, "height": 900})
        await self.page.evaluate(FRAMES)

    async def _in_both_themes(self, name: str, width: int) -> list[str]:
        found = []
        for theme in THEMES:
            await self.page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            faults = await faint_texts(self.page, TEXT_MIN) + await list_findings(self.page, self.axe, RULES[theme])
            found += [f"at {width}, {theme}: {one}" for one in faults]
            if (width, theme) in PICTURED:
                PICTURES.mkdir(parents=True, exist_ok=True)
                (PICTURES / f"{name}-{width}-{theme}.png").write_bytes(base64.b64decode(await capture(self.page)))
        return found


async def looking(page: Page, axe: str) -> Looks:
    """Begin to look at a page."""
    return Looks(page, axe, await page.context.new_cdp_session(page))
