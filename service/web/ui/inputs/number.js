// The input of a number, in the form of the browser's language.

import { h, setAttribute, setText } from "../../core/dom.js";
import { formatInput, parseNumber } from "../../core/parse-number.js";

let inputCount = 0;

/**
 * Create the input of a number: {element, focus(), value()}. `value()` returns the number as a text, null if there is none, or
 * undefined if the text is not understood, which the input says.
 */
export function createNumberInput(label, number, name) {
  const id = `number-${++inputCount}`;
  const attributes = { name, inputmode: "decimal", autocomplete: "off", input: () => showProblem("") };
  const field = h("input.input", { "aria-label": label, "aria-describedby": id, ...attributes });
  const problem = h("span.problem.small", { id, role: "alert" });
  field.value = formatInput(number ?? "");

  function showProblem(text) {
    setText(problem, text);
    setAttribute(field, "aria-invalid", text ? "true" : null);
  }

  function value() {
    if (!field.value.trim()) return null;
    const parsed = parseNumber(field.value);
    if (parsed.problem) showProblem(parsed.problem);
    return parsed.number;
  }

  return { element: h("span.number-input", field, problem), focus: () => field.focus(), value };
}
