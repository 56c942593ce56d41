// Typing in a menu: shows the items that match what was typed, best first.

import { h, replaceChildren } from "../core/dom.js";
import { quote } from "../core/format.js";
import { matchItems } from "../core/matching.js";

/** Show the items of a menu that match a text, and focus the first; `nodes` are its children without a text. */
export function showMatches(menu, nodes, text) {
  const buttons = nodes.filter(({ tagName }) => tagName === "BUTTON");
  const found = matchItems(text, buttons, ({ label }) => label);
  const state = h("p.typed", { role: "status" }, found.length ? text : `Nothing matches ${quote(text)}.`);
  replaceChildren(menu, text ? [state, ...found] : nodes);
  (found[0] ?? menu).focus();
}
