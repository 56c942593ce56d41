// Editing in place: Enter or leaving the field saves, Escape cancels (long texts stay as drafts), a conflict shows both values.

import { appendChildren, h, query, queryAll, replaceChildren, setAttribute } from "../core/dom.js";
import { drawPart } from "../core/guard.js";
import { suspendShortcuts } from "../core/shortcuts.js";
import { openChoiceMenu } from "./listbox/menu.js";
import { hasDraft } from "./text/drafts.js";
import { announce } from "./toast.js";

/** @import { Child } from "../core/dom.js" */
/** @import { EditForm } from "./edit-form.js" */
/**
 * What is edited in place, and how. `key` is its name, `show(value)` renders it, `kind` is how it is edited (a line, due,
 * richtext, choice, choices or checkbox), `choices()` returns what can be chosen, `tools` are the options of loadTextTools.
 * An emptied line that `isRequired` keeps its text. `change()` changes the value in place of `open.edit()`.
 * @typedef {{open: any, key: string, label: string, kind: string, show: (value: any) => Child,
 *   choices?: () => {value: any, label: string, mark?: Child}[], maxLength?: number, tools?: any, isRequired?: boolean,
 *   may?: boolean, change?: (key: string, value: any, seen: any) => Promise<unknown>}} EditOptions
 */
/**
 * An edit from its beginning to its end: the value when it began, its form if it has one, and what of it was sent last.
 * @typedef {{seen: any, form: EditForm | null, sent?: any}} Session
 */
/** @typedef {"view" | "editing" | "saving" | "conflict"} State */

/** Somebody else changed the same value; `theirs` is the current one. */
export class EditConflict extends Error {
  constructor(theirs) {
    super("Somebody changed the same thing meanwhile.");
    this.theirs = theirs;
  }
}

const SELECTION_PIXELS_MIN = 4; // that the pointer moves while it selects text, which is no click

/**
 * The transitions: from which states each leads to another one. It has no effect in other states: what is being sent is not sent
 * again when its field loses the focus, and a second click does not begin an edit again.
 */
const TRANSITIONS = {
  __proto__: null,
  edit: { from: ["view"], to: "editing" },
  submit: { from: ["editing"], to: "saving" },
  choose: { from: ["view", "saving"], to: "saving" }, // without a form: choices and checkboxes are sent at once
  cancel: { from: ["editing", "saving"], to: "view" },
  saved: { from: ["saving"], to: "view" },
  corrected: { from: ["saving"], to: "editing" }, // what is in the form was refused, or has been changed meanwhile
  refused: { from: ["saving"], to: "view" }, // the service has refused a choice
  differs: { from: ["saving"], to: "conflict" }, // somebody else has changed the value
  keep: { from: ["conflict"], to: "saving" },
  take: { from: ["conflict"], to: "view" }
};

let editForm = null; // the module of forms, once it is loaded

/** Load the form of a kind of values. It is loaded apart, so that values are shown at once. */
export async function loadEditForm(kind) {
  editForm ??= await import("./edit-form.js");
  await editForm.loadInput(kind);
}

/** A value that is edited in place: `element` shows it, `update()` draws it again when the card has changed. */
export class InlineEdit {
  /** @type {State} */
  state = "view";
  /** @type {Session | null} */
  session = null; // none in the state view
  /** @type {string | null} */
  drawn = null; // what the text that is shown was drawn from, if it has several lines
  problem = ""; // why the last change was refused, until the value is edited again

  /** @param {EditOptions} options */
  constructor(options) {
    const change = (...edit) => options.open.edit(...edit);
    this.options = { may: true, isRequired: false, change, ...options };
    this.isText = options.kind === "richtext"; // of several lines
    this.element = h("div", { class: `editable ${this.isText ? "block" : ""}` });
    this.update();
  }

  /** The value as the card has it. */
  get value() {
    return this.options.open.value(this.options.key);
  }

  /**
   * Follow a transition; return false if the state does not have it.
   * @param {Exclude<keyof typeof TRANSITIONS, "__proto__">} name
   */
  follow(name) {
    const { from, to } = TRANSITIONS[name];
    if (!from.includes(this.state)) return false;
    this.state = /** @type {State} */ (to);
    if (to === "view") this.session = null;
    else this.problem = "";
    return true;
  }

  // Transitions

  /** Begin to edit the value: by a form, by a menu beside the button that was pressed, or at once. */
  async begin(button) {
    const { kind } = this.options;
    const seen = this.value;
    if (kind === "choice") return this.openChoices(button, seen);
    if (kind === "checkbox") return this.choose(seen === "true" ? "false" : "true", seen);
    await suspendShortcuts(loadEditForm(kind));
    if (!this.follow("edit")) return; // after a second click
    this.session = { seen: this.value, form: null };
    this.showForm(this.value);
  }

  /** Send a choice at once. */
  async choose(value, seen) {
    if (!this.follow("choose")) return;
    this.session = { seen, form: null };
    await this.send(value);
  }

  /** Send what is in the form, after its pictures. */
  async submit() {
    if (!this.follow("submit")) return;
    const { session } = this;
    await session.form.settle();
    session.form.isChanged = false;
    const value = await session.form.value();
    if (this.session !== session) return; // cancelled meanwhile
    if (value === undefined) return void this.follow("corrected");
    session.sent = value;
    await this.send(value);
  }

  /** Stop editing. A draft stays. */
  cancel() {
    if (this.follow("cancel")) this.update();
  }

  /** Stop editing a value that is saved, unless it is being edited again. */
  finish(session) {
    const isOver = this.session !== session; // cancelled meanwhile
    if (isOver && this.state !== "view") return;
    session.form?.draft?.forget();
    this.follow("saved");
    this.update();
  }

  /** Edit on what was typed while the value was being sent. A line that was left meanwhile is sent at once. */
  editOn(session, saved) {
    session.seen = saved;
    session.form.draft?.rebase(saved);
    this.follow("corrected");
    if (session.form.isLine && !this.element.contains(document.activeElement)) this.submit();
  }

  /** Edit on after an error. The field that is removed loses the focus, which submits nothing in the state saving. */
  correct(value, error) {
    this.showForm(value, this.options.open.errorText(error));
    query(this.element, "input, textarea")?.setAttribute("autofocus", ""); // it gets the focus once the sign-in is over
    this.follow("corrected");
  }

  /** Let the user choose between two values. */
  differ(mine, theirs, renderConflict) {
    const { session } = this;
    session.seen = theirs;
    this.follow("differs");
    const keep = () => this.follow("keep") && this.send(mine);
    const take = () => this.follow("take") && this.finish(session);
    const { element, focus } = renderConflict(this.options.label, { mine, theirs, keep, take });
    this.show(element);
    focus();
  }

  // Sending

  /** Send a value in the state saving, unless it is the one that was seen, and follow what the service answers. */
  async send(value) {
    const { session } = this;
    const { label, key, kind, change } = this.options;
    if (isSame(value, session.seen, kind)) return this.finish(session);
    try {
      const saved = await change(key, value, session.seen);
      announce(`${label} saved.`);
      if (this.session !== session || !session.form?.isChanged) this.finish(session);
      else this.editOn(session, value === session.sent ? saved : session.sent); // the form lacks ticks that were merged
    } catch (error) {
      const current = await this.readForm(session, value);
      if (error instanceof EditConflict && this.session === session) await this.resolve(current, error);
      else this.handleError(session, current, error);
    }
  }

  /** Return what is in the form after an error: what was sent, or what was typed since then if the input accepts that. */
  async readForm(session, value) {
    const current = session.form?.isChanged ? await session.form.value() : undefined;
    if (current === undefined) return value;
    session.form.isChanged = false;
    session.sent = current;
    return current;
  }

  handleError(session, value, error) {
    if (this.session === session && session.form) return this.correct(value, error);
    if (this.session === session) this.follow("refused");
    this.showProblem(error);
  }

  /** Save a text with the ticks of others that came meanwhile; after other changes, show both. */
  async resolve(mine, error) {
    const { session } = this;
    const module = await import("./edit-conflict.js").catch(() => null);
    if (!module || this.session !== session) return this.handleError(session, mine, error);
    const { theirs } = error;
    const merged = this.isText ? module.mergeTicks(session.seen, mine, theirs) : null;
    if (merged === null) return this.differ(mine, theirs, module.renderConflict);
    session.seen = theirs;
    await this.send(merged);
  }

  openChoices(anchor, seen) {
    const { label, choices } = this.options;
    const items = choices().map(({ value, label: caption, mark }) => ({
      label: caption,
      mark,
      checked: (seen ?? null) === value,
      run: () => this.choose(value, seen)
    }));
    openChoiceMenu(anchor, { label, items: [{ head: label }, ...items] });
  }

  // Drawing

  /** Draw the value again, unless it is being edited. What is selected in a text, and the focus, stay where they are. */
  update() {
    const { element } = this;
    const content = this.isText && this.describeContent();
    if (this.state !== "view" || (content && content === this.drawn)) return;
    const hadFocus = element.contains(document.activeElement);
    const isFocused = (part) => part === document.activeElement;
    const box = queryAll(element, "input").findIndex(isFocused); // of a checklist
    const part = queryAll(element, ":scope > *").findIndex(isFocused);
    this.draw();
    if (this.problem) this.drawProblem();
    this.drawn = content || null;
    const next = queryAll(element, "input")[box] ?? queryAll(element, ":scope > *")[part] ?? query(element, ":scope > button");
    if (hadFocus) next?.focus({ preventScroll: true });
  }

  /** Return what a rendered text depends on: also its mentions, and the ticks that are being sent. */
  describeContent() {
    const { open } = this.options;
    return JSON.stringify([this.value, open.card.mentions, [...(open.ticks ?? [])]]);
  }

  draw() {
    const { element, options } = this;
    const content = this.drawValue();
    if (!options.may) return replaceChildren(element, h("div.value", { dir: "auto" }, content));
    if (this.isText) return replaceChildren(element, this.renderText(content), this.renderEditButton());
    const click = ({ currentTarget }) => this.begin(currentTarget);
    const button = query(element, ":scope > button") ?? h("button.value", { dir: "auto", click });
    setAttribute(button, "aria-label", `${options.label}: ${this.describeValue()}`);
    replaceChildren(element, replaceChildren(button, content)); // the button stays: an open menu returns the focus to it
  }

  /** Return the value as it is shown; one that cannot be shown can be changed all the same. */
  drawValue() {
    return drawPart("This value", () => this.options.show(this.value));
  }

  /** Return a text that a click or Enter edits; its links, buttons and checkboxes keep their own. */
  renderText(content) {
    let pressed = { x: 0, y: 0 };
    const pointerdown = (event) => (pressed = event);
    const click = ({ x, y, target }) => {
      const isSelecting = Math.hypot(x - pressed.x, y - pressed.y) > SELECTION_PIXELS_MIN;
      if (!isSelecting && !target.closest("a, button, input, label, summary")) this.begin();
    };
    const keydown = (event) => {
      if (event.key === "Enter" && event.target === event.currentTarget) (event.preventDefault(), this.begin());
    };
    const attributes = { role: "group", "aria-label": this.options.label, "aria-keyshortcuts": "Enter", tabindex: "0" };
    return h("div.value", { dir: "auto", ...attributes, pointerdown, click, keydown }, content);
  }

  renderEditButton() {
    const { open, key, label } = this.options;
    const caption = hasDraft(open.id, key) ? "Edit draft" : this.value ? "Edit" : "Write";
    const attributes = { class: "plain-button edit", "aria-label": `${caption.replace("draft", "draft of")} ${label}` };
    return h("button", { ...attributes, click: () => this.begin() }, caption);
  }

  describeValue() {
    const { value } = this;
    return (Array.isArray(value) ? value.join(", ") : h("div", this.drawValue()).textContent) || "none";
  }

  showForm(value, problem = "") {
    const { session } = this;
    const handlers = { submit: () => this.submit(), cancel: () => this.cancel() };
    session.form = editForm.createEditForm(this.options, value, { saved: session.seen, problem, ...handlers });
    this.show(session.form.element);
    session.form.focus();
  }

  /** Show something else in the place of the value. */
  show(content) {
    this.drawn = null;
    replaceChildren(this.element, content);
  }

  /** Show below the value why it was not changed, until it is edited again. */
  showProblem(error) {
    this.problem = this.options.open.errorText(error);
    this.drawn = null;
    if (this.state === "view") this.update();
    else this.drawProblem(); // the value is being edited again
  }

  drawProblem() {
    appendChildren(this.element, [h("p.problem.small", { role: "alert" }, this.problem)]);
  }
}

/** Return whether two values of a kind are the same: no value is an empty list, and dates have no time. */
function isSame(first, second, kind) {
  const normalize = (value) => {
    if (kind === "date") return value?.slice(0, 10) ?? null;
    return Array.isArray(value) && !value.length ? null : (value ?? null);
  };
  return JSON.stringify(normalize(first)) === JSON.stringify(normalize(second));
}
