// The field that searches a long list of a page.

import { h } from "../core/dom.js";

const PAUSE_MILLISECONDS = 250; // in typing, until the list is searched

/** The number of rows from which a list can be searched. */
export const SEARCHABLE_ROWS = 20;

/**
 * Return a search field; `search(text)` is called when the typing pauses, and may draw the field again.
 * @param {string} label
 * @param {string} value
 * @param {(text: string) => unknown} search
 */
export function searchField(label, value, search) {
  const field = h("input.input.small", { type: "search", "aria-label": label, placeholder: label, maxlength: 200, value });
  let timer = 0;
  const run = () => {
    field.defaultValue = field.value; // it is no unsaved input, so the page may be drawn again
    search(field.value.trim());
  };
  field.addEventListener("focus", () => field.setSelectionRange(value.length, value.length)); // where the typing goes on
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(run, PAUSE_MILLISECONDS);
  });
  return field;
}
