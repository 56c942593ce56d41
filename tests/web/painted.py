"""What is painted: colours of pixels, and the contrast between them, from a picture of the page."""

from typing import Any
from weakref import WeakKeyDictionary

from playwright.async_api import CDPSession, Page

Color = tuple[int, int, int]
TEXT_MIN = 4.5  # contrast of a text to what is behind it (WCAG 2.2)

# Reads a picture inside the page, which decodes it faster than Python does.
PIXELS = """async ([png, points]) => {
    const bytes = atob(png);
    const content = new Uint8Array(bytes.length);
    for (let at = 0; at < bytes.length; at += 1) content[at] = bytes.charCodeAt(at);
    const picture = await createImageBitmap(new Blob([content], {type: "image/png"}));
    const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d", {willReadFrequently: true});
    context.drawImage(picture, 0, 0);
    const scale = picture.width / innerWidth;
    return points.map(([x, y]) => [...context.getImageData(x * scale, y * scale, 1, 1).data.slice(0, 3)]);
}"""


sessions: WeakKeyDictionary[Page, CDPSession] = WeakKeyDictionary()  # one that ends would end the emulation of print


async def capture(page: Page) -> str:
    """Take a picture of the window as it is, in base64; faster than Playwright, which waits for fonts."""
    if page not in sessions:
        sessions[page] = await page.context.new_cdp_session(page)
    taken = await sessions[page].send("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})
    return str(taken["data"])


async def colors(page: Page, points: list[tuple[float, float]]) -> list[Color]:
    """Return the colours of what is painted at these points of the window."""
    found: list[Any] = await page.evaluate(PIXELS, [await capture(page), [list(point) for point in points]])
    return [(red, green, blue) for red, green, blue in found]


def luminance(color: Color) -> float:
    """Return the relative luminance of a colour (WCAG 2.2)."""
    parts = [part / 255 for part in color]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Color, other: Color) -> float:
    """Return the contrast between two colours (WCAG 2.2)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


# The texts in the window: their colour, the opacity of what they are in, and a point below their first letter. What is
# under something else is passed over, and so is what fades while a card is dragged.
TEXTS = """() => {
    const passedOver = ".visually-hidden, noscript, .unavailable > .cards, .unavailable > header, li.dragging";
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    const range = document.createRange();
    const context = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
    const parse = (color) => {
        context.clearRect(0, 0, 1, 1);
        context.fillStyle = color;
        context.fillRect(0, 0, 1, 1);
        return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
    };
    const isBackdrop = (one, y) => {
        const {top, bottom} = one.getBoundingClientRect();
        return one.matches("dialog") && (y < top + 1 || y > bottom - 1);
    };
    while (walker.nextNode()) {
        const {parentElement: one, textContent} = walker.currentNode;
        if (!textContent.trim() || one.closest(passedOver)) continue;
        if (!one.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
        range.selectNodeContents(walker.currentNode);
        const {left, right, top, bottom} = range.getClientRects()[0] ?? range.getBoundingClientRect();
        const at = [(left + Math.min(right, left + 8)) / 2, (top + bottom) / 2];
        const topmost = document.elementFromPoint(...at);
        if (right - left < 3 || !topmost || !(one.contains(topmost) || topmost.contains(one))) continue;
        if (isBackdrop(topmost, at[1])) continue;
        let opacity = 1;
        for (let around = one; around; around = around.parentElement) opacity *= getComputedStyle(around).opacity;
        const {color, fill} = getComputedStyle(one);
        const text = textContent.trim().slice(0, 40);
        found.push({text, color: parse(one.closest("svg") ? fill : color), opacity, at});
    }
    return found;
}"""


# Hides all texts and their underlines, but not what is behind them, or shows them again.
HIDE = """(isHidden) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("* { -webkit-text-fill-color: transparent !important; text-decoration: none !important; " +
        "transition: none !important } text { fill: transparent !important }");
    document.adoptedStyleSheets = isHidden ? [sheet] : [];
}"""


async def faint_texts(page: Page, least: float) -> list[str]:
    """Return the texts in the window whose contrast to what is painted behind them is less than this."""
    texts: list[Any] = await page.evaluate(TEXTS)
    assert texts, "no text in the window"
    await page.evaluate(HIDE, True)
    painted = await colors(page, [(one["at"][0], one["at"][1]) for one in texts])
    await page.evaluate(HIDE, False)
    found = []
    for one, behind in zip(texts, painted, strict=True):
        own = [
            part * one["opacity"] + back * (1 - one["opacity"]) for part, back in zip(one["color"], behind, strict=True)
        ]
        ratio = contrast((round(own[0]), round(own[1]), round(own[2])), behind)
        if ratio < least:
            found.append(f"{one['text']}: {ratio:.2f} on {behind}")
    return found
