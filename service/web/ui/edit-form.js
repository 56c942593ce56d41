// The form that edits a value in place: an input by its kind; for longer values buttons, for texts a draft and tools.

import { h } from "../core/dom.js";
import { getFieldText, setFieldText } from "../core/marks.js";
import { SAVE_KEYS } from "../core/shortcuts.js";
import { smallButton } from "./controls.js";
import { keepDraft } from "./text/drafts.js";
import { loadTextTools } from "./text/tools.js";

/** @import { EditOptions } from "./inline-edit.js" */
/**
 * An input of a form. Its value is undefined if it is invalid, and the input says why.
 * @typedef {{element: HTMLElement, focus: () => void, value: () => any}} Input
 */
/**
 * A form that edits a value. `settle()` resolves when its pictures are uploaded, `isChanged` tells whether something was typed
 * since that was last reset, `isLine` whether leaving the form submits it.
 * @typedef {Input & {settle: () => Promise<unknown>, draft?: ReturnType<typeof keepDraft>, isChanged: boolean,
 *   isLine: boolean}} EditForm
 */

const CHOICE_CHARACTERS_MAX = 200; // of a text in a list
const ROWS_MIN = 6;
const ROWS_MAX = 24;
// Inputs that are loaded when they are needed.
const INPUT_LOADERS = {
  __proto__: null,
  due: () => import("./inputs/due-date.js"),
  number: () => import("./inputs/number.js"),
  choices: () => import("./inputs/chips.js")
};
// Kinds that are edited in one line.
const INPUT_TYPES = { __proto__: null, text: "text", url: "url", number: "text", date: "date", due: "text" };

const loadedInputs = new Map(); // kind -> module

/** Load the input of a kind of values, which createEditForm needs. */
export async function loadInput(kind) {
  if (kind in INPUT_LOADERS && !loadedInputs.has(kind)) loadedInputs.set(kind, await INPUT_LOADERS[kind]());
}

/**
 * Create the form that edits a value. `saved` is the value that the service has, `problem` what is wrong with the value.
 * `submit()` is called by Enter, the button, and when a line loses the focus; `cancel()` by Escape and the button.
 * @param {EditOptions} options
 * @param {any} value
 * @param {{saved: any, problem: string, submit: () => void, cancel: () => void}} session
 * @returns {EditForm}
 */
export function createEditForm(options, value, { saved, problem, submit, cancel }) {
  const input = createInput(options, value);
  const isLine = options.kind in INPUT_TYPES;
  const text = options.kind === "richtext" ? prepareText(input.element, options, saved) : null;
  const element = h(
    "form.editing",
    { novalidate: true, submit: (event) => (event.preventDefault(), submit()) },
    text?.toolbar,
    input.element,
    problem && h("p.problem.small", { role: "alert" }, problem),
    !isLine && [renderButtons(text !== null, cancel), text?.draft.note]
  );
  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape") (event.preventDefault(), event.stopPropagation(), cancel());
    const isSubmitting = event.ctrlKey || event.metaKey || (isLine && event.target instanceof HTMLInputElement);
    if (event.key === "Enter" && isSubmitting) (event.preventDefault(), submit());
  });
  const leave = ({ relatedTarget }) => element.contains(relatedTarget) || submit();
  if (isLine) input.element.addEventListener("focusout", leave);
  const form = { ...input, element, isLine, draft: text?.draft, settle: async () => text?.settle(), isChanged: false };
  element.addEventListener("input", () => (form.isChanged = true));
  return form;
}

/**
 * Keep what is typed into a field as a draft, and load the tools of its toolbar.
 * @param {any} field
 * @param {EditOptions} options
 * @param {any} saved
 */
function prepareText(field, { open, key, tools }, saved) {
  const draft = keepDraft(field, { item: open.id, name: key, saved });
  const toolbar = h("div.text-tools");
  return { draft, toolbar, settle: loadTextTools(field, toolbar, tools) };
}

function renderButtons(isText, cancel) {
  return h(
    "div.row",
    smallButton("Save", null, { kind: "main", type: "submit" }),
    smallButton("Cancel", cancel),
    isText && h("span.small.muted.save-keys", `${SAVE_KEYS} saves`)
  );
}

/** @returns {Input} */
function createInput(options, value) {
  const { kind, label, key } = options;
  if (kind === "due") return loadedInputs.get("due").createDueDateInput(label, value);
  if (kind === "number") return loadedInputs.get("number").createNumberInput(label, value, key);
  return kind === "choices" ? createChoices(options, value) : createTextInput(options, value);
}

function createTextInput({ kind, label, key, maxLength, isRequired }, text) {
  const isLine = kind in INPUT_TYPES && !text?.includes("\n"); // which an input would remove
  const attributes = { class: "input", "aria-label": label, maxlength: maxLength, name: key };
  const rows = Math.min(ROWS_MAX, Math.max(ROWS_MIN, (text ?? "").split("\n").length + 2));
  const field = isLine ? h("input", { ...attributes, type: INPUT_TYPES[kind] }) : h("textarea", { ...attributes, rows });
  setFieldText(field, (kind === "date" ? text?.slice(0, 10) : text) ?? "");
  const shown = field.value;
  const value = () => (field.value === shown ? (text ?? null) : getFieldText(field).trim() || (isRequired ? text : null));
  return { element: field, focus: () => field.focus(), value };
}

/** Create a checkbox for each option, or chips if every text can be chosen. */
function createChoices({ label, key, choices }, chosen) {
  const options = choices();
  const texts = { label, name: key, texts: chosen ?? [], maxLength: CHOICE_CHARACTERS_MAX };
  if (!options.length) return loadedInputs.get("choices").createChips(texts);
  const box = (value) => Object.assign(h("input", { type: "checkbox", value }), { checked: chosen?.includes(value) });
  const inputs = options.map(({ value }) => box(value));
  const rows = options.map((option, at) => h("label.row", inputs[at], option.label));
  const element = h("fieldset.choices", h("legend.visually-hidden", label), rows);
  const value = () => inputs.filter(({ checked }) => checked).map((input) => input.value);
  return { element, focus: () => inputs[0].focus(), value };
}
