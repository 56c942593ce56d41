// Due dates as one text: 2026-11-30 is a day, a timestamp is a moment.

const DAY = 86_400_000;
let days = null; // formats the days of the organization's time zone
let latest = {}; // the day of the latest time

/** Set the time zone in which days begin and end. */
export function setTimeZone(timeZone) {
  const options = { year: "numeric", month: "2-digit", day: "2-digit" };
  latest = {};
  try {
    days = new Intl.DateTimeFormat("sv", { ...options, timeZone });
  } catch {
    days = new Intl.DateTimeFormat("sv", { ...options, timeZone: "UTC" }); // a zone that this browser does not know
  }
}

setTimeZone("UTC");

/** Return the due date of a card. */
export function dueDateOf({ dueDate, dueAllDay }) {
  return dueDate && dueAllDay ? dueDate.slice(0, 10) : (dueDate ?? null);
}

/** Return whether a due date is a day. */
export function isDay(due) {
  return due.length === 10;
}

/** Return whether a due date has passed: a moment, or a day that has ended. */
export function isOverdue(due, now) {
  return isDay(due) ? due < today(now) : Date.parse(due) < now;
}

/** Return the number of days from today to a due date, in the time zone of the organization. */
export function daysUntil(due, now) {
  return (Date.parse(isDay(due) ? due : days.format(Date.parse(due))) - Date.parse(today(now))) / DAY;
}

/** Format a due date, with its state: "late", "soon" or "". */
export function describeDueDate(due, now) {
  if (!isOverdue(due, now)) return { text: formatDueDate(due, now), state: daysUntil(due, now) < 2 ? "soon" : "" };
  const late = isDay(due) ? -daysUntil(due, now) : Math.floor((now - Date.parse(due)) / DAY);
  return { text: late ? `${late} d late` : "late", state: "late" };
}

/** Format the day of a due date: Nov 27, with the year if it is not the current one. */
export function formatDueDate(due, now) {
  const timeZone = isDay(due) ? "UTC" : undefined; // a moment in the zone of the browser
  const year = new Date(due).toLocaleDateString("en", { year: "numeric", timeZone });
  const isThisYear = year === String(new Date(now).getFullYear());
  const options = { month: "short", day: "numeric", ...(isThisYear ? {} : { year: "numeric" }) };
  return new Date(due).toLocaleDateString("en", { ...options, timeZone });
}

/** Return the date and the time of a due date as inputs have them, a moment in the zone of the browser. */
export function toInputs(due) {
  if (!due || isDay(due)) return [due ?? "", ""];
  const moment = new Date(due);
  const local = new Date(moment - moment.getTimezoneOffset() * 60_000).toISOString();
  return [local.slice(0, 10), local.slice(11, 16)];
}

function today(now) {
  const minute = Math.floor(now / 60_000);
  if (latest.minute !== minute) latest = { minute, day: days.format(now) };
  return latest.day;
}
