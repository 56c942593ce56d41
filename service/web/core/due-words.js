// Due dates in natural words: "tomorrow", "fri 14:00", "in 2 weeks", "24 Dec", "12.3.", "2026-12-24".

import { toLatinDigits } from "./digits.js";
import { isDay, today } from "./format.js";

const DAY = 86_400_000;
const YEARS_SEARCHED = 8; // for the next 29 February
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const MONTHS = [
  ...["january", "february", "march", "april", "may", "june"],
  ...["july", "august", "september", "october", "november", "december"]
];
const LETTERS_MIN = 3; // of an English name
const NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const FILLERS = new Set(["of", "the", "de"]);
const CLOCK = String.raw`(?:at )?(\d{1,2})(?::(\d{2}))? ?([ap]m)?`;
const CLOCKS = [new RegExp(`(?:^| )${CLOCK}$`), new RegExp(`^${CLOCK}(?: |$)`)];

/**
 * Return the due date that a text means: a day ("2026-12-04"), or a moment if it has a time; null if it is not understood.
 * Days are those of the organization, times those of the browser; `locale` has the order of numbers and further names.
 */
export function parseDueWords(text, now, locale = navigator.language) {
  const words = fold(text)
    .replace(/[,،]/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^(on|by) /, "");
  const clock = CLOCKS.map((pattern) => pattern.exec(words)).find((found) => found && (found[2] || found[3]));
  if (!clock) return parseDay(words, today(now), locale);
  const time = parseTime(clock);
  const rest = words.replace(clock[0], " ").trim();
  if (!time) return null;
  if (!rest) return nextMoment(time, now);
  const day = parseDay(rest, today(now), locale);
  return day && toMoment(day, time);
}

/** Format a due date in full as the browser's language has it, a moment in the zone of the browser: Fri, Dec 4, 2026, 2:00 PM. */
export function formatDueInFull(due, locale = navigator.language) {
  /** @type {Intl.DateTimeFormatOptions} */
  const day = { weekday: "short", day: "numeric", month: "short", year: "numeric" };
  /** @type {Intl.DateTimeFormatOptions} */
  const time = { hour: "numeric", minute: "2-digit" };
  if (isDay(due)) return new Date(`${due}T12:00`).toLocaleDateString(locale, day);
  return new Date(due).toLocaleString(locale, { ...day, ...time });
}

/** Return a text in small letters without marks, with the digits 0 to 9 for Arabic and Persian ones. */
function fold(text) {
  const letters = text.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "");
  return toLatinDigits(letters);
}

/**
 * Return a time as 14:00, or null if there is no such time.
 * @param {RegExpExecArray} found by CLOCK
 */
function parseTime([, hourDigits, minutes = "00", half]) {
  const hours = Number(hourDigits);
  const isValid = half ? hours >= 1 && hours <= 12 : hours <= 23;
  if (!isValid || Number(minutes) > 59) return null;
  const hour = half ? (hours % 12) + (half === "pm" ? 12 : 0) : hours;
  return `${String(hour).padStart(2, "0")}:${minutes}`;
}

const toMoment = (day, time) => new Date(`${day}T${time}`).toISOString();

/** Return the next moment with a time; the day of the browser may be the one before or after that of the organization. */
function nextMoment(time, now) {
  const moments = [-1, 0, 1, 2].map((days) => toMoment(addDays(today(now), days), time));
  return moments.find((moment) => Date.parse(moment) > now);
}

function parseDay(words, start, locale) {
  return (
    parseRelative(words, start) ??
    parseWeekday(words, start, locale) ??
    parseNumbers(words, start, locale) ??
    parseMonth(words, start, locale) ??
    parseDated(words, start, locale)
  );
}

/** Return a day behind its weekday, as the page writes it: Fri 4 Dec 2026. Null if the weekday is not that of the day. */
function parseDated(words, start, locale) {
  const [, name, rest] = /^(\S+) (.*\d.*)$/.exec(words) ?? [];
  const weekday = name ? namesOf(locale).weekday(name) : -1;
  const day = weekday < 0 ? null : (parseNumbers(rest, start, locale) ?? parseMonth(rest, start, locale));
  return day && new Date(day).getUTCDay() === weekday ? day : null;
}

function parseRelative(words, start) {
  const near = ["today", "tomorrow"].indexOf(words);
  if (near >= 0) return addDays(start, near);
  if (words === "next week") return addDays(start, 7);
  const [, amount, unit] = /^in (\d{1,3}|[a-z]+) (day|week|month|year)s?$/.exec(words) ?? [];
  const count = /^an?$/.test(amount) ? 1 : Number(amount) || NUMBERS.indexOf(amount) + 1;
  if (!count) return null;
  if (unit === "day" || unit === "week") return addDays(start, count * (unit === "week" ? 7 : 1));
  return addMonths(start, count * (unit === "year" ? 12 : 1));
}

/** Return the next such weekday, never the same day. */
function parseWeekday(words, start, locale) {
  const weekday = namesOf(locale).weekday(words);
  if (weekday < 0) return null;
  return addDays(start, ((weekday - new Date(start).getUTCDay() + 6) % 7) + 1);
}

function parseNumbers(words, start, locale) {
  const compact = words.replace(/\. (?=\d)/g, ".");
  const whole = /^(\d{4})([-./])(\d{1,2})\2(\d{1,2})\.?$/.exec(compact);
  if (whole) return toDay(whole[1], whole[3], whole[4]);
  const found = /^(\d{1,2})([-./])(\d{1,2})(?:\2(\d{4}|\d{2}))?\.?$/.exec(compact);
  if (!found) return null;
  const [, first, , second, year] = found;
  const [day, month] = namesOf(locale).isDayFirst ? [first, second] : [second, first];
  return findDay(year, month, day, start);
}

/** Return a day whose month is named: 4 Dec, December 4th, 4. Dezember 2026. */
function parseMonth(words, start, locale) {
  const parts = words.split(" ").filter((word) => !FILLERS.has(word));
  const at = parts.findIndex((word) => namesOf(locale).month(word) >= 0);
  if (at < 0 || at > 1 || parts.length > 3) return null;
  const month = namesOf(locale).month(parts[at]) + 1;
  const [day, year] = parts.filter((_, place) => place !== at).map((word) => word.replace(/(\d)(st|nd|rd|th|\.)$/, "$1"));
  return /^\d{1,2}$/.test(day) && /^(\d{2}|\d{4})?$/.test(year ?? "") ? findDay(year, month, day, start) : null;
}

/** Return the day of a year, or without one the next such day, today included. */
function findDay(year, month, day, start) {
  if (year) return toDay(year.length === 2 ? `20${year}` : year, month, day);
  const first = Number(start.slice(0, 4));
  const years = Array.from({ length: YEARS_SEARCHED + 1 }, (_, more) => first + more);
  return years.map((candidate) => toDay(candidate, month, day)).find((found) => found >= start) ?? null;
}

/** Return year, month and day as 2026-12-04, or null if there is no such day. */
function toDay(year, month, day) {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isSame = date.getUTCFullYear() === Number(year) && date.getUTCMonth() === month - 1;
  return isSame && date.getUTCDate() === Number(day) ? date.toISOString().slice(0, 10) : null;
}

const addDays = (day, count) => new Date(Date.parse(day) + count * DAY).toISOString().slice(0, 10);

/** Return the same day of a later month, or the last day of that month. */
function addMonths(day, count) {
  const [year, month, date] = day.split("-").map(Number);
  const last = new Date(Date.UTC(year, month + count, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + count, Math.min(date, last))).toISOString().slice(0, 10);
}

const known = new Map(); // locale -> its names

/** Return functions that find a weekday and a month by their names, in English or in a language, and the order of numbers. */
function namesOf(locale) {
  if (known.has(locale)) return known.get(locale);
  const sundayFirst = WEEKDAYS.map((_, at) => Date.UTC(2023, 0, 1 + at));
  const weekdays = localNames(locale, "weekday", sundayFirst);
  const months = localNames(
    locale,
    "month",
    MONTHS.map((_, at) => Date.UTC(2023, at, 15))
  );
  const order = new Intl.DateTimeFormat(locale, { dateStyle: "short" }).formatToParts(0).map(({ type }) => type);
  const names = {
    weekday: (word) => weekdays.get(trimDot(word)) ?? findEnglish(WEEKDAYS, trimDot(word)),
    month: (word) => months.get(trimDot(word)) ?? findEnglish(MONTHS, trimDot(word)),
    isDayFirst: order.indexOf("day") < order.indexOf("month")
  };
  known.set(locale, names);
  return names;
}

const trimDot = (word) => word.replace(/\.$/, "");

/** Return the places of the names of some dates, "weekday" or "month": long and short, alone and beside a day. */
function localNames(locale, kind, dates) {
  const names = new Map();
  for (const options of [{ [kind]: "short" }, { [kind]: "long" }].flatMap((width) => [width, { ...width, day: "numeric" }])) {
    const format = new Intl.DateTimeFormat(locale, { ...options, calendar: "gregory", timeZone: "UTC" });
    dates.forEach((date, at) => {
      const name = format.formatToParts(date).find(({ type }) => type === kind)?.value ?? "";
      if (name && !/\d/.test(name)) names.set(trimDot(fold(name)), at);
    });
  }
  return names;
}

/** Return the place of an English name, also of its beginning. */
function findEnglish(names, word) {
  return word.length < LETTERS_MIN ? -1 : names.findIndex((name) => name.startsWith(word));
}
