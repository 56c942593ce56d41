// The inputs of a due date: a date, and a time if it is a moment.

import { h } from "../core/dom.js";
import { toInputs } from "../core/due-dates.js";

/** Create the inputs of a due date: {element, focus(), value()}. */
export function createDueDateInput(label, due) {
  const [day, hour] = toInputs(due);
  const date = Object.assign(h("input.input", { type: "date", "aria-label": label }), { value: day });
  const time = Object.assign(h("input.input", { type: "time", "aria-label": `${label} time, optional` }), { value: hour });

  function value() {
    if (!date.value) return null;
    if (date.value === day && time.value === hour) return due; // it may have seconds
    return time.value ? new Date(`${date.value}T${time.value}`).toISOString() : date.value;
  }

  return { element: h("span.row", date, time), focus: () => date.focus(), value };
}
