// The input of a due date, which takes natural words.

import { serverNow } from "../../core/clock.js";
import { h, setAttribute, setText } from "../../core/dom.js";
import { isDay, quote } from "../../core/format.js";
import { icon } from "../../core/icons.js";
import { smallButton } from "../controls.js";

const CALENDAR_ICON = "M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v3M10.5 2v3";
const EXAMPLES = "For example “tomorrow”, “fri 14:00” or “24 Dec”.";
const CHOICES = ["Today", "Tomorrow", "Next week"];

let inputCount = 0;

/**
 * Create the input of a due date: {element, focus(), value()}. `value()` resolves to the due date, or to undefined if the text
 * is not understood, which the input says. A choice or a day of the calendar submits the form.
 */
export function createDueDateInput(label, due) {
  const input = new DueDateInput(label, due);
  const { element, field } = input;
  return { element, focus: () => (field.focus(), field.select()), value: () => input.read() };
}

class DueDateInput {
  words = import("../../core/due-words.js");
  meaning = h("span", { role: "status" });
  problem = h("span.problem", { role: "alert" });

  constructor(label, due) {
    this.due = due;
    this.text = toText(due);
    const id = `due-${++inputCount}`;
    const attributes = { "aria-label": label, "aria-describedby": id, autocomplete: "off", input: () => this.describe() };
    const calendar = { type: "date", tabindex: "-1", "aria-hidden": "true", change: () => this.pickDay() };
    this.field = h("input.input", attributes);
    this.calendar = h("input.visually-hidden", calendar);
    const row = h("span.row", this.field, this.calendar, this.renderCalendarButton());
    const hint = h("span.small.muted", { id }, this.meaning, this.problem);
    this.element = h("span.due-input", row, hint, h("span.row.wrap", this.renderChoices()));
    this.field.value = this.text;
    this.describe();
  }

  renderCalendarButton() {
    const attributes = { "aria-label": "Calendar", title: "Calendar", click: () => this.openCalendar() };
    return h("button.plain-button", attributes, icon(CALENDAR_ICON));
  }

  renderChoices() {
    const keepFocus = { mousedown: (event) => event.preventDefault() }; // leaving the field saves
    const choice = (caption, words) => smallButton(caption, () => this.submit(words), keepFocus);
    return [...CHOICES.map((words) => choice(words, words)), this.due && choice("No due date", "")];
  }

  submit(words) {
    this.field.value = words;
    this.field.form.requestSubmit();
  }

  openCalendar() {
    this.calendar.value = this.text.slice(0, 10);
    this.calendar.focus(); // inside the form, which the focus does not leave
    this.calendar.showPicker();
  }

  pickDay() {
    const [, time] = this.text.split(" ");
    const { value: day } = this.calendar;
    if (day) this.submit(time ? `${day} ${time}` : day);
  }

  async parse() {
    return this.field.value === this.text ? this.due : (await this.words).parseDueWords(this.field.value, serverNow());
  }

  /** Say what the text means; a text that is not finished needs no complaint. */
  async describe() {
    const found = this.field.value.trim() ? await this.parse() : null;
    this.show(found ? (await this.words).formatDueInFull(found) : EXAMPLES, "");
  }

  /** Return the due date, or undefined if the text is not understood. */
  async read() {
    const typed = this.field.value.trim();
    if (!typed) return null;
    const found = await this.parse();
    if (found) return found;
    this.show("", `${quote(typed)} is not a date that Tandem understands. ${EXAMPLES}`);
    return undefined;
  }

  show(meaning, problem) {
    setText(this.meaning, meaning);
    setText(this.problem, problem);
    setAttribute(this.field, "aria-invalid", problem ? "true" : null);
  }
}

/** Return a due date as a text that can be edited: 2026-12-04, or 2026-12-04 14:00 in the zone of the browser. */
function toText(due) {
  if (!due || isDay(due)) return due ?? "";
  const moment = new Date(due);
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16).replace("T", " ");
}
