// The input of a due date, which takes natural words.

import { serverNow } from "../../core/clock.js";
import { h, replaceChildren, setAttribute, setText } from "../../core/dom.js";
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
  const text = toText(due);
  const id = `due-${++inputCount}`;
  const field = h("input.input", { "aria-label": label, "aria-describedby": id, autocomplete: "off", input: describe });
  const meaning = h("span", { role: "status" });
  const problem = h("span.problem", { role: "alert" });
  const calendar = h("input.visually-hidden", { type: "date", tabindex: "-1", "aria-hidden": "true", change: pickDay });
  const open = h("button.plain-button", { "aria-label": "Calendar", title: "Calendar", click: openCalendar });
  const words = import("../../core/due-words.js");
  const choices = [...CHOICES.map((words) => choice(words, words)), due && choice("No due date", "")];
  replaceChildren(open, icon(CALENDAR_ICON));
  field.value = text;
  describe();

  /** A press keeps the focus in the field, since leaving it saves. */
  function choice(caption, words) {
    return smallButton(caption, () => submit(words), { mousedown: (event) => event.preventDefault() });
  }

  function submit(words) {
    field.value = words;
    field.form.requestSubmit();
  }

  function openCalendar() {
    calendar.value = text.slice(0, 10);
    calendar.focus(); // inside the form, which the focus does not leave
    calendar.showPicker();
  }

  function pickDay() {
    const [, time] = text.split(" ");
    if (calendar.value) submit(time ? `${calendar.value} ${time}` : calendar.value);
  }

  async function parse() {
    return field.value === text ? due : (await words).parseDueWords(field.value, serverNow());
  }

  /** Say what the text means; a text that is not finished needs no complaint. */
  async function describe() {
    const found = field.value.trim() ? await parse() : null;
    setText(meaning, found ? (await words).formatDueInFull(found) : EXAMPLES);
    setText(problem, "");
    setAttribute(field, "aria-invalid", null);
  }

  async function value() {
    if (!field.value.trim()) return null;
    const found = await parse();
    if (found) return found;
    setText(meaning, "");
    setText(problem, `${quote(field.value.trim())} is not a date that Tandem understands. ${EXAMPLES}`);
    setAttribute(field, "aria-invalid", "true");
    return undefined;
  }

  const hint = h("span.small.muted", { id }, meaning, problem);
  const element = h("span.due-input", h("span.row", field, calendar, open), hint, h("span.row.wrap", choices));
  return { element, focus: () => (field.focus(), field.select()), value };
}

/** Return a due date as a text that can be edited: 2026-12-04, or 2026-12-04 14:00 in the zone of the browser. */
function toText(due) {
  if (!due || isDay(due)) return due ?? "";
  const moment = new Date(due);
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16).replace("T", " ");
}
