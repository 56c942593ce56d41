// The choice of the color of a label.

import { h } from "../core/dom.js";
import { labelChip } from "./labels.js";

/** The colors that are offered by name; each other one can be chosen, too. */
export const LABEL_COLORS = [
  ["Red", "#c53030"],
  ["Orange", "#f08c3a"],
  ["Yellow", "#f5d35c"],
  ["Green", "#2f9e5b"],
  ["Teal", "#5cc4b8"],
  ["Blue", "#2f6fd0"],
  ["Sky", "#8ec5f0"],
  ["Violet", "#8a5bd1"],
  ["Pink", "#f09cc0"],
  ["Grey", "#8a94a0"]
];

/** Render the colors of a label; `choose(color)` is called with one as #rrggbb, or with null for none. */
export function renderColorChoice(label, current, choose) {
  const button = ([name, color]) => {
    const attributes = { "aria-pressed": String(color === current), click: () => choose(color) };
    return h("button.choice", attributes, h("span.swatch", { style: { background: color } }), name);
  };
  const none = h("button.choice", { "aria-pressed": String(!current), click: () => choose(null) }, "No colour");
  const other = h("input", { type: "color", value: current ?? "#64748b", change: () => choose(other.value) });
  return h(
    "div.color-choices",
    { role: "group", "aria-label": `Colour of ${label}` },
    h("p.small.muted", "Colour of ", labelChip(label, current)),
    LABEL_COLORS.map(button),
    none,
    h("label.choice", other, "Other…")
  );
}
