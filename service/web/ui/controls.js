// Buttons, selects and switches.

import { h } from "../core/dom.js";

/** @import { Attributes, Child } from "../core/dom.js" */

export function renderOption([value, label]) {
  return h("option", { value }, label);
}

/**
 * Return a select of [[value, label]]; `choose(value)` is called on a change.
 * @param {string | null} label
 * @param {string[][]} options
 * @param {string | null} value
 * @param {(value: string) => unknown} choose
 * @param {Attributes} [attributes]
 */
export function selectInput(label, options, value, choose, attributes = {}) {
  const change = () => choose(select.value);
  const select = h("select.input.small", { "aria-label": label, ...attributes, change }, options.map(renderOption));
  select.value = value;
  return select;
}

/**
 * Return a small button; `name` is its accessible name. Further clicks do nothing until `run()` has resolved.
 * @param {Child} label
 * @param {(() => unknown) | null} run
 * @param {Attributes & {kind?: string, name?: string | null}} [attributes]
 */
export function smallButton(label, run, { kind = "", name = null, ...attributes } = {}) {
  let isRunning = false;
  async function click() {
    if (isRunning) return;
    isRunning = true;
    try {
      await run?.();
    } finally {
      isRunning = false;
    }
  }
  return h("button", { class: `button small ${kind}`, "aria-label": name, ...attributes, click }, label);
}

/**
 * Return a switch that applies at once. It is turned back if `change(on)` resolves to false.
 * @param {Child} label
 * @param {boolean} checked
 * @param {(isOn: boolean) => unknown} change
 * @param {{disabled?: boolean, name?: string | null, why?: string | null}} [options]
 */
export function switchInput(label, checked, change, { disabled = false, name = null, why: tooltip = null } = {}) {
  const input = h("input", { type: "checkbox", role: "switch", "aria-label": name, disabled });
  input.checked = checked;
  input.addEventListener("change", async () => {
    const isOn = input.checked;
    input.disabled = true;
    if (!(await change(isOn))) input.checked = !isOn;
    input.disabled = disabled;
  });
  return h("label.switch", { title: tooltip }, input, h("span", label));
}

/** Return a function that returns buttons about one thing; `done` is called when their action is over. */
export function actionButtonFor(about, done = () => {}) {
  const name = (label) => `${label.replace("…", "")} ${about}`;
  return (label, run) => smallButton(label, () => Promise.resolve(run()).then(done), { name: name(label) });
}
