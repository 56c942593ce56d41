// Priorities of cards.

import { h } from "../core/dom.js";

/** Return a priority as bars, from high on with its name. */
export function priorityBadge(priority, isPlain = false, withWord = false) {
  const isLoud = ["high", "urgent"].includes(priority) || withWord;
  const bars = h("span.bars", { "aria-hidden": "true" }, h("i"), h("i"), h("i"));
  const kind = `priority ${priority}${isPlain ? " muted" : ""}`;
  return h("span", { class: kind, title: `Priority ${priority}` }, bars, isLoud && priority);
}

export const PRIORITIES = ["none", "low", "medium", "high", "urgent"];
