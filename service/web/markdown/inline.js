// Inline Markdown: links, pictures, code, escapes, entities.

import { createElement as h, setAttribute } from "../core/dom.js"; // with dir="auto", Chromium takes quadratic time
import { SIGNS, WORD } from "../core/words.js";
import { addDelimiters, resolveEmphasis } from "./emphasis.js";

const DEEPEST = 32; // nested parentheses in an address
const LONGEST_LINK = 2000; // characters of an address, or of its title
const PLAIN = /[^\\`*_~[\]<&\nh]+/y;
// An address ends before a blank or punctuation that is not ASCII; service/text/addresses.py has the same rule.
const BARE = new RegExp(`https?:\\/\\/(?:[!-;=?-~]|[^\\0-\\x7f\\s\\p{P}${SIGNS}]){1,2000}`, "uy");
const IN_WORD = new RegExp(`(?:${WORD}|_)$`, "u");
const ESCAPED = /[!-/:-@[-`{-~]/;
const SPACE = /\s/u;
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|nbsp|copy|hellip|mdash|ndash));/y;
const NAMED = {
  __proto__: null,
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  nbsp: "\u00a0",
  copy: "©",
  hellip: "…",
  mdash: "—",
  ndash: "–"
};
const SAFE = /^(?:https?:\/\/|mailto:)[^\s]/i;
const FILE = /^file:([\w-]{1,100})$/; // the address of a picture: a file of the service, by its id

/** Render the text of a paragraph, heading or cell as nodes and strings. */
export function renderInline(text) {
  const state = { text, at: 0, first: null, last: null, badges: null, brackets: [], dead: 0, ticks: null };
  while (state.at < text.length) step(state);
  resolveEmphasis(state, null);
  const nodes = [];
  for (let part = state.first; part; part = part.next) nodes.push(part.node ?? part.text);
  return nodes;
}

function step(state) {
  const { text } = state;
  PLAIN.lastIndex = state.at;
  const plain = PLAIN.exec(text);
  if (plain) {
    state.at = PLAIN.lastIndex;
    put(state, { text: plain[0] });
    return;
  }
  const character = text[state.at];
  if (character === "\\") escape(state);
  else if (character === "`") code(state);
  else if (character === "*" || character === "_" || character === "~") delimiters(state, character);
  else if (character === "[") open(state);
  else if (character === "]") close(state);
  else if (character === "<") autolink(state);
  else if (character === "&") entity(state);
  else if (character === "\n") newline(state);
  else bare(state);
}

function put(state, part) {
  part.previous = state.last;
  part.next = null;
  if (state.last) state.last.next = part;
  else state.first = part;
  state.last = part;
  return part;
}

function literal(state, length = 1) {
  put(state, { text: state.text.substr(state.at, length) });
  state.at += length;
}

function escape(state) {
  const next = state.text[state.at + 1];
  if (next === "\n") {
    put(state, { node: h("br") });
    put(state, { text: "\n" });
    skipIndent(state, 2);
  } else if (next && ESCAPED.test(next)) {
    put(state, { text: next, isEscaped: true });
    state.at += 2;
  } else {
    literal(state);
  }
}

/** Every newline is a line break, since people write comments line by line. */
function newline(state) {
  const text = state.last?.text ?? "";
  let end = text.length;
  while (text[end - 1] === " ") end -= 1;
  if (end < text.length) state.last.text = text.slice(0, end);
  put(state, { node: h("br") });
  put(state, { text: "\n" });
  skipIndent(state, 1);
}

function skipIndent(state, length) {
  state.at += length;
  while (state.text[state.at] === " " || state.text[state.at] === "\t") state.at += 1;
}

function run(state, character) {
  let end = state.at;
  while (state.text[end] === character) end += 1;
  return end - state.at;
}

function code(state) {
  const length = run(state, "`");
  state.ticks ??= tickRuns(state.text);
  const ends = state.ticks.get(length) ?? [];
  while (ends.length && ends[ends.length - 1] < state.at + length) ends.pop();
  if (!ends.length) return literal(state, length);
  const end = ends[ends.length - 1];
  let content = state.text.slice(state.at + length, end).replaceAll("\n", " ");
  if (/^ .*[^ ].* $/.test(content)) content = content.slice(1, -1);
  put(state, { node: h("code", content) });
  state.at = end + length;
}

/** Index all runs of backticks by length, the last first. */
function tickRuns(text) {
  const runs = new Map();
  for (const { 0: ticks, index } of text.matchAll(/`+/g)) {
    if (!runs.has(ticks.length)) runs.set(ticks.length, []);
    runs.get(ticks.length).push(index);
  }
  for (const ends of runs.values()) ends.reverse();
  return runs;
}

function entity(state) {
  ENTITY.lastIndex = state.at;
  const found = ENTITY.exec(state.text);
  if (!found) return literal(state);
  const number = found[1] ? Number(found[1]) : parseInt(found[2], 16);
  const isText = number > 0 && number <= 0x10ffff && !(number >= 0xd800 && number <= 0xdfff);
  put(state, { text: found[3] ? NAMED[found[3]] : isText ? String.fromCodePoint(number) : "\ufffd" });
  state.at += found[0].length;
}

function anchor(address) {
  return h("a", { href: address, target: "_blank", rel: "noopener noreferrer nofollow" });
}

function autolink(state) {
  const end = state.text.slice(state.at, state.at + LONGEST_LINK).search(/[>\s]/);
  const address = end > 1 ? state.text.slice(state.at + 1, state.at + end) : "";
  if (state.text[state.at + end] !== ">" || !SAFE.test(address) || address.includes("<")) return literal(state);
  const link = anchor(address);
  link.append(address);
  put(state, { node: link });
  state.at += end + 1;
}

function bare(state) {
  BARE.lastIndex = state.at;
  const before = state.text.slice(Math.max(0, state.at - 2), state.at);
  const found = IN_WORD.test(before) || state.brackets.length ? null : BARE.exec(state.text);
  if (!found) return literal(state);
  if (found[0].length > LONGEST_LINK) return literal(state, found[0].length);
  let address = found[0].replace(/[.,;:!?'"*_~]{1,50}$/, "");
  while (address.endsWith(")") && !address.includes("(")) address = address.slice(0, -1);
  const link = anchor(address);
  link.append(address);
  put(state, { node: link });
  state.at += address.length;
}

function delimiters(state, character) {
  const count = run(state, character);
  if (character === "~" && count !== 2) return literal(state, count);
  addDelimiters(state, character, count, put(state, { text: character.repeat(count) }));
  state.at += count;
}

function open(state) {
  const part = put(state, { text: "[" });
  state.brackets.push({ part, badges: state.badges });
  state.at += 1;
}

function close(state) {
  const bracket = state.brackets.pop();
  const isDead = state.brackets.length < state.dead; // links cannot be nested; the outer one is plain text
  state.dead = Math.min(state.dead, state.brackets.length);
  const target = bracket && !isDead ? destination(state.text, state.at + 1) : null;
  const file = target && FILE.exec(target.address);
  if (!target || (file && !isPicture(bracket.part))) return literal(state);
  resolveEmphasis(state, bracket.badges);
  const picture = file && h("img", { "data-file": file[1] });
  const element = picture ?? anchor(target.address);
  setAttribute(element, "title", target.title || null);
  const inside = [];
  for (let part = bracket.part.next; part; part = part.next) inside.push(part.node ?? part.text);
  if (picture) setAttribute(picture, "alt", inside.map((node) => node.textContent ?? node).join(""));
  else element.append(...inside);
  const before = bracket.part.previous;
  if (file) before.text = before.text.slice(0, -1); // the exclamation mark
  state.last = before;
  if (before) before.next = null;
  else state.first = null;
  put(state, { node: element });
  if (!file) state.dead = state.brackets.length;
  state.at = target.end;
}

/** Return whether a bracket begins a picture, by the exclamation mark before it. */
function isPicture({ previous }) {
  return Boolean(previous?.text?.endsWith("!") && !previous.isEscaped);
}

/** Parse "(address "title")" at a position: {address, title, end}, or null. */
function destination(text, at) {
  if (text[at] !== "(") return null;
  let begin = blank(text, at + 1);
  let end = text[begin] === "<" ? until(text, begin + 1, /[<>\n]/) : balanced(text, begin);
  const isQuoted = text[begin] === "<";
  if (isQuoted && text[end] !== ">") return null;
  const address = text.slice(begin + isQuoted, end).replace(/\\([!-/:-@[-`{-~])/g, "$1");
  end = blank(text, end + isQuoted);
  begin = end + 1;
  const isTitled = (text[end] === '"' || text[end] === "'") && SPACE.test(text[end - 1]);
  if (isTitled) end = until(text, begin, text[end] === '"' ? /"/ : /'/);
  const title = isTitled ? text.slice(begin, end) : "";
  if (isTitled) end = blank(text, end + 1);
  const isKnown = SAFE.test(address) || FILE.test(address);
  return text[end] === ")" && isKnown ? { address, title, end: end + 1 } : null;
}

function blank(text, at) {
  while (at < text.length && SPACE.test(text[at])) at += 1;
  return at;
}

function until(text, at, pattern) {
  const length = text.slice(at, at + LONGEST_LINK).search(pattern);
  return length < 0 ? text.length : at + length;
}

/** Find the end of an address: a space, or an unmatched closing parenthesis. */
function balanced(text, at) {
  const last = Math.min(text.length, at + LONGEST_LINK);
  for (let depth = 0; at < last && !SPACE.test(text[at]); at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "(" && (depth += 1) > DEEPEST) return text.length;
    else if (text[at] === ")" && (depth -= 1) < 0) return at;
  }
  return at;
}
