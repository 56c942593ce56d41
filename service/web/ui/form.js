// Forms in dialogs, and their fields.

import { ApiError } from "../core/api.js";
import { h, setAttribute, setText } from "../core/dom.js";
import { plainErrorText } from "../core/error-text.js";
import { renderOption } from "./controls.js";
import { openDialog } from "./dialog.js";
import { keepDraft } from "./text/drafts.js";

/** @import { Child } from "../core/dom.js" */
/**
 * A field of a form; see createField. It is shown only while `when(values)` is true.
 * @typedef {{name: string, label: string, kind?: string, value?: any, options?: string[][], required?: boolean,
 *   maxLength?: number, hint?: Child, rows?: number, typed?: (event: any) => unknown, attach?: (input: any) => unknown,
 *   is?: string, item?: string | null, secret?: boolean, readSaved?: () => Promise<string>,
 *   when?: (values: Record<string, any>) => boolean}} Field
 */

/**
 * Open a form dialog; resolve to the result of `send(values)`, or to null if cancelled. Texts of several lines are kept as
 * drafts of `item`, the id of what the form is about. `errorText(error)` returns an error as a sentence.
 * @param {{title: string, text?: Child, fields: Field[], button: string, send: (values: any) => Promise<unknown>, item?: string,
 *   errorText?: (error: ApiError) => string, wide?: boolean, below?: Child}} options
 * @returns {Promise<any>}
 */
export function openForm({ title, text, fields, button, send, item, errorText, wide = false, below = null }) {
  return new Promise((resolve) => {
    let answer = null;
    const work = async (values) => {
      answer = (await send(values)) ?? true;
      opened.end();
    };
    const created = createFields(fields, button, work, { item, errorText });
    const { elements, problem, submit, handleSubmit, updateVisibility } = created;
    const cancel = h("button.button", { click: () => opened.end() }, "Cancel");
    const form = h(
      "form",
      { novalidate: true, submit: handleSubmit, input: updateVisibility },
      h("h2", title),
      text && h("p.muted", text),
      elements,
      below,
      problem,
      h("div.row", cancel, submit)
    );
    form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    const className = wide ? "form-dialog wide" : "form-dialog";
    const opened = openDialog({ label: title, className, content: form, closed: () => void resolve(answer) });
  });
}

/**
 * Create the fields of a form that passes its values to `work(values)`. Errors are shown next to the field that they concern.
 * @param {Field[]} fields
 * @param {string} label of the button
 * @param {(values: any) => Promise<unknown>} work
 * @param {{item?: string | null, errorText?: (error: ApiError) => string}} [options]
 */
export function createFields(fields, label, work, { item = null, errorText = plainErrorText } = {}) {
  const inputs = fields.map((field) => createField({ ...field, item }));
  const elements = inputs.map(({ element }) => element);
  const problem = h("p.problem", { role: "alert" });
  const submit = h("button.button.main", { type: "submit" }, label);
  updateVisibility();
  return {
    inputs,
    elements,
    problem,
    submit,
    handleSubmit,
    updateVisibility
  };

  /** Show the fields that apply to the current values. */
  function updateVisibility() {
    const all = values();
    elements.forEach((element, at) => (element.hidden = Boolean(fields[at].when) && !fields[at].when(all)));
  }

  /** Return the values; those of hidden fields are undefined. */
  function values() {
    return Object.fromEntries(inputs.map(({ name, value, element }) => [name, element.hidden ? undefined : value()]));
  }

  async function handleSubmit(event) {
    event.preventDefault();
    setText(problem, "");
    const invalid = inputs.filter(({ element, check }) => !element.hidden && !check());
    if (invalid.length) return invalid[0].focus();
    submit.disabled = true;
    try {
      for (const { acceptSaved } of inputs) if (!(await acceptSaved())) return;
      await work(values());
      for (const { draft } of inputs) draft?.forget();
    } catch (error) {
      if (!(error instanceof Error && "status" in error)) throw error;
      showError(error);
    } finally {
      submit.disabled = false;
    }
  }

  function showError(error) {
    const shown = (error.details?.fields ?? []).filter(({ path, message }) => {
      const field = inputs.find(({ name }) => path.split(/[.[]/)[0] === name);
      field?.showProblem(message);
      return field;
    });
    if (shown.length) inputs.find(({ isInvalid }) => isInvalid())?.focus();
    else setText(problem, errorText(error));
  }
}

/** Required fields for a title, a name, a colour. */
export const titleField = (value) => ({ name: "title", label: "Title", value, required: true, maxLength: 500 });
export const nameField = (value) => ({ ...titleField(value), name: "name", label: "Name" });
export const colorField = (value = "#64748b") => ({ name: "color", label: "Colour", kind: "color", value });

let fieldCount = 0;

/**
 * Create a field: {name, label, kind, value, options, required, maxLength, hint, rows}; `value()` returns its value. A text
 * of several lines is kept as a draft of `item`, unless it is secret; `readSaved()` reads the text that the service has.
 * `typed` handles its input events, `attach(input)` adds to its behavior.
 * @param {Field} field
 */
export function createField({
  name,
  label,
  kind = "text",
  value = null,
  options,
  required = false,
  maxLength,
  hint,
  rows,
  typed,
  attach,
  is: expected,
  item = null,
  secret: isSecret = false,
  readSaved = null
}) {
  const id = `field-${++fieldCount}`;
  const problem = h("span.problem.small", { id: `${id}-problem` });
  const hintElement = hint && h("span.small.muted", { id: `${id}-hint` }, hint);
  const described = [hintElement && `${id}-hint`, `${id}-problem`].filter(Boolean).join(" ");
  const common = { name, id, "aria-describedby": described, maxlength: maxLength, required, input: typed };
  const box = kind === "switch" ? h("input", { type: "checkbox", role: "switch", ...common }) : null;
  const input = box ?? createInput(kind, common, options, rows);
  attach?.(input);
  if (box) box.checked = Boolean(value);
  else input.value = (kind === "lines" ? value?.join("\n") : value) ?? options?.[0]?.[0] ?? "";

  const isLong = input instanceof HTMLTextAreaElement;
  const draft = isLong && item && !isSecret ? keepDraft(input, { item, name, saved: input.value }) : null;
  // Somebody else may have changed the text while the form was open; then both are shown before it is replaced.
  const acceptSaved = async () => !draft || !readSaved || draft.accept(await readSaved());

  function read() {
    if (box) return box.checked;
    if (kind === "lines")
      return input.value
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean);
    const text = kind === "textarea" || kind === "password" ? input.value : input.value.trim();
    if (kind === "datetime-local") return text ? new Date(text).toISOString() : null;
    return text === "" ? null : text;
  }

  function showProblem(message) {
    setText(problem, `${label} ${message}.`);
    setAttribute(input, "aria-invalid", "true");
  }

  function check() {
    setText(problem, "");
    setAttribute(input, "aria-invalid", false);
    const missing = required && String(read() ?? "").trim() === "";
    if (missing) showProblem("is needed");
    else if (expected && read() !== expected) showProblem("is not what is asked for");
    else if (input.validity.badInput || input.validity.typeMismatch) showProblem("cannot be read");
    return input.getAttribute("aria-invalid") === null;
  }

  const element =
    box !== null
      ? h("div.switched", h("label.switch", input, h("span", label)), hintElement, problem)
      : h("div.labelled", h("label", { for: id }, label), hintElement, input, draft?.note, problem);
  const isInvalid = () => input.getAttribute("aria-invalid") === "true";
  const focus = () => input.focus();
  return { name, element, input, value: read, isInvalid, check, showProblem, focus, draft, acceptSaved };
}

function createInput(kind, common, options, rows) {
  if (kind === "select") return h("select.input", { ...common }, options.map(renderOption));
  if (kind === "textarea" || kind === "lines") return h("textarea.input", { rows, ...common });
  return h("input.input", { type: kind, autocomplete: kind === "password" ? "new-password" : "off", ...common });
}

/** Return the ApiError of an invalid field, for checks before a request. */
export function fieldError(path, message) {
  return new ApiError(400, { code: "validation_failed", message, details: { fields: [{ path, message }] } });
}
