// Panels that are rendered again in place. A row whose content is unchanged keeps its DOM node.

import { h, reconcile, setText } from "../core/dom.js";
import { formatNumber } from "../core/format.js";
import { guard, renderBroken } from "../core/guard.js";

/** Draw a panel into `place` by `draw()`; one that cannot be drawn is its title and a sentence that says so. */
export function drawPanel(place, title, draw) {
  guard(draw, () => {
    place.parts = null;
    place.replaceChildren(h("div.panel-head", h("h2", title)), renderBroken(title));
  });
}

/** Render a panel into `place`: title, number, rows or the text `empty`, and an action {label, run} or link {label, href}. */
export function updatePanel(place, title, number, rows, empty, action = null) {
  const parts = (place.parts ??= createPanel(place, title, action?.href));
  setText(parts.count, number ? formatNumber(number) : "");
  parts.button.hidden = !action;
  if (action) setText(parts.button, action.label);
  parts.run = action?.run;
  reconcile(parts.list, reuseRows([...parts.list.children], rows.length ? rows : [h("li.item.muted", empty)]));
}

function createPanel(place, title, href) {
  const count = h("span.muted.number");
  const button = href ? h("a.button.small", { href }) : h("button.button.small", { click: () => parts.run() });
  const list = h("ul.panel");
  const parts = { count, button, list, run: null };
  place.replaceChildren(h("div.panel-head", h("h2", title), count, button), list);
  return parts;
}

/** Return the rows to show, reusing old nodes whose content is unchanged or whose input is unsaved. */
function reuseRows(before, rows) {
  const unchanged = new Map(before.map((row) => [row.signature, row]));
  const edited = new Map(before.filter(hasInput).map((row) => [row.dataset.id, row]));
  const shown = rows.map((row) => {
    row.signature = [row.dataset.id, row.dataset.key, row.dataset.until, row.textContent].join();
    const reused = edited.get(row.dataset.id) ?? unchanged.get(row.signature) ?? row;
    unchanged.delete(row.signature);
    edited.delete(row.dataset.id);
    return reused;
  });
  return [...edited.values(), ...shown];
}

function hasInput(row) {
  const field = row.querySelector("input:focus, textarea:focus");
  return Boolean(field?.value);
}
