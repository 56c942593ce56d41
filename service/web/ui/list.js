// Lists of rows, and sections of a page.

import { h } from "../core/dom.js";

/** Draw words with what they stand for: [[words, value]]. */
export function renderPairs(className, known) {
  const pair = ([words, value]) => h("div", h("dt", words), h("dd", value));
  return h("dl", { class: className }, known.map(pair));
}

// Rows of plain lists: what it is, what is said of it, what can be done with it.
/** Draw a row: {id, mark, title, note, text, below, actions}. */
export function listRow({ id, mark, title, note, text, below, actions, idle = false }) {
  const head = h("div", title, note && h("span.muted", " · ", isolateTexts(note)));
  const what = h("div.what", head, text && h("div.small", isolateTexts(text)), below);
  const buttons = [actions].flat().some(Boolean) && h("div.row.wrap", actions);
  return h("li", { class: idle ? "item idle" : "item", "data-id": id, tabindex: "-1" }, mark, what, buttons);
}

/** Keep texts of people apart from each other: the direction of one must not turn what stands beside it around. */
function isolateTexts(texts) {
  return [texts].flat(Infinity).map((text) => (typeof text === "string" ? h("bdi", text) : text));
}

/** Draw rows as a list; an empty one says so. */
export function renderList(items, empty, label) {
  const content = items.length ? items : h("li.item.muted", empty);
  return h("ul.panel", { "aria-label": label }, content);
}

/** Draw a part of a screen under a heading of its own, with what can be done beside it. */
export function renderSection(title, number, content, action = null) {
  const many = number === null ? null : h("span.muted.number", number.toLocaleString("en"));
  return h("section", { "aria-label": title }, h("div.panel-head", h("h2", title), many, action), content);
}

// What the screens are drawn with beside rows.
/** Draw rows as a part of a screen under a heading of its own. */
export function listSection(title, items, empty, action = null) {
  return renderSection(title, items.length, renderList(items, empty, title), action);
}
