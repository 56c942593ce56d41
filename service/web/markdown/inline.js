// Inline Markdown: links, pictures, code, comments, escapes, entities.

import { createElement as h, queryAll, setAttribute } from "../core/dom.js"; // with dir="auto", Chromium takes quadratic time
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
// At most 64 characters on each side of a point, so that every text takes linear time.
const EMAIL = new RegExp(
  `(?<!${WORD}|[.+_-])[A-Za-z0-9][\\w.+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\\.){1,8}[A-Za-z]{2,20}(?!${WORD}|[@-])`,
  "gu"
);
const BREAK = /<br *\/?>/iy;
const SAFE = /^(?:https?:\/\/|mailto:)[^\s]/i;
// The address of a file beside the text or of a part of it, which leads nowhere from here.
const RELATIVE = /^(?![a-z][a-z0-9+.-]*:)[!-?A-~\u0080-\uffff]/i;
const DEFINITION = /^ {0,3}\[((?:\\.|[^[\]\\]){1,999})\]:[ \t]*(\S.*)$/;
const LABEL = /\[((?:\\.|[^[\]\\]){0,999})\]/y;
const FILE = /^file:([\w-]{1,100})$/; // the address of a picture: a file of the service, by its id

/** @type {Map<string, {address: string, title: string}>} */
const definitions = new Map(); // by label: the links by reference of the text that is being rendered

/** Forget the definitions of the text that was rendered before. */
export function clearDefinitions() {
  definitions.clear();
}

/** Remember the definition that a line is ("[label]: address"); return whether it is one. */
export function addDefinition(line) {
  const [, label, rest] = DEFINITION.exec(line) ?? [];
  const source = `(${rest?.trim()})`;
  const target = rest ? destination(source, 0) : null;
  const isAddress = target?.end === source.length && (SAFE.test(target.address) || /[/#]|\.[a-z]/i.test(target.address));
  if (isAddress && !definitions.has(toLabel(label))) definitions.set(toLabel(label), target);
  return isAddress;
}

function toLabel(text) {
  return text.trim().replace(/\s+/g, " ").toLowerCase().toUpperCase();
}

/** Return the mark of a comment of HTML, which shows its text: people can see what agents read. */
export function renderComment(text) {
  const content = h("span.html-comment-text", { hidden: true }, text.trim());
  const click = ({ currentTarget }) => {
    content.hidden = !content.hidden;
    setAttribute(currentTarget, "aria-expanded", String(!content.hidden));
  };
  return h("span.html-comment", h("button", { "aria-expanded": "false", click }, "comment"), " ", content);
}

/** Render the text of a paragraph, heading or cell as nodes and strings. */
export function renderInline(text) {
  const emails = text.includes("@") ? [...text.matchAll(EMAIL)].reverse() : [];
  const commentEnd = text.lastIndexOf("-->");
  const state = { text, at: 0, first: null, last: null, badges: null, brackets: [], dead: 0, ticks: null, emails, commentEnd };
  while (state.at < text.length) step(state);
  resolveEmphasis(state, null);
  const nodes = [];
  for (let part = state.first; part; part = part.next) nodes.push(part.node ?? part.text);
  return nodes;
}

function step(state) {
  const { text } = state;
  const email = findEmail(state);
  if (email?.index === state.at) return link(state, `mailto:${email[0]}`, email[0]);
  PLAIN.lastIndex = state.at;
  if (PLAIN.test(text)) {
    const end = Math.min(PLAIN.lastIndex, email?.index ?? Infinity);
    put(state, { text: text.slice(state.at, end) });
    state.at = end;
    return;
  }
  const character = text[state.at];
  if (character === "\\") escape(state);
  else if (character === "`") code(state);
  else if (character === "*" || character === "_" || character === "~") delimiters(state, character);
  else if (character === "[") open(state);
  else if (character === "]") close(state);
  else if (character === "<") angle(state);
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

/** Make an address in the text a link. */
function link(state, address, text) {
  const element = anchor(address);
  element.className = "address";
  element.append(text);
  put(state, { node: element });
  state.at += text.length;
}

/** Return the next e-mail address, also the one that the text stands at. */
function findEmail({ emails, at }) {
  while (emails.length && emails[emails.length - 1].index < at) emails.pop();
  return emails[emails.length - 1];
}

/** Read a comment, a line break, or an address between < and >. */
function angle(state) {
  const { text, at } = state;
  BREAK.lastIndex = at;
  if (BREAK.test(text)) {
    put(state, { node: h("br") });
    state.at = BREAK.lastIndex;
  } else if (text.startsWith("<!--", at) && at + 2 <= state.commentEnd) {
    const end = text.indexOf("-->", at + 2);
    put(state, { node: renderComment(text.slice(at + 4, end)) });
    state.at = end + 3;
  } else {
    autolink(state);
  }
}

function autolink(state) {
  state.at += 1;
  const email = findEmail(state);
  state.at -= 1;
  if (email?.index === state.at + 1 && state.text[state.at + 1 + email[0].length] === ">") {
    put(state, { text: "" });
    state.at += 1;
    link(state, `mailto:${email[0]}`, email[0]);
    state.at += 1;
    return;
  }
  const end = state.text.slice(state.at, state.at + LONGEST_LINK).search(/[>\s]/);
  const address = end > 1 ? state.text.slice(state.at + 1, state.at + end) : "";
  if (state.text[state.at + end] !== ">" || !SAFE.test(address) || address.includes("<")) return literal(state);
  state.at += 1;
  link(state, address, address);
  state.at += 1;
}

function bare(state) {
  BARE.lastIndex = state.at;
  const before = state.text.slice(Math.max(0, state.at - 2), state.at);
  const found = IN_WORD.test(before) ? null : BARE.exec(state.text);
  if (!found) return literal(state);
  if (found[0].length > LONGEST_LINK) return literal(state, found[0].length);
  const whole = state.brackets.length ? found[0].split("]", 1)[0] : found[0];
  let address = whole.replace(/[.,;:!?'"*_~]{1,50}$/, "");
  while (address.endsWith(")") && !address.includes("(")) address = address.slice(0, -1);
  link(state, address, address);
}

function delimiters(state, character) {
  const count = run(state, character);
  if (character === "~" && count !== 2) return literal(state, count);
  addDelimiters(state, character, count, put(state, { text: character.repeat(count) }));
  state.at += count;
}

function open(state) {
  const part = put(state, { text: "[" });
  if (state.brackets.length) state.brackets[state.brackets.length - 1].isFlat = false;
  state.brackets.push({ part, badges: state.badges, at: state.at, isFlat: true });
  state.at += 1;
}

function close(state) {
  const bracket = state.brackets.pop();
  const isDead = state.brackets.length < state.dead; // links cannot be nested; the outer one is plain text
  state.dead = Math.min(state.dead, state.brackets.length);
  const target = bracket && !isDead ? (destination(state.text, state.at + 1) ?? findDefinition(state, bracket)) : null;
  const isImage = target && isPicture(bracket.part);
  if (!target || (FILE.test(target.address) && !isImage)) return literal(state);
  resolveEmphasis(state, bracket.badges);
  const inside = [];
  for (let part = bracket.part.next; part; part = part.next) inside.push(part.node ?? part.text);
  const before = bracket.part.previous;
  if (isImage) before.text = before.text.slice(0, -1); // the exclamation mark
  state.last = before;
  if (before) before.next = null;
  else state.first = null;
  put(state, { node: (isImage ? renderPicture : renderLink)(target, inside) });
  if (!isImage) state.dead = state.brackets.length;
  state.at = target.end;
}

/** Return the target of a link by reference, "[text][label]", "[label][]" or "[label]", as `destination` does. */
function findDefinition({ text, at }, bracket) {
  if (!definitions.size) return null;
  LABEL.lastIndex = at + 1;
  const label = LABEL.exec(text)?.[1];
  const end = label === undefined ? at + 1 : LABEL.lastIndex;
  const name = label?.trim() ? label : bracket.isFlat ? text.slice(bracket.at + 1, at) : "";
  const target = definitions.get(toLabel(name));
  return target ? { ...target, end } : null;
}

/** Return a link. Where its address leads nowhere from here, only its words, with the address as their title. */
function renderLink({ address, title }, inside) {
  const isSafe = SAFE.test(address);
  const element = isSafe ? anchor(address) : h("span");
  setAttribute(element, "title", title || (isSafe ? null : address));
  element.append(...inside);
  for (const inner of queryAll(element, "a")) inner.replaceWith(...inner.childNodes); // pictures and addresses in it
  return element;
}

/** Return a picture: a file of the service, or the words of another one as a link, since nothing is loaded from elsewhere. */
function renderPicture(target, inside) {
  const words = inside.map((node) => node.textContent ?? node).join("");
  const file = FILE.exec(target.address);
  if (!file) return renderLink(target, [words.slice(0, LONGEST_LINK) || target.address]);
  const picture = h("img", { "data-file": file[1] });
  setAttribute(picture, "title", target.title || null);
  setAttribute(picture, "alt", words);
  return picture;
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
  const isKnown = SAFE.test(address) || FILE.test(address) || RELATIVE.test(address);
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
