// Editing in place: Enter or leaving the field saves, Escape cancels (long texts stay as drafts), a conflict shows both values.

import { appendChildren, h, query, queryAll, replaceChildren, setAttribute } from "../core/dom.js";
import { phrase } from "../core/format.js";
import { SAVE_KEYS, suspendShortcuts } from "../core/shortcuts.js";
import { openChoiceMenu } from "./listbox/menu.js";
import { smallButton } from "./controls.js";
import { hasDraft, keepDraft } from "./text/drafts.js";
import { loadTextTools } from "./text/tools.js";
import { announce } from "./toast.js";

/** @import { Child } from "../core/dom.js" */
/**
 * What is edited in place, and how; see inlineEdit.
 * @typedef {{open: any, key: string, label: string, kind: string, show: (value: any) => Child,
 *   choices?: () => {value: any, label: string, mark?: Child}[], maxLength?: number, tools?: any, isRequired?: boolean,
 *   may?: boolean, multiline?: boolean}} EditOptions
 */

/** Somebody else changed the same value; `theirs` is the current one. */
export class EditConflict extends Error {
  constructor(theirs) {
    super("Somebody changed the same thing meanwhile.");
    this.theirs = theirs;
  }
}

const SELECTION_PIXELS_MIN = 4; // that the pointer moves while it selects text, which is no click
const CHOICE_CHARACTERS_MAX = 200; // of a text in a list
// Inputs that are loaded when they are needed.
const INPUT_LOADERS = {
  __proto__: null,
  due: () => import("./inputs/due-date.js"),
  number: () => import("./inputs/number.js"),
  choices: () => import("./inputs/chips.js")
};
// Kinds that are edited in one line.
const INPUT_TYPES = { __proto__: null, text: "text", url: "url", number: "text", date: "date", due: "text" };

/**
 * Create a value that is edited in place: {element, update()}. `key` is its name, `show(value)` renders it, `kind` is how it
 * is edited (a line, due, richtext, choice, choices or checkbox), `choices()` returns [{value, label, mark}], `tools` are the
 * options of loadTextTools. An emptied line that `isRequired` keeps its text.
 * @param {EditOptions} options
 */
export function inlineEdit({
  open,
  key,
  label,
  kind,
  show,
  choices,
  maxLength,
  tools,
  isRequired = false,
  may: isEditable = true,
  multiline = kind === "richtext"
}) {
  const element = h("div", { class: `editable ${multiline ? "block" : ""}` });
  let editing = null; // {seen}: the value when editing began
  let drawn = null; // what a text of several lines shows
  let loaded = null; // the module of the input
  let draft = null; // of a text of several lines
  let settle = null; // resolves when all pictures of such a text are uploaded

  function update() {
    if (editing || (multiline && drawn === describeContent())) return; // what is selected stays selected
    const hadFocus = element.contains(document.activeElement);
    const isFocused = (part) => part === document.activeElement;
    const box = queryAll(element, "input").findIndex(isFocused); // of a checklist
    const part = queryAll(element, ":scope > *").findIndex(isFocused);
    draw();
    drawn = describeContent();
    const next = queryAll(element, "input")[box] ?? queryAll(element, ":scope > *")[part] ?? query(element, ":scope > button");
    if (hadFocus) next?.focus({ preventScroll: true });
  }

  /** Return what a rendered text depends on: also its mentions, and the ticks that are being sent. */
  function describeContent() {
    return JSON.stringify([open.value(key), open.card.mentions, [...(open.ticks ?? [])]]);
  }

  function draw() {
    const content = show(open.value(key));
    if (!isEditable) return replaceChildren(element, h("div.value", { dir: "auto" }, content));
    if (multiline) return replaceChildren(element, textElement(content), editButton());
    const button = query(element, ":scope > button") ?? h("button.value", { dir: "auto", click: startEditing });
    setAttribute(button, "aria-label", `${label}: ${valueLabel()}`);
    replaceChildren(element, replaceChildren(button, content)); // the button stays: an open menu returns the focus to it
  }

  /** Return a text that a click or Enter edits; its links, buttons and checkboxes keep their own. */
  function textElement(content) {
    let pressed = { x: 0, y: 0 };
    const pointerdown = (event) => (pressed = event);
    const click = (event) => {
      const isSelecting = Math.hypot(event.x - pressed.x, event.y - pressed.y) > SELECTION_PIXELS_MIN;
      if (!isSelecting && !event.target.closest("a, button, input, label, summary")) startEditing(event);
    };
    const keydown = (event) => {
      if (event.key === "Enter" && event.target === event.currentTarget) (event.preventDefault(), startEditing(event));
    };
    const attributes = { dir: "auto", tabindex: "0", role: "group", "aria-label": label, "aria-keyshortcuts": "Enter" };
    return h("div.value", { ...attributes, pointerdown, click, keydown }, content);
  }

  function editButton() {
    const caption = hasDraft(open.id, key) ? "Edit draft" : open.value(key) ? "Edit" : "Write";
    const attributes = { class: "plain-button edit", "aria-label": `${caption.replace("draft", "draft of")} ${label}` };
    return h("button", { ...attributes, click: startEditing }, caption);
  }

  function valueLabel() {
    const value = open.value(key);
    return (Array.isArray(value) ? value.join(", ") : h("div", show(value)).textContent) || "none";
  }

  async function startEditing(event) {
    const original = open.value(key);
    if (kind === "choice") return openChoices(event.currentTarget, original);
    if (kind === "checkbox") return save(original === "true" ? "false" : "true", original);
    loaded ??= await suspendShortcuts(INPUT_LOADERS[kind]?.());
    if (editing) return; // after a second click
    editing = { seen: open.value(key) };
    edit(editing.seen);
  }

  function openChoices(anchor, original) {
    const items = choices().map(({ value, label: caption, mark }) => ({
      label: caption,
      mark,
      checked: (original ?? null) === value,
      run: () => save(value, original)
    }));
    openChoiceMenu(anchor, { label, items: [{ head: label }, ...items] });
  }

  function edit(text, problem = "") {
    drawn = null;
    const field = createInput(text);
    const isShort = kind in INPUT_TYPES;
    const submit = (event) => (event.preventDefault(), done());
    draft = multiline ? keepDraft(field.element, { item: open.id, name: key, saved: editing.seen }) : null;
    const toolbar = multiline && h("div.text-tools");
    settle = multiline ? loadTextTools(field.element, toolbar, tools) : null;
    const form = h("form.editing", { novalidate: true, submit }, toolbar, field.element);
    appendChildren(form, [problem && h("p.problem.small", { role: "alert" }, problem)]);
    if (!isShort)
      appendChildren(form, [
        h(
          "div.row",
          smallButton("Save", null, { kind: "main", type: "submit" }),
          smallButton("Cancel", cancel),
          multiline && h("span.small.muted.save-keys", `${SAVE_KEYS} saves`)
        ),
        draft?.note
      ]);
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") (event.preventDefault(), event.stopPropagation(), cancel());
      const isSaving = event.ctrlKey || event.metaKey || (isShort && event.target instanceof HTMLInputElement);
      if (event.key === "Enter" && isSaving) (event.preventDefault(), done());
    });
    const leave = ({ relatedTarget }) => editing && !editing.isBusy && !form.contains(relatedTarget) && done();
    if (isShort) field.element.addEventListener("focusout", leave);
    replaceChildren(element, form);
    field.focus();

    async function done() {
      const own = editing;
      if (own.isBusy) return;
      own.isBusy = true;
      await settle?.();
      const value = await field.value();
      if (editing !== own) return; // cancelled meanwhile
      if (value === undefined)
        own.isBusy = false; // the field says why
      else save(value, own.seen);
    }
  }

  function createInput(text) {
    if (kind === "due") return loaded.createDueDateInput(label, text);
    if (kind === "number") return loaded.createNumberInput(label, text, key);
    return kind === "choices" ? checkboxes(text) : input(text);
  }

  function input(text) {
    const isLine = kind in INPUT_TYPES && !text?.includes("\n"); // which an input would remove
    const attributes = { class: "input", "aria-label": label, maxlength: maxLength, name: key };
    const rows = Math.min(24, Math.max(6, (text ?? "").split("\n").length + 2));
    const field = isLine ? h("input", { ...attributes, type: INPUT_TYPES[kind] }) : h("textarea", { ...attributes, rows });
    field.value = (kind === "date" ? text?.slice(0, 10) : text) ?? "";
    const shown = field.value;
    const value = () => (field.value === shown ? (text ?? null) : field.value.trim() || (isRequired ? text : null));
    return { element: field, focus: () => field.focus(), value };
  }

  function checkboxes(chosen) {
    const options = choices();
    const texts = { label, name: key, texts: chosen ?? [], maxLength: CHOICE_CHARACTERS_MAX };
    if (!options.length) return loaded.createChips(texts);
    const box = (value) => Object.assign(h("input", { type: "checkbox", value }), { checked: chosen?.includes(value) });
    const inputs = options.map(({ value }) => box(value));
    const rows = options.map((option, at) => h("label.row", inputs[at], option.label));
    const element = h("fieldset.choices", h("legend.visually-hidden", label), rows);
    const value = () => inputs.filter(({ checked }) => checked).map((input) => input.value);
    return { element, focus: () => inputs[0].focus(), value };
  }

  /** Stop editing a value that is saved. */
  function close() {
    draft?.forget();
    cancel();
  }

  /** Stop editing. A draft stays. */
  function cancel() {
    editing = null;
    update();
  }

  async function save(value, original) {
    const before = original ?? null;
    if (JSON.stringify(normalize(value, kind)) === JSON.stringify(normalize(before, kind))) return close();
    editing ??= { seen: original };
    try {
      await open.edit(key, value, original);
      announce(`${label} saved.`);
      close();
    } catch (error) {
      if (!editing) return showProblem(error); // cancelled meanwhile
      if (error instanceof EditConflict) await mergeOrShowConflict(value, original, error.theirs);
      else if (kind === "choice" || kind === "checkbox") showProblem(error);
      else resume(value, error);
    }
  }

  /** Save a text with the ticks of others that came meanwhile; after other changes, show both. */
  async function mergeOrShowConflict(mine, seen, theirs) {
    const load = () => import("./text/merge-ticks.js").catch(() => null); // then both are shown
    const merged = (multiline && (await load())?.mergeTicks(seen, mine, theirs)) ?? false;
    return merged === false ? showConflict(mine, theirs) : save(merged, theirs);
  }

  /** Continue editing after an error. The old field is removed, and its blur event must not save again. */
  function resume(value, error) {
    editing.isBusy = true;
    edit(value, open.errorText(error));
    editing.isBusy = false;
  }

  function showProblem(error) {
    editing = drawn = null;
    update();
    drawn = null;
    appendChildren(element, [h("p.problem.small", { role: "alert" }, open.errorText(error))]);
  }

  /** Show both values side by side. */
  function showConflict(mine, theirs) {
    drawn = null;
    editing = { seen: theirs, isBusy: true };
    const keepButton = smallButton("Keep mine", () => ((editing.isBusy = false), save(mine, theirs)));
    const takeButton = smallButton("Take theirs", close);
    const prose = (value) => h("div.prose", valueText(value));
    const side = (caption, value) => h("div.side", h("strong", caption), prose(value));
    const sides = h("div.sides", side("Mine", mine), side("Theirs", theirs));
    const head = h("p", { role: "alert" }, phrase`Somebody changed ${label} while you were writing.`);
    replaceChildren(element, h("div.conflict", head, sides, h("div.row", keepButton, takeButton)));
    keepButton.focus();
  }

  update();
  return { element, update };
}

function valueText(value) {
  return Array.isArray(value) ? value.map((text) => h("span.tag", text)) : (value ?? "Empty");
}

function normalize(value, kind) {
  if (kind === "date") return value?.slice(0, 10) ?? null;
  return Array.isArray(value) && !value.length ? null : (value ?? null);
}
