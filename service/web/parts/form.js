// What plain screens are made of: forms in dialogs and rows of lists.

import { attribute, h, say } from "../core/dom.js";
import { reasons } from "../core/words.js";
import { announce, ask, notify, openDialog } from "./float.js";

const NO_NAMES = { column: () => "a column", field: () => "a field", card: () => "a card" };

/** Say in a sentence why something was refused that is about no card. */
export function sentence(error) {
  return reasons(error, NO_NAMES).join(" ");
}

/** Ask for `fields` and hand them to `send`; give what that gave, or null if the person gave up. */
export function askFor({ title, text, fields, button, send, wide = false, below = null }) {
  return new Promise((resolve) => {
    let answer = null;
    const made = fields.map(formField);
    const problem = h("p", { class: "problem", role: "alert" });
    const submit = h("button", { class: "button main", type: "submit" }, button);
    const cancel = h("button", { class: "button", type: "button", on: { click: () => opened.end() } }, "Cancel");
    const arrange = () => {
      const all = values();
      made.forEach(({ element }, at) => (element.hidden = Boolean(fields[at].when) && !fields[at].when(all)));
    };
    const form = h(
      "form",
      { novalidate: true, on: { submit: (event) => (event.preventDefault(), give()) } },
      h("h2", null, title),
      text && h("p", { class: "muted" }, text),
      made.map(({ element }) => element),
      below,
      problem,
      h("div", { class: "row" }, cancel, submit),
    );
    form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    form.addEventListener("input", arrange);
    arrange();
    const className = wide ? "ask broad" : "ask";
    const opened = openDialog({ label: title, className, content: form, closed: () => void resolve(answer) });
    (made[0] ?? { focus: () => submit.focus() }).focus();

    /** What the fields hold; those that are not shown say nothing. */
    function values() {
      return Object.fromEntries(made.map(({ name, value, element }) => [name, element.hidden ? undefined : value()]));
    }

    async function give() {
      say(problem, "");
      const wrong = made.filter(({ element, check }) => !element.hidden && !check());
      if (wrong.length) return wrong[0].focus();
      submit.disabled = true;
      try {
        answer = (await send(values())) ?? true;
        opened.end();
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
  });
}

let number = 0;

/** Make a field of a form: {name, label, kind, value, options, required, most, hint, rows}; what it holds gives `value()`. */
export function formField({ name, label, kind = "text", value = null, options, required = false, most, hint, rows, on, is }) {
  const id = `field-${++number}`;
  const problem = h("span", { class: "problem small", id: `${id}-problem` });
  const about = hint && h("span", { class: "small muted", id: `${id}-hint` }, hint);
  const described = [about && `${id}-hint`, `${id}-problem`].filter(Boolean).join(" ");
  const common = { name, id, "aria-describedby": described, maxlength: most, required, on };
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
      ? h("div", { class: "switched" }, h("label", { class: "switch" }, input, h("span", null, label)), about, problem)
      : h("div", { class: "labelled" }, h("label", { for: id }, label), about, input, problem);
  const isRefused = () => input.getAttribute("aria-invalid") === "true";
  return { name, element, input, value: read, isRefused, check, refuse, focus: () => input.focus() };
}

function control(kind, common, options, rows) {
  if (kind === "select") return h("select", { class: "input", ...common }, options.map(option));
  if (kind === "textarea" || kind === "lines") return h("textarea", { class: "input", rows, ...common });
  if (kind === "switch") return h("input", { type: "checkbox", role: "switch", ...common });
  return h("input", { class: "input", type: kind, autocomplete: kind === "password" ? "new-password" : "off", ...common });
}

function option([value, words]) {
  return h("option", { value }, words);
}

// Rows of plain lists: what it is, what is said of it, what can be done with it.
/** Draw a row: {id, mark, title, note, text, below, actions}. */
export function row({ id, mark, title, note, text, below, actions, idle = false }) {
  const head = h("div", null, title, note && h("span", { class: "muted" }, " · ", apart(note)));
  const what = h("div", { class: "what" }, head, text && h("div", { class: "small" }, apart(text)), below);
  const buttons = [actions].flat().some(Boolean) && h("div", { class: "row wrap" }, actions);
  return h("li", { class: idle ? "item idle" : "item", "data-id": id, tabindex: "-1" }, mark, what, buttons);
}

/** Keep texts of people apart from each other: the direction of one must not turn what stands beside it around. */
function apart(texts) {
  return [texts].flat(Infinity).map((text) => (typeof text === "string" ? h("bdi", null, text) : text));
}

/** Draw rows as a list; an empty one says so. */
export function rows(items, empty, label) {
  const content = items.length ? items : h("li", { class: "item muted" }, empty);
  return h("ul", { class: "panel", "aria-label": label }, content);
}

/** Draw a part of a screen under a heading of its own, with what can be done beside it. */
export function section(title, number, content, action = null) {
  const many = number === null ? null : h("span", { class: "muted number" }, number.toLocaleString("en"));
  return h("section", { "aria-label": title }, h("div", { class: "panel-head" }, h("h2", null, title), many, action), content);
}

/** Draw a button; `name` tells a listener what it is about. */
export function button(words, run, { kind = "", name = null, disabled = false } = {}) {
  const wishes = { type: "button", "aria-label": name, disabled, on: { click: run } };
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
  return h("label", { class: "switch", title: why }, input, h("span", null, label));
}

/** Do something and say that it is done, or why not; give whether it was. */
export async function attempt(work, { done, failed, cause = failed }) {
  try {
    const answer = await work();
    if (done) announce(done);
    return answer ?? true;
  } catch (error) {
    notify({ title: failed, text: sentence(error), kind: "refused", cause });
    return false;
  }
}

/** Ask before something that cannot be taken back, and do it. */
export async function sure({ title, text, button: words }, work, told) {
  if ((await ask({ title, text, button: words })) === null) return false;
  return attempt(work, told);
}
