// Lists of rows, and sections of a page.

import { h } from "../core/dom.js";
import { formatCount, formatNumber } from "../core/format.js";
import { guard } from "../core/guard.js";

/** @import { Child } from "../core/dom.js" */

/** Return a definition list of [[term, value]]. */
export function renderPairs(className, pairs) {
  const pair = ([term, value]) => h("div", h("dt", term), h("dd", value));
  return h("dl", { class: className }, pairs.map(pair));
}

/**
 * Return a row: {id, mark, title, note, text, below, actions}.
 * @param {{id?: string, mark?: Child, title: Child, note?: Child, text?: Child, below?: Child, actions?: Child,
 *   idle?: boolean}} row
 */
export function listRow({ id, mark, title, note, text, below, actions, idle = false }) {
  const head = h("div", title, note && h("span.muted", " · ", isolateTexts(note)));
  const content = h("div.what", head, text && h("div.small", isolateTexts(text)), below);
  const buttons = [actions].flat().some(Boolean) && h("div.row.wrap", actions);
  return h("li", { class: idle ? "item idle" : "item", "data-id": id, tabindex: "-1" }, mark, content, buttons);
}

/**
 * Isolate texts, so that the writing direction of one does not affect its neighbours.
 * @param {Child} content
 * @returns {Child}
 */
function isolateTexts(content) {
  if (Array.isArray(content)) return content.map(isolateTexts);
  return typeof content === "string" ? h("bdi", content) : content;
}

/**
 * Return items as rows. One that cannot be drawn is a row that says so, with a link to the address `open(item)` and a button
 * that calls `remove(item)`, if these are given; the others are drawn all the same.
 * @template T
 * @param {T[]} items
 * @param {(item: T) => Child} draw
 * @param {{open?: (item: T) => string, remove?: false | ((item: T) => unknown)}} [ways]
 * @returns {Child[]}
 */
export function drawRows(items, draw, ways = {}) {
  return items.map((item) =>
    guard(
      () => draw(item),
      () => renderBrokenRow(item, ways)
    )
  );
}

/** @param {{open?: (item: any) => string, remove?: false | ((item: any) => unknown)}} ways */
function renderBrokenRow(item, ways) {
  const { open, remove } = ways;
  const { id, key, cardKey, card, name, fullName, title } = item ?? {};
  const known = [key, cardKey, card?.key, name, fullName, title].find((text) => typeof text === "string");
  const link =
    open &&
    guard(
      () => h("a.link", { href: open(item) }, "Open"),
      () => null
    );
  const button = remove && h("button.button.small", { click: () => remove(item) }, "Remove");
  const about = h("div.what", known ? [h("bdi", known), " cannot be shown."] : "This cannot be shown.");
  return h("li.item", { "data-id": id, tabindex: "-1" }, about, (link || button) && h("div.row", link, button));
}

/** Return a list of rows, or the text `empty`. */
export function renderList(items, empty, label) {
  const content = items.length ? items : h("li.item.muted", empty);
  return h("ul.panel", { "aria-label": label }, content);
}

/** Return the last row of a list that does not show all items; none if there are no others. */
export function renderRest(count, noun) {
  return count > 0 ? [h("li.item.muted", `And ${formatCount(count, noun)} more.`)] : [];
}

/** Return a section of a page: heading, number of items, action, content. */
export function renderSection(title, number, content, action = null) {
  const count = number === null ? null : h("span.muted.number", typeof number === "number" ? formatNumber(number) : number);
  return h("section", { "aria-label": title }, h("div.panel-head", h("h2", title), count, action), content);
}

/** Return a section with a list of rows. */
export function listSection(title, items, empty, action = null) {
  return renderSection(title, items.length, renderList(items, empty, title), action);
}
