// The choice between two values: the user's own, and one that somebody else has saved meanwhile.

import { h } from "../core/dom.js";
import { phrase } from "../core/format.js";
import { smallButton } from "./controls.js";

export { mergeTicks } from "./text/merge-ticks.js";

/**
 * Render both values side by side, with a button for each. Return {element, focus}.
 * @param {string} label of the value
 * @param {{mine: any, theirs: any, keep: () => unknown, take: () => unknown}} sides
 */
export function renderConflict(label, { mine, theirs, keep, take }) {
  const keepButton = smallButton("Keep mine", keep);
  const side = (caption, value) => h("div.side", h("strong", caption), h("div.prose", renderValue(value)));
  const element = h(
    "div.conflict",
    h("p", { role: "alert" }, phrase`Somebody changed ${label} while you were writing.`),
    h("div.sides", side("Mine", mine), side("Theirs", theirs)),
    h("div.row", keepButton, smallButton("Take theirs", take))
  );
  return { element, focus: () => keepButton.focus() };
}

function renderValue(value) {
  return Array.isArray(value) ? value.map((text) => h("span.tag", text)) : (value ?? "Empty");
}
