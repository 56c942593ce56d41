// Buttons that show a value and open a menu of others. Arrow keys only move in the menu, so nothing is saved by accident.

import { h } from "../core/dom.js";
import { openChoiceMenu } from "./listbox/menu.js";

/** @import { Attributes } from "../core/dom.js" */

/**
 * Return a button that shows which of [[value, label]] is chosen; `choose(value)` is called with another one.
 * @param {string} label
 * @param {string[][]} options
 * @param {string} value
 * @param {(value: string) => unknown} choose
 * @param {Attributes} [attributes]
 */
export function choiceButton(label, options, value, choose, attributes = {}) {
  const text = options.find(([other]) => other === value)?.[1] ?? "none";
  const items = options.map(([other, name]) => ({
    label: name,
    checked: other === value,
    run: () => other !== value && choose(other)
  }));
  const click = ({ currentTarget }) => openChoiceMenu(currentTarget, { label, items });
  const shown = { class: "button small", "aria-haspopup": "menu", "aria-label": `${label}: ${text}`, ...attributes };
  return h("button", { ...shown, click }, text, h("span", { "aria-hidden": "true" }, " ▾"));
}
