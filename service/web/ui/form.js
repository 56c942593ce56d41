// Forms in dialogs, and their fields.

import { ApiError } from "../core/api.js";
import { h, setAttribute, setText } from "../core/dom.js";
import { plainErrorText } from "../core/error-text.js";
import { renderOption } from "./controls.js";
import { openDialog } from "./dialog.js";

/** Open a form dialog; resolve to the result of `send(values)`, or to null if cancelled. */
export function openForm({ title, text, fields, button, send, wide = false, below = null }) {
  return new Promise((resolve) => {
    let answer = null;
    const work = async (values) => {
      answer = (await send(values)) ?? true;
      opened.end();
    };
    const { elements, problem, submit, handleSubmit, updateVisibility, focus } = createFields(fields, button, work);
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
    focus();
  });
}

/** Create the fields of a form that passes its values to `work(values)`. Errors are shown next to the field that they concern. */
export function createFields(fields, label, work) {
  const inputs = fields.map(createField);
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
    updateVisibility,
    focus: () => (inputs[0] ?? { focus: () => submit.focus() }).focus()
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
      await work(values());
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
    else setText(problem, plainErrorText(error));
  }
}

/** Required fields for a title, a name, a colour. */
export const titleField = (value) => ({ name: "title", label: "Title", value, required: true, maxLength: 500 });
export const nameField = (value) => ({ ...titleField(value), name: "name", label: "Name" });
export const colorField = (value = "#64748b") => ({ name: "color", label: "Colour", kind: "color", value });

let fieldCount = 0;

/** Create a field: {name, label, kind, value, options, required, maxLength, hint, rows}; `value()` returns its value. */
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
  is: expected
}) {
  const id = `field-${++fieldCount}`;
  const problem = h("span.problem.small", { id: `${id}-problem` });
  const hintElement = hint && h("span.small.muted", { id: `${id}-hint` }, hint);
  const described = [hintElement && `${id}-hint`, `${id}-problem`].filter(Boolean).join(" ");
  const common = { name, id, "aria-describedby": described, maxlength: maxLength, required, input: typed };
  const input = createInput(kind, common, options, rows);
  if (kind === "switch") input.checked = Boolean(value);
  else input.value = (kind === "lines" ? value?.join("\n") : value) ?? (options ? options[0][0] : "");

  function read() {
    if (kind === "switch") return input.checked;
    if (kind === "lines")
      return input.value
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean);
    const text = kind === "textarea" || kind === "password" ? input.value : input.value.trim();
    if (kind === "number") return text === "" ? null : Number(text);
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
    const missing = required && (read() === null || read().length === 0);
    if (missing) showProblem("is needed");
    else if (expected && read() !== expected) showProblem("is not what is asked for");
    else if (input.validity.badInput || input.validity.typeMismatch) showProblem("cannot be read");
    return input.getAttribute("aria-invalid") === null;
  }

  const element =
    kind === "switch"
      ? h("div.switched", h("label.switch", input, h("span", label)), hintElement, problem)
      : h("div.labelled", h("label", { for: id }, label), hintElement, input, problem);
  const isInvalid = () => input.getAttribute("aria-invalid") === "true";
  return { name, element, input, value: read, isInvalid, check, showProblem, focus: () => input.focus() };
}

function createInput(kind, common, options, rows) {
  if (kind === "select") return h("select.input", { ...common }, options.map(renderOption));
  if (kind === "textarea" || kind === "lines") return h("textarea.input", { rows, ...common });
  if (kind === "switch") return h("input", { type: "checkbox", role: "switch", ...common });
  return h("input.input", { type: kind, autocomplete: kind === "password" ? "new-password" : "off", ...common });
}

/** Return the ApiError of an invalid field, for checks before a request. */
export function fieldError(path, message) {
  return new ApiError(400, { code: "validation_failed", message, details: { fields: [{ path, message }] } });
}
