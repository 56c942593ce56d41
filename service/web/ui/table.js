// Tables, and regions that scroll.

import { h } from "../core/dom.js";

/** Draw a table of [[head of the row, cells …]]; a head of a column that is null says nothing. */
export function renderTable(className, heads, lines) {
  const column = (words) => (words === null ? h("td") : h("th", { scope: "col" }, words));
  const line = ([first, ...cells]) =>
    h(
      "tr",
      h("th", { scope: "row" }, first),
      cells.map((cell) => h("td", cell))
    );
  const head = h("thead", h("tr", heads.map(column)));
  return h("table", { class: className }, head, h("tbody", lines.map(line)));
}

/** Draw something that scrolls by itself, and by keys too. */
export function scrollRegion(className, label, ...content) {
  return h("div", { class: className, tabindex: "0", role: "region", "aria-label": label }, content);
}
