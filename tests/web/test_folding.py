"""Comparison of texts on the page: the same result as that of the service, for the same texts."""

import json
import unicodedata

import pytest
from playwright.async_api import Browser, Page

from service.text.comparison import fold_name, fold_text

from ..comparison_pairs import DIFFERENT, EQUAL, EQUAL_NAMES
from ..world import World
from .browser import visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")
FOLD = """async (texts) => {
    const { foldText, foldName } = await import("/core/folding.js");
    return JSON.stringify(JSON.parse(texts).map((text) => [foldText(text), foldName(text)]));
}"""
CHEROKEE = [range(0x13A0, 0x1400), range(0xAB70, 0xABC0)]  # whose letters are folded to upper case by the service


async def folds(page: Page, texts: list[str]) -> list[list[str]]:
    """Return each text as the page folds texts and names; they go there and back as one, which is much faster."""
    answer: list[list[str]] = json.loads(await page.evaluate(FOLD, json.dumps(texts)))
    return answer


async def test_the_page_folds_texts_as_the_service_does(browser: Browser, site: World) -> None:
    pairs = EQUAL + DIFFERENT + EQUAL_NAMES
    letters = [chr(code) for code in range(0x20000) if unicodedata.category(chr(code)) not in ("Cn", "Co", "Cs")]
    letters = [letter for letter in letters if not any(ord(letter) in block for block in CHEROKEE)]
    async with visiting(browser, site) as page:
        await page.goto("/sign-in")
        texts = [text for pair in pairs for text in pair]
        folded = dict(zip(texts, await folds(page, texts), strict=True))
        for one, other in EQUAL:
            assert folded[one] == folded[other], (one, other)
        for one, other in DIFFERENT:
            assert folded[one][0] != folded[other][0], (one, other)
        for one, other in EQUAL_NAMES:
            assert folded[one][1] == folded[other][1], (one, other)
        assert await folds(page, letters) == [[fold_text(letter), fold_name(letter)] for letter in letters]
