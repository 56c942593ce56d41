// Avatars: users are round with initials, agents are square with a unique badge.

import { h } from "../core/dom.js";
import { guard } from "../core/guard.js";

/** Return the initials of a user: the first letters of the first and the last word. */
function initials(name) {
  const words = name.trim().split(/\s+/);
  const letters =
    words.length > 1 ? firstLetters(words[0]) + firstLetters(words[words.length - 1]) : firstLetters(name.trim(), 2);
  return letters.toUpperCase() || "?";
}

function firstLetters(word, count = 1) {
  return [...word].slice(0, count).join("");
}

/** Return a unique badge for each agent: B1 for a numbered one, else two letters. */
export function agentBadges(agents) {
  const badges = new Map();
  const used = new Set();
  for (const { id, title } of agents) {
    const candidates = guard(
      () => badgeCandidates(title),
      () => ["?"]
    );
    const badge = candidates.find((candidate) => !used.has(candidate)) ?? candidates[0];
    used.add(badge);
    badges.set(id, badge);
  }
  return badges;
}

const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

function badgeCandidates(title) {
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

/** Return the avatar of a user. */
export function userAvatar(name, large = false) {
  return h("span", { class: large ? "avatar large" : "avatar", title: name, "aria-hidden": "true" }, initials(name));
}

/** Return the avatar of an agent with its badge; a removed one gets a badge made of its name. */
export function agentAvatar(badge, title, large = false) {
  const text = badge ?? badgeCandidates(title)[0];
  return h("span", { class: large ? "avatar agent large" : "avatar agent", title, "aria-hidden": "true" }, text);
}
