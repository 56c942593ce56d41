// What plain screens are made of: forms in dialogs and rows of lists.

import { Refused } from "../core/api.js";
import { attribute, h, say } from "../core/dom.js";
import { reasons } from "../core/words.js";
import { announce, ask, openDialog, refuse } from "./float.js";

const NO_NAMES = { column: () => "a column", field: () => "a field", card: () => "a card" };

/** Say in a sentence why something was refused that is about no card. */
export function sentence(error) {
  return reasons(error, NO_NAMES).join(" ");
}

/** Ask for `fields` and hand them to `send`; give what that gave, or null if the person gave up. */
export function askFor({ title, text, fields, button, send, wide = false, below = null }) {
  return new Promise((resolve) => {
    let answer = null;
    const work = async (values) => {
      answer = (await send(values)) ?? true;
      opened.end();
    };
    const { elements, problem, submit, give, arrange, focus } = makeFields(fields, button, work);
    const cancel = h("button.button", { click: () => opened.end() }, "Cancel");
    const form = h(
      "form",
      { novalidate: true, submit: give, input: arrange },
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
    const className = wide ? "ask broad" : "ask";
    const opened = openDialog({ label: title, className, content: form, closed: () => void resolve(answer) });
    focus();
  });
}

/** Make the fields of a form and what hands them to `work`: what is refused is said beside the field that it is about. */
export function makeFields(fields, words, work) {
  const made = fields.map(formField);
  const elements = made.map(({ element }) => element);
  const problem = h("p.problem", { role: "alert" });
  const submit = h("button.button.main", { type: "submit" }, words);
  arrange();
  return { made, elements, problem, submit, give, arrange, focus: () => (made[0] ?? { focus: () => submit.focus() }).focus() };

  /** Show the fields that what is chosen asks for. */
  function arrange() {
    const all = values();
    elements.forEach((element, at) => (element.hidden = Boolean(fields[at].when) && !fields[at].when(all)));
  }

  /** What the fields hold; those that are not shown say nothing. */
  function values() {
    return Object.fromEntries(made.map(({ name, value, element }) => [name, element.hidden ? undefined : value()]));
  }

  async function give(event) {
    event.preventDefault();
    say(problem, "");
    const wrong = made.filter(({ element, check }) => !element.hidden && !check());
    if (wrong.length) return wrong[0].focus();
    submit.disabled = true;
    try {
      await work(values());
    } catch (error) {
      if (!(error instanceof Error && "status" in error)) throw error;
      tell(error);
    } finally {
      submit.disabled = false;
    }
  }

  function tell(error) {
    const told = (error.details?.fields ?? []).filter(({ path, message }) => {
      const field = made.find(({ name }) => path.split(/[.[]/)[0] === name);
      field?.refuse(message);
      return field;
    });
    if (told.length) made.find(({ isRefused }) => isRefused())?.focus();
    else say(problem, sentence(error));
  }
}

/** The field of a title, or of a name, that a thing must have. */
export const titleField = (value) => ({ name: "title", label: "Title", value, required: true, most: 500 });
export const nameField = (value) => ({ ...titleField(value), name: "name", label: "Name" });
export const colorField = (value = "#64748b") => ({ name: "color", label: "Colour", kind: "color", value });

/** Draw words with what they stand for: [[words, value]]. */
export function pairs(className, known) {
  const pair = ([words, value]) => h("div", h("dt", words), h("dd", value));
  return h("dl", { class: className }, known.map(pair));
}

let number = 0;

/** Make a field of a form: {name, label, kind, value, options, required, most, hint, rows}; what it holds gives `value()`. */
export function formField({ name, label, kind = "text", value = null, options, required = false, most, hint, rows, typed, is }) {
  const id = `field-${++number}`;
  const problem = h("span.problem.small", { id: `${id}-problem` });
  const about = hint && h("span.small.muted", { id: `${id}-hint` }, hint);
  const described = [about && `${id}-hint`, `${id}-problem`].filter(Boolean).join(" ");
  const common = { name, id, "aria-describedby": described, maxlength: most, required, input: typed };
  const input = control(kind, common, options, rows);
  if (kind === "switch") input.checked = Boolean(value);
  else input.value = (kind === "lines" ? value?.join("\n") : value) ?? (options ? options[0][0] : "");

  function read() {
    if (kind === "switch") return input.checked;
    if (kind === "lines") return input.value.split("\n").map((line) => line.trim()).filter(Boolean);
    const text = kind === "textarea" || kind === "password" ? input.value : input.value.trim();
    if (kind === "number") return text === "" ? null : Number(text);
    if (kind === "datetime-local") return text ? new Date(text).toISOString() : null;
    return text === "" ? null : text;
  }

  function refuse(message) {
    say(problem, `${label} ${message}.`);
    attribute(input, "aria-invalid", "true");
  }

  function check() {
    say(problem, "");
    attribute(input, "aria-invalid", false);
    const missing = required && (read() === null || read().length === 0);
    if (missing) refuse("is needed");
    else if (is && read() !== is) refuse("is not what is asked for");
    else if (input.validity.badInput || input.validity.typeMismatch) refuse("cannot be read");
    return input.getAttribute("aria-invalid") === null;
  }

  const element =
    kind === "switch"
      ? h("div.switched", h("label.switch", input, h("span", label)), about, problem)
      : h("div.labelled", h("label", { for: id }, label), about, input, problem);
  const isRefused = () => input.getAttribute("aria-invalid") === "true";
  return { name, element, input, value: read, isRefused, check, refuse, focus: () => input.focus() };
}

function control(kind, common, options, rows) {
  if (kind === "select") return h("select.input", { ...common }, options.map(option));
  if (kind === "textarea" || kind === "lines") return h("textarea.input", { rows, ...common });
  if (kind === "switch") return h("input", { type: "checkbox", role: "switch", ...common });
  return h("input.input", { type: kind, autocomplete: kind === "password" ? "new-password" : "off", ...common });
}

function option([value, words]) {
  return h("option", { value }, words);
}

/** Draw a choice of [[value, words]]; `choose` is told the value that is chosen. */
export function choice(label, options, value, choose, wishes = {}) {
  const change = () => choose(select.value);
  const select = h("select.input.small", { "aria-label": label, ...wishes, change }, options.map(option));
  select.value = value;
  return select;
}

// Rows of plain lists: what it is, what is said of it, what can be done with it.
/** Draw a row: {id, mark, title, note, text, below, actions}. */
export function row({ id, mark, title, note, text, below, actions, idle = false }) {
  const head = h("div", title, note && h("span.muted", " · ", apart(note)));
  const what = h("div.what", head, text && h("div.small", apart(text)), below);
  const buttons = [actions].flat().some(Boolean) && h("div.row.wrap", actions);
  return h("li", { class: idle ? "item idle" : "item", "data-id": id, tabindex: "-1" }, mark, what, buttons);
}

/** Keep texts of people apart from each other: the direction of one must not turn what stands beside it around. */
function apart(texts) {
  return [texts].flat(Infinity).map((text) => (typeof text === "string" ? h("bdi", text) : text));
}

/** Draw rows as a list; an empty one says so. */
export function rows(items, empty, label) {
  const content = items.length ? items : h("li.item.muted", empty);
  return h("ul.panel", { "aria-label": label }, content);
}

/** Draw a part of a screen under a heading of its own, with what can be done beside it. */
export function section(title, number, content, action = null) {
  const many = number === null ? null : h("span.muted.number", number.toLocaleString("en"));
  return h("section", { "aria-label": title }, h("div.panel-head", h("h2", title), many, action), content);
}

/** Draw a button; `name` tells a listener what it is about. */
export function button(words, run, { kind = "", name = null, disabled = false } = {}) {
  const wishes = { "aria-label": name, disabled, click: run };
  return h("button", { class: `button small ${kind}`, ...wishes }, words);
}

/** Draw a switch that changes something at once; `says` is said when it is done. */
export function switched(label, checked, change, { disabled = false, name = null, why = null } = {}) {
  const input = h("input", { type: "checkbox", role: "switch", "aria-label": name, disabled });
  input.checked = checked;
  input.addEventListener("change", async () => {
    const wanted = input.checked;
    input.disabled = true;
    if (!(await change(wanted))) input.checked = !wanted;
    input.disabled = disabled;
  });
  return h("label.switch", { title: why }, input, h("span", label));
}

/** Do something and say that it is done, or why not; give whether it was. */
export async function attempt(work, { done, failed, cause = failed }) {
  try {
    const answer = await work();
    if (done) announce(done);
    return answer ?? true;
  } catch (error) {
    refuse(failed, sentence(error), cause);
    return false;
  }
}

/** The refusal of a field before anything is asked of the service. */
export function wrong(path, message) {
  return new Refused(400, { code: "validation_failed", message, details: { fields: [{ path, message }] } });
}

/** Ask before something that cannot be taken back, and do it. */
export async function sure({ title, text, button: words }, work, told) {
  if ((await ask({ title, text, button: words })) === null) return false;
  return attempt(work, told);
}

/** Ask before something is removed for good, and remove it. */
export function removal(what, text, work, name = what) {
  const told = { done: `${name} is removed.`, failed: `${name} was not removed` };
  return sure({ title: `Remove ${what}?`, text, button: "Remove" }, work, told);
}
