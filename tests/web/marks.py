"""Runs of combining marks, which take a browser quadratic time, in what a page shows."""

from playwright.async_api import Page

MARKS_MAX = 30  # in a run that is shown

# Texts of one block are measured together, since the browser shapes them together.
LONGEST = r"""() => {
    const names = ["title", "aria-label", "placeholder", "alt", "label", "aria-description", "aria-valuetext"];
    const texts = [document.title, document.documentElement.textContent];
    for (const element of document.querySelectorAll("*")) {
        for (const name of names) texts.push(element.getAttribute(name) ?? "");
        if (/^(input|textarea)$/.test(element.localName) && element.type !== "checkbox") texts.push(element.value);
    }
    let longest = 0;
    for (const text of texts)
        for (const [run] of text.matchAll(/[\p{M}\p{Emoji_Modifier}]+/gu)) longest = Math.max(longest, [...run].length);
    return longest;
}"""


async def longest_run(page: Page) -> int:
    """Return the length of the longest run of marks in texts, fields and attributes of a page."""
    longest: int = await page.evaluate(LONGEST)
    return longest
