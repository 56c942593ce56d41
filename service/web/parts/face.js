// Faces: people are round with initials, agents are square with letters that no other agent of the organization has.

import { h } from "../core/dom.js";

/** Give the initials of a person: the first letters of the first and the last word. */
export function initials(name) {
  const words = name.trim().split(/\s+/);
  const letters = words.length > 1 ? first(words[0]) + first(words[words.length - 1]) : first(name.trim(), 2);
  return letters.toUpperCase() || "?";
}

function first(word, count = 1) {
  return [...word].slice(0, count).join("");
}

/** Give each agent letters of its own: B1 for a numbered one, else two letters that no other one has. */
export function agentMarks(agents) {
  const marks = new Map();
  const taken = new Set();
  for (const { id, title } of agents) {
    const mark = candidates(title).find((candidate) => !taken.has(candidate)) ?? candidates(title)[0];
    taken.add(mark);
    marks.set(id, mark);
  }
  return marks;
}

const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

function candidates(title) {
  const letters = [...title.replace(/[^\p{L}\p{N}]/gu, "")];
  const begin = (letters[0] ?? "?").toUpperCase();
  const last = title
    .trim()
    .split(/[\s_.:@-]+/)
    .pop()
    .toLowerCase();
  const number = NUMBERS.indexOf(last) >= 0 ? String(NUMBERS.indexOf(last)) : /\d{1,2}$/.exec(title)?.[0];
  const pairs = letters.slice(1).map((letter) => begin + letter.toLowerCase());
  return [...(number ? [begin + number] : []), ...pairs, begin, ...[..."23456789"].map((digit) => begin + digit)];
}

/** Draw a person. */
export function personFace(name, large = false) {
  return h("span", { class: large ? "face large" : "face", title: name, "aria-hidden": "true" }, initials(name));
}

/** Draw an agent by its mark, one that is gone by its name. */
export function agentFace(mark, title, large = false) {
  const shown = mark ?? candidates(title)[0];
  return h("span", { class: large ? "face agent large" : "face agent", title, "aria-hidden": "true" }, shown);
}
