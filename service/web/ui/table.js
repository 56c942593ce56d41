// Tables, and regions that scroll.

import { h } from "../core/dom.js";

/** Return a table of [[row head, cells …]]; a column head may be null. */
export function renderTable(className, heads, lines) {
  const column = (label) => (label === null ? h("td") : h("th", { scope: "col" }, label));
  const line = ([first, ...cells]) =>
    h(
      "tr",
      h("th", { scope: "row" }, first),
      cells.map((cell) => h("td", cell))
    );
  const head = h("thead", h("tr", heads.map(column)));
  return h("table", { class: className }, head, h("tbody", lines.map(line)));
}

/** Return a region that scrolls, also by keyboard. */
export function scrollRegion(className, label, ...content) {
  return h("div", { class: className, tabindex: "0", role: "region", "aria-label": label }, content);
}
