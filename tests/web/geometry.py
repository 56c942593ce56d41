"""How a screen lies in its window: nothing is cut off, covered, written over something else or too small to press."""

from playwright.async_api import Page

# All that is wrong with the layout of what is in front: the top dialog with its menus, or the page with them.
PROBLEMS = """({least, isTouch}) => {
    const layers = "dialog[open], [popover]:popover-open";
    const isSeen = (one) => one.checkVisibility({visibilityProperty: true, opacityProperty: true}) &&
        !one.closest(".visually-hidden, .skip, noscript, .card.hidden");
    const modal = [...document.querySelectorAll("dialog:modal")].at(-1);
    const front = modal ?? document.body;
    const all = [...front.querySelectorAll("*")].filter(isSeen);
    const styles = new Map();
    const style = (one) => styles.get(one) ?? (styles.set(one, getComputedStyle(one)), styles.get(one));
    const name = (one) => `${one.localName}.${one.className.baseVal ?? one.className} “` +
        `${(one.getAttribute("aria-label") ?? one.textContent).trim().slice(0, 40)}”`;
    const found = [];
    const say = (what, one, more = "") => found.push(`${what}: ${name(one)} ${more}`);
    const cuts = (value) => value !== "visible";
    const scrolls = (value) => value === "auto" || value === "scroll";

    // The page and its layers: what is wider than the window, and what lies outside of it.
    const root = document.documentElement;
    if (Math.max(root.scrollWidth, document.body.scrollWidth) > innerWidth) found.push("the page scrolls sideways");
    for (const layer of [modal, ...document.querySelectorAll("[popover]:popover-open")].filter(Boolean)) {
        const {left, right, top, bottom} = layer.getBoundingClientRect();
        if (left < 0 || top < 0 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5) say("outside", layer);
    }
    const mayScroll = ".columns, .filter-chips .chip-list, .matrix-frame, .numbers-frame, .settings-nav, pre, .wide, " +
        "input";
    for (const one of all) {
        if (scrolls(style(one).overflowX) && one.scrollWidth > one.clientWidth + 1 && !one.matches(mayScroll))
            say("scrolls sideways", one);
    }

    // The part of a box that its surroundings let through; null if nothing of it is seen.
    const clip = (one, box) => {
        let {left, right, top, bottom} = box;
        let isCut = false;
        for (let around = one; around && around !== front.parentElement; around = around.parentElement) {
            const {overflowX, overflowY, position} = style(around);
            const edge = around.getBoundingClientRect();
            if (cuts(overflowX) && around !== document.body) {
                if (!scrolls(overflowX)) isCut ||= left < edge.left - 1.5 || right > edge.right + 1.5;
                (left = Math.max(left, edge.left)), (right = Math.min(right, edge.right));
            }
            if (cuts(overflowY) && around !== document.body) {
                if (!scrolls(overflowY)) isCut ||= top < edge.top - 3 || bottom > edge.bottom + 3;
                (top = Math.max(top, edge.top)), (bottom = Math.min(bottom, edge.bottom));
            }
            if (position === "fixed" || around.matches(layers)) break;
        }
        const isThere = right - left > 1 && bottom - top > 1 &&
            right > 0 && left < innerWidth && bottom > 0 && top < innerHeight;
        return {left, right, top, bottom, isCut, isThere};
    };
    const layerOf = (one) => one.closest(layers) ?? document.body;
    const pinned = (one) => {
        for (let around = one; around && around !== front; around = around.parentElement)
            if (style(around).position === "sticky") return around;
        return null;
    };

    // Texts: cut without a sign and without the whole text elsewhere, and written over each other.
    const walker = document.createTreeWalker(front, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    const texts = [];
    while (walker.nextNode()) {
        const {parentElement: one, textContent} = walker.currentNode;
        if (!textContent.trim() || one.closest("svg, select, option, textarea") || !isSeen(one)) continue;
        const shortened = [one, one.parentElement, one.parentElement.parentElement].find((around) =>
            around && (style(around).textOverflow === "ellipsis" || style(around).webkitLineClamp !== "none"));
        range.selectNodeContents(walker.currentNode);
        for (const box of range.getClientRects()) {
            if (box.width < 1.5) continue;
            const seen = clip(one, box);
            if (seen.isCut && !shortened) say("text is cut", one, textContent.trim().slice(0, 30));
            if (seen.isCut && shortened && !shortened.closest("[title], [aria-label]") &&
                !shortened.querySelector("[title]"))
                say("shortened without a title", one);
            if (!seen.isThere) continue;
            if (seen.right > innerWidth + 1.5 && !one.closest(mayScroll)) say("outside", one);
            texts.push({one, layer: layerOf(one), pin: pinned(one), ...seen});
        }
    }
    const isOver = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
    texts.sort((a, b) => a.top - b.top);
    texts.forEach((a, at) => {
        for (let next = at + 1; next < texts.length && texts[next].top < a.bottom - 4; next += 1) {
            const b = texts[next];
            if (a.layer === b.layer && a.pin === b.pin && a.one !== b.one && isOver(a, b))
                say("written over", a.one, `and ${name(b.one)}`);
        }
    });

    // What can be pressed: in the window, not covered, and large enough.
    const targets = "button, a.button, a.tab, a.entry, input:not([type=file]), select, textarea, summary," +
        "[role=option], [role=switch]";
    for (const one of all.filter((candidate) => candidate.matches(targets))) {
        const box = one.getBoundingClientRect();
        const seen = clip(one, box);
        if (seen.isCut) say("control is cut", one);
        const isOutside = box.width > 1 && (box.right > innerWidth + 1 || box.left < -1);
        if (isOutside && !one.closest(mayScroll)) say("outside", one);
        if (one.disabled) continue;
        const area = one.matches("[type=checkbox], [type=radio], [type=color]") ? one.closest("label, li") ?? one : one;
        const {width, height} = area.getBoundingClientRect();
        const isInText = one.matches(".link, .prose *") && !isTouch;
        const isSmall = width > 1 && !isInText && (height < least - 0.5 || width < 23.5);
        if (isSmall) say("too small", one, `${width} x ${height}`);
        if (!seen.isThere) continue;
        const isWhole = seen.right - seen.left > box.width - 1 && seen.bottom - seen.top > box.height - 1 &&
            seen.left >= 0 && seen.right <= innerWidth && seen.top >= 0 && seen.bottom <= innerHeight;
        const [x, y] = [(seen.left + seen.right) / 2, (seen.top + seen.bottom) / 2];
        const top = document.elementFromPoint(x, y);
        const open = document.querySelector("[popover]:popover-open");
        const isBelow = open && !open.contains(one);
        const isHit = !top || one.contains(top) || top.contains(one) || one.closest("label")?.contains(top);
        if (isWhole && !isBelow && !isHit) say("covered", one, `by ${name(top)}`);
    }
    return [...new Set(found)];
}"""


async def layout_problems(page: Page, *, by_touch: bool = False) -> list[str]:
    """Return what is wrong with the layout of a page as it stands."""
    found: list[str] = await page.evaluate(PROBLEMS, {"least": 44 if by_touch else 24, "isTouch": by_touch})
    return found
