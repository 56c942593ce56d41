// Rows of plain lists: what it is, what is said of it, what can be done with it.

import { h } from "../core/dom.js";
import { announce, notify } from "./notice.js";
import { ask } from "./dialog.js";
import { sentence } from "./form.js";

/** Draw a row: {id, mark, title, note, text, below, actions}. */
export function row({ id, mark, title, note, text, below, actions, idle = false }) {
  const head = h("div", null, title, note && h("span", { class: "muted" }, " · ", apart(note)));
  const what = h("div", { class: "what" }, head, text && h("div", { class: "small" }, apart(text)), below);
  const buttons = [actions].flat().some(Boolean) && h("div", { class: "row wrap" }, actions);
  return h("li", { class: idle ? "item idle" : "item", "data-id": id, tabindex: "-1" }, mark, what, buttons);
}

/** Keep texts of people apart from each other: the direction of one must not turn what stands beside it around. */
function apart(texts) {
  return [texts].flat(Infinity).map((text) => (typeof text === "string" ? h("bdi", null, text) : text));
}

/** Draw rows as a list; an empty one says so. */
export function rows(items, empty, label) {
  const content = items.length ? items : h("li", { class: "item muted" }, empty);
  return h("ul", { class: "panel", "aria-label": label }, content);
}

/** Draw a part of a screen under a heading of its own, with what can be done beside it. */
export function section(title, number, content, action = null) {
  const many = number === null ? null : h("span", { class: "muted number" }, number.toLocaleString("en"));
  return h("section", { "aria-label": title }, h("div", { class: "panel-head" }, h("h2", null, title), many, action), content);
}

/** Draw a button; `name` tells a listener what it is about. */
export function button(words, run, { kind = "", name = null, disabled = false } = {}) {
  const wishes = { type: "button", "aria-label": name, disabled, on: { click: run } };
  return h("button", { class: `button small ${kind}`, ...wishes }, words);
}

/** Draw a switch that changes something at once; `says` is said when it is done. */
export function switched(label, checked, change, { disabled = false, name = null, why = null } = {}) {
  const input = h("input", { type: "checkbox", role: "switch", "aria-label": name, disabled });
  input.checked = checked;
  input.addEventListener("change", async () => {
    const wanted = input.checked;
    input.disabled = true;
    if (!(await change(wanted))) input.checked = !wanted;
    input.disabled = disabled;
  });
  return h("label", { class: "switch", title: why }, input, h("span", null, label));
}

/** Do something and say that it is done, or why not; give whether it was. */
export async function attempt(work, { done, failed, cause = failed }) {
  try {
    const answer = await work();
    if (done) announce(done);
    return answer ?? true;
  } catch (error) {
    notify({ title: failed, text: sentence(error), kind: "refused", cause });
    return false;
  }
}

/** Ask before something that cannot be taken back, and do it. */
export async function sure({ title, text, button: words }, work, told) {
  if ((await ask({ title, text, button: words })) === null) return false;
  return attempt(work, told);
}
