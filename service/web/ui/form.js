// Forms in dialogs, and their fields.

import { ApiError } from "../core/api.js";
import { h, setAttribute, setText } from "../core/dom.js";
import { plainErrorText } from "../core/error-text.js";
import { getFieldText, setFieldText } from "../core/marks.js";
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
 *   errorText?: (error: ApiError) => string, wide?: boolean, below?: Child, isDangerous?: boolean}} options
 * @returns {Promise<any>}
 */
export function openForm({
  title,
  text,
  fields,
  button,
  send,
  item,
  errorText,
  wide = false,
  below = null,
  isDangerous = false
}) {
  return new Promise((resolve) => {
    let answer = null;
    const work = async (values) => {
      answer = (await send(values)) ?? true;
      opened.end();
    };
    const { elements, problem, submit, handleSubmit, updateVisibility } = createFields(fields, button, work, { item, errorText });
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
    const className = ["form-dialog", wide && "wide", isDangerous && "dangerous"].filter(Boolean).join(" ");
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
export function createFields(fields, label, work, options = {}) {
  return new FormFields(fields, label, work, options);
}

class FormFields {
  problem = h("p.problem", { role: "alert" });

  constructor(fields, label, work, { item = null, errorText = plainErrorText }) {
    this.inputs = fields.map((field) => createField({ ...field, item }));
    this.elements = this.inputs.map(({ element }) => element);
    this.submit = h("button.button.main", { type: "submit" }, label);
    this.work = work;
    this.errorText = errorText;
    this.updateVisibility();
  }

  /** Show the fields that apply to the current values. */
  updateVisibility = () => {
    const values = this.read();
    for (const { element, field } of this.inputs) element.hidden = Boolean(field.when) && !field.when(values);
  };

  /** Return the values; those of hidden fields are undefined. */
  read() {
    return Object.fromEntries(this.inputs.map((input) => [input.name, input.element.hidden ? undefined : input.value()]));
  }

  handleSubmit = async (event) => {
    event.preventDefault();
    setText(this.problem, "");
    const invalid = this.inputs.filter((input) => !input.element.hidden && !input.check());
    if (invalid.length) return invalid[0].focus();
    this.submit.disabled = true;
    try {
      await this.send();
    } catch (error) {
      if (!(error instanceof Error && "status" in error)) throw error;
      this.showError(error);
    } finally {
      this.submit.disabled = false;
    }
  };

  /** Pass the values on, unless somebody has changed a text meanwhile, which is shown first. */
  async send() {
    for (const input of this.inputs) if (!(await input.acceptSaved())) return;
    await this.work(this.read());
    for (const { draft } of this.inputs) draft?.forget();
  }

  showError(error) {
    const shown = (error.details?.fields ?? []).filter(({ path, message }) => {
      const input = this.inputs.find(({ name }) => path.split(/[.[]/)[0] === name);
      input?.showProblem(message);
      return input;
    });
    if (shown.length) this.inputs.find((input) => input.isInvalid())?.focus();
    else setText(this.problem, this.errorText(error));
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
export function createField(field) {
  return new FormField(field);
}

class FormField {
  /** @param {Field} field */
  constructor(field) {
    const { name, kind = "text", hint, attach } = field;
    const id = `field-${++fieldCount}`;
    this.field = field;
    this.name = name;
    this.kind = kind;
    this.problem = h("span.problem.small", { id: `${id}-problem` });
    this.hint = hint && h("span.small.muted", { id: `${id}-hint` }, hint);
    this.input = createInput(field, id);
    attach?.(this.input);
    this.write();
    this.draft = this.keepDraft();
    this.element = this.render(id);
  }

  render(id) {
    const { input, hint, problem, draft } = this;
    const { label } = this.field;
    if (this.kind === "switch") return h("div.switched", h("label.switch", input, h("span", label)), hint, problem);
    return h("div.labelled", h("label", { for: id }, label), hint, input, draft?.note, problem);
  }

  keepDraft() {
    const { item, name, secret: isSecret } = this.field;
    const isLong = this.input instanceof HTMLTextAreaElement;
    return isLong && item && !isSecret ? keepDraft(this.input, { item, name, saved: getFieldText(this.input) }) : null;
  }

  /** Somebody else may have changed the text while the form was open; then both are shown before it is replaced. */
  async acceptSaved() {
    const { readSaved } = this.field;
    return !this.draft || !readSaved || this.draft.accept(await readSaved());
  }

  write() {
    const { value = null, options } = this.field;
    if (this.kind === "switch") this.input.checked = Boolean(value);
    else if (this.kind === "select") this.input.value = value ?? options?.[0]?.[0] ?? "";
    else setFieldText(this.input, String((this.kind === "lines" ? value?.join("\n") : value) ?? ""));
  }

  value() {
    const { kind, input } = this;
    if (kind === "switch") return input.checked;
    const typed = getFieldText(input);
    const lines = typed.split("\n").map((line) => line.trim());
    if (kind === "lines") return lines.filter(Boolean);
    const text = kind === "textarea" || kind === "password" ? typed : typed.trim();
    if (kind === "datetime-local") return text ? new Date(text).toISOString() : null;
    return text === "" ? null : text;
  }

  showProblem(message) {
    setText(this.problem, `${this.field.label} ${message}.`);
    setAttribute(this.input, "aria-invalid", "true");
  }

  isInvalid() {
    return this.input.getAttribute("aria-invalid") === "true";
  }

  check() {
    const { required, is: expected } = this.field;
    const { badInput, typeMismatch } = this.input.validity;
    setText(this.problem, "");
    setAttribute(this.input, "aria-invalid", false);
    const isMissing = required && String(this.value() ?? "").trim() === "";
    if (isMissing) this.showProblem("is needed");
    else if (expected && this.value() !== expected) this.showProblem("is not what is asked for");
    else if (badInput || typeMismatch) this.showProblem("cannot be read");
    return !this.isInvalid();
  }

  focus() {
    this.input.focus();
  }
}

/**
 * @param {Field} field
 * @param {string} id
 * @returns {any}
 */
function createInput({ name, kind = "text", options, required = false, maxLength, hint, rows, typed }, id) {
  const described = [hint && `${id}-hint`, `${id}-problem`].filter(Boolean).join(" ");
  const common = { name, id, "aria-describedby": described, maxlength: maxLength, required, input: typed };
  if (kind === "switch") return h("input", { type: "checkbox", role: "switch", ...common });
  if (kind === "select") return h("select.input", common, options.map(renderOption));
  if (kind === "textarea" || kind === "lines") return h("textarea.input", { rows, ...common });
  return h("input.input", { type: kind, autocomplete: kind === "password" ? "new-password" : "off", ...common });
}

/** Return the ApiError of an invalid field, for checks before a request. */
export function fieldError(path, message) {
  return new ApiError(400, { code: "validation_failed", message, details: { fields: [{ path, message }] } });
}
