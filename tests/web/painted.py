"""What is painted: colours of pixels, and the contrast between them, from a picture of the page."""

import base64
from typing import Any

from playwright.async_api import Page

Color = tuple[int, int, int]

# Reads a picture inside the page, which decodes it faster than Python does.
PIXELS = """async ([png, points]) => {
    const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], {type: "image/png"}));
    const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d", {willReadFrequently: true});
    context.drawImage(picture, 0, 0);
    const scale = picture.width / innerWidth;
    return points.map(([x, y]) => [...context.getImageData(x * scale, y * scale, 1, 1).data.slice(0, 3)]);
}"""


async def colors(page: Page, points: list[tuple[float, float]]) -> list[Color]:
    """Give the colours of what is painted at these points of the window."""
    picture = base64.b64encode(await page.screenshot(animations="disabled")).decode()
    found: list[Any] = await page.evaluate(PIXELS, [picture, [list(point) for point in points]])
    return [(red, green, blue) for red, green, blue in found]


def luminance(color: Color) -> float:
    """Give the relative luminance of a colour (WCAG 2.2)."""
    parts = [part / 255 for part in color]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Color, other: Color) -> float:
    """Give the contrast between two colours (WCAG 2.2)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
