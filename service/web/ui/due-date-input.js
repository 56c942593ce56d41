// The inputs of a due date: a date, and a time if it is a moment.

import { h } from "../core/dom.js";
import { isDay } from "../core/format.js";

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

/** Return the date and the time of a due date as inputs have them, a moment in the zone of the browser. */
export function toInputs(due) {
  if (!due || isDay(due)) return [due ?? "", ""];
  const moment = new Date(due);
  const local = new Date(moment - moment.getTimezoneOffset() * 60_000).toISOString();
  return [local.slice(0, 10), local.slice(11, 16)];
}
