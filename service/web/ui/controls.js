// Buttons, selects and switches.

import { h } from "../core/dom.js";

export function renderOption([value, words]) {
  return h("option", { value }, words);
}

/** Draw a choice of [[value, words]]; `choose` is told the value that is chosen. */
export function selectInput(label, options, value, choose, wishes = {}) {
  const change = () => choose(select.value);
  const select = h("select.input.small", { "aria-label": label, ...wishes, change }, options.map(renderOption));
  select.value = value;
  return select;
}

/** Draw a button; `name` tells a listener what it is about. */
export function smallButton(words, run, { kind = "", name = null, ...attributes } = {}) {
  return h("button", { class: `button small ${kind}`, "aria-label": name, ...attributes, click: run }, words);
}

/** Draw a switch that changes something at once; `says` is said when it is done. */
export function switchInput(label, checked, change, { disabled = false, name = null, why = null } = {}) {
  const input = h("input", { type: "checkbox", role: "switch", "aria-label": name, disabled });
  input.checked = checked;
  input.addEventListener("change", async () => {
    const wanted = input.checked;
    input.disabled = true;
    if (!(await change(wanted))) input.checked = !wanted;
    input.disabled = disabled;
  });
  return h("label.switch", { title: why }, input, h("span", label));
}

/** Give a way to draw buttons about one thing; `done` is told when what a button runs is over. */
export function actionButtonFor(about, done = () => {}) {
  const name = (words) => `${words.replace("…", "")} ${about}`;
  return (words, run) => smallButton(words, () => Promise.resolve(run()).then(done), { name: name(words) });
}
