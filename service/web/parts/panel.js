// A list with its head that is drawn again and again: a row that says the same stays the very same node, with its focus,
// with what is being typed in it and with the button that somebody is about to press.

import { arrange, h, say } from "../core/dom.js";

/** Draw a list into its place: its number, its rows, what stands there without any, and {label, run} beside its title. */
export function panel(place, title, number, rows, empty, action = null) {
  const parts = (place.parts ??= build(place, title));
  say(parts.many, number ? number.toLocaleString("en") : "");
  parts.button.hidden = !action;
  if (action) say(parts.button, action.label);
  parts.run = action?.run;
  arrange(parts.list, kept([...parts.list.children], rows.length ? rows : [h("li", { class: "item muted" }, empty)]));
}

function build(place, title) {
  const many = h("span", { class: "muted number" });
  const button = h("button", { class: "button small", type: "button", on: { click: () => parts.run() } });
  const list = h("ul", { class: "panel" });
  const parts = { many, button, list, run: null };
  place.replaceChildren(h("div", { class: "panel-head" }, h("h2", null, title), many, button), list);
  return parts;
}

/** Give the rows to be shown: old ones where they say the same, or where somebody is writing. */
function kept(before, rows) {
  const known = new Map(before.map((row) => [row.sign, row]));
  const written = new Map(before.filter(isWritten).map((row) => [row.dataset.id, row]));
  const shown = rows.map((row) => {
    row.sign = [row.dataset.id, row.dataset.key, row.dataset.until, row.textContent].join();
    const old = written.get(row.dataset.id) ?? known.get(row.sign) ?? row;
    known.delete(row.sign);
    written.delete(row.dataset.id);
    return old;
  });
  return [...written.values(), ...shown];
}

function isWritten(row) {
  const field = row.querySelector("input:focus, textarea:focus");
  return Boolean(field?.value);
}
