// Typing in a menu: shows the items that match what was typed, best first.

import { h, replaceChildren } from "../core/dom.js";
import { quote } from "../core/format.js";
import { matchItems } from "../core/matching.js";

/** Show the items of a menu that match a text, and focus the first; `nodes` are its children without a text. */
export function showMatches(menu, nodes, text) {
  const groups = nodes.filter((node) => node.matches(".menu-group"));
  const parents = groups.length ? groups : [{ children: nodes }];
  const buttons = parents.flatMap(({ children }) => [...children].filter(({ tagName }) => tagName === "BUTTON"));
  const found = matchItems(text, buttons, ({ label }) => label);
  const state = h("p.typed", { role: "status" }, found.length ? text : `Nothing matches ${quote(text)}.`);
  if (groups.length) hideOthers(groups, new Set(found));
  replaceChildren(menu, text ? [state, ...(groups.length ? groups : found)] : nodes);
  (found[0] ?? menu).focus();
}

/** Groups stay in their order, each with the items that match. */
function hideOthers(groups, found) {
  for (const group of groups) {
    const buttons = [...group.querySelectorAll("button")];
    for (const button of buttons) button.hidden = !found.has(button);
    group.hidden = buttons.every(({ hidden }) => hidden);
  }
}
