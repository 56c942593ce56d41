// Times, counts and lists as text. Dates and numbers have the form of the browser's language.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ENDLESS = 400 * DAY; // during a freeze, leases expire in the far future

/** Format how long ago something was: now, 4 m, 3 h, 2 d, 5 w. */
export function formatAge(from, now) {
  const passed = now - Date.parse(from);
  if (passed < MINUTE) return "now";
  if (passed < HOUR) return `${formatNumber(Math.floor(passed / MINUTE))} m`;
  if (passed < DAY) return `${formatNumber(Math.floor(passed / HOUR))} h`;
  if (passed < 14 * DAY) return `${formatNumber(Math.floor(passed / DAY))} d`;
  return `${formatNumber(Math.floor(passed / (7 * DAY)))} w`;
}

/** Format the time left of a claim: 4:58, 1:02:03, or "paused" during a freeze. */
export function formatTimeLeft(milliseconds) {
  if (milliseconds > ENDLESS) return "paused";
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (number) => twoDigits.format(number);
  return hours ? `${formatNumber(hours)}:${two(minutes)}:${two(rest)}` : `${formatNumber(minutes)}:${two(rest)}`;
}

// Due dates as one text: 2026-11-30 is a day, a timestamp is a moment.

let days = null; // formats the days of the organization's time zone
let latest = {}; // the day of the latest time

/** Set the time zone in which days begin and end. */
export function setTimeZone(timeZone) {
  latest = {};
  try {
    days = new Intl.DateTimeFormat("sv", { timeZone }); // as 2026-11-30
  } catch {
    days = new Intl.DateTimeFormat("sv", { timeZone: "UTC" }); // this browser does not know the zone
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

/** Return the day of a due date in the time zone of the organization. */
export function dayOf(due) {
  return isDay(due) ? due : days.format(Date.parse(due));
}

/** Return the number of days from today to a due date, in the time zone of the organization. */
export function daysUntil(due, now) {
  return (Date.parse(dayOf(due)) - Date.parse(today(now))) / DAY;
}

/** Format a due date, with its state: "late", "soon" or ""; a met one (`isMet`) has none. */
export function describeDueDate(due, now, isMet) {
  if (isMet) return { text: formatDueDate(due, now), state: "" };
  if (!isOverdue(due, now)) return { text: formatDueDate(due, now), state: daysUntil(due, now) < 2 ? "soon" : "" };
  const late = isDay(due) ? -daysUntil(due, now) : Math.floor((now - Date.parse(due)) / DAY);
  return { text: late ? `${formatNumber(late)} d late` : "late", state: "late" };
}

/** Format the day of a due date, of a moment in the zone of the browser: Nov 27, with the year if it is not this one. */
export function formatDueDate(due, now) {
  const date = new Date(isDay(due) ? `${due}T12:00` : due);
  const year = date.getFullYear() === new Date(now).getFullYear() ? undefined : "numeric";
  return date.toLocaleDateString(undefined, { month: "short", day: "numeric", year });
}

/** Format a day that is written as 2026-11-30: Nov 30, 2026. */
export function formatDay(day) {
  return new Date(`${day}T12:00`).toLocaleDateString(undefined, { year: "numeric", month: "short", day: "numeric" });
}

/** Return the current day in the time zone of the organization: 2026-11-30. */
export function today(now) {
  const minute = Math.floor(now / 60_000);
  if (latest.minute !== minute) latest = { minute, day: days.format(now) };
  return latest.day;
}

/** Format date and time in the time zone of the browser. */
export function formatDateTime(date) {
  return new Date(date).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

const DIGITS_MAX = 20; // after the decimal point
const twoDigits = new Intl.NumberFormat(undefined, { minimumIntegerDigits: 2 });
const numbers = new Intl.NumberFormat(undefined, { maximumFractionDigits: DIGITS_MAX });

/** Format a number: 1,234.5. */
export function formatNumber(number) {
  return numbers.format(number);
}

/** Format a decimal number that is written as 1234.50, with all of its digits. */
export function formatDecimal(text) {
  const digits = text.split(".")[1]?.length ?? 0;
  if (digits > DIGITS_MAX) return text;
  return new Intl.NumberFormat(undefined, { minimumFractionDigits: digits, maximumFractionDigits: DIGITS_MAX }).format(text);
}

/** Format a number with its noun: 1 comment, 3 comments. */
export function formatCount(number, singular, plural = `${singular}s`) {
  return `${formatNumber(number)} ${number === 1 ? singular : plural}`;
}

const names = new Intl.Collator(undefined, { numeric: true });

/** Compare two names for a list: by the alphabet of the browser's language, and numbers in them by size. */
export function compareNames(one, other) {
  return names.compare(one, other);
}

/** Join names: A, B and C; with more than `limit`, the rest is counted. */
export function joinNames(names, limit = 3) {
  const all = names.map(isolate);
  if (all.length > limit + 1) return `${all.slice(0, limit).join(", ")} and ${formatNumber(all.length - limit)} more`;
  if (all.length < 2) return all.join("");
  return `${all.slice(0, -1).join(", ")} and ${all[all.length - 1]}`;
}

/** Letters of Hebrew, Arabic and other scripts from right to left. */
export const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * Isolate a text that has letters from right to left, so that the English text around it keeps its order. A mark before it
 * tells `dir="auto"`, which looks into isolated texts, that the whole goes from left to right.
 */
export function isolate(text) {
  return RIGHT_TO_LEFT.test(text) ? `\u200e\u2068${text}\u2069` : text;
}

/** Put a text in quotation marks. */
export function quote(text) {
  return `“${isolate(text)}”`;
}

/** Tag of a template literal with names and titles in it, each of which is isolated. */
export function phrase(strings, ...values) {
  return String.raw({ raw: strings }, ...values.map(isolate));
}

/** Truncate a text at a word boundary. */
export function truncate(text, limit = 80) {
  if (text.length <= limit) return text;
  const cut = text.slice(0, limit);
  const space = cut.lastIndexOf(" ");
  return `${space > limit / 2 ? cut.slice(0, space) : cut}…`;
}

const MIB = 1 << 20;
const GIB = 1 << 30;

/** Format a size in KiB, MiB or GiB. */
export function formatBytes(bytes) {
  if (bytes < MIB) return `${formatNumber(Math.ceil(bytes / 1024))} KiB`;
  const [unit, name] = bytes < GIB ? [MIB, "MiB"] : [GIB, "GiB"];
  return `${formatNumber(Math.round((bytes / unit) * 10) / 10)} ${name}`;
}
