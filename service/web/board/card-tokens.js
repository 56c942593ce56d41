// Tokens in the line of a new card: #label, #"two words", @person, !high, ^friday.

import { formatDueInFull, parseDueWords } from "../core/due-words.js";
import { foldName } from "../core/folding.js";
import { endsApart, SIGNS as FOREIGN, UNSPACED, WORD } from "../core/words.js";
import { PRIORITIES } from "../ui/priority.js";

const SIGNS = "#@!^";
const DUE_WORDS_MAX = 5; // of a due date: ^the 4th of december
const LABEL_CHARACTERS_MAX = 200;
const ENDS_MAX = 20; // of a token, where letters need no blank between words
const PUNCTUATION = /[.,;:!?)]+$/;
const RUN = new RegExp(`^[^\\s${FOREIGN}]+`, "u"); // the longest token that a text can begin with
const QUOTED = new RegExp(`^"((?:\\\\["\\\\]|[^"])+)"(?=[\\s.,;:!?)${FOREIGN}${UNSPACED}]|$)`, "u");
const BORDER = new RegExp(`(?<=${WORD})(?=[${UNSPACED}])|(?<=[${UNSPACED}])(?=${WORD}|[${UNSPACED}])`, "gu");

/**
 * Return {title, values, tokens} of a line: the text without the tokens, the values that they mean as the API takes them, and
 * the tokens as {start, end, caption}. What is not understood stays in the title; a backslash makes a sign plain.
 *
 * `context` is {labels, people, agents, now}; `labels` is null, or {fieldId, known, isOpen}: the known labels of the card type,
 * and whether it takes others.
 */
export function parseCardLine(line, context) {
  const result = { title: "", values: {}, tokens: [] };
  let at = 0;
  while (at < line.length) {
    const isStart = endsApart(line.slice(Math.max(0, at - 2), at));
    const token = isStart && isSign(line[at]) ? readToken(line, at, result.values, context) : null;
    if (token) result.tokens.push({ start: at, ...token });
    else if (isStart && line[at] === "\\" && isSign(line[at + 1])) result.title += line[++at];
    else result.title += line[at];
    at = token ? token.end : at + 1;
  }
  result.title = result.title.replace(/\s+/g, " ").trim();
  return result;
}

/** Return whether a character begins a token: one of SIGNS, also as wide as Chinese and Japanese input methods write it. */
function isSign(character = "") {
  return SIGNS.includes(toNarrow(character) || " ");
}

function toNarrow(character) {
  return character.normalize("NFKC");
}

/** Write what a token means to `values` and return {end, caption}, or null if it means nothing or was given before. */
function readToken(line, at, values, context) {
  const found = READERS[toNarrow(line[at])](line.slice(at + 1), context);
  const isLabel = found?.name === "fieldValues";
  if (!found || (Object.hasOwn(values, found.name) && !isLabel)) return null;
  Object.assign(values, { [found.name]: isLabel ? addLabel(values.fieldValues, found.value, context) : found.value });
  return { end: at + 1 + found.length, caption: found.caption };
}

function addLabel([before] = [], label, { labels }) {
  return [{ fieldId: labels.fieldId, value: [...new Set([...(before?.value ?? []), label])] }];
}

/** Write a label as a token that means it: #label, or #"two words" with a backslash before a quotation mark. */
export function writeLabelToken(label) {
  return /^[^\s"]\S*$/.test(label) ? `#${label}` : `#"${label.replace(/["\\]/g, "\\$&")}"`;
}

function readLabel(rest, { labels }) {
  const [all, quoted] = QUOTED.exec(rest) ?? (rest.startsWith('"') ? [] : (RUN.exec(rest) ?? []));
  const text = (quoted?.replace(/\\(["\\])/g, "$1") ?? all?.replace(PUNCTUATION, ""))?.trim();
  if (!labels || !text || text.length > LABEL_CHARACTERS_MAX) return null;
  const isNamed = (name) => (label) => foldName(label) === foldName(name);
  const findKnown = (name) => labels.known.find((label) => label === name) ?? labels.known.find(isNamed(name));
  const known = (!quoted && findKnown(all)) || findKnown(text);
  const label = (value, length) => ({ name: "fieldValues", value, caption: value, length });
  if (known || labels.isOpen) return label(known ?? text, all.length);
  return quoted ? null : findFirst(listBeginnings(all), (name) => findKnown(name) && label(findKnown(name), name.length));
}

/** Return what a token can be, the longest first: all of it, and what ends beside a letter that needs no blank before it. */
function listBeginnings(all = "") {
  const ends = [...all.matchAll(BORDER)].slice(0, ENDS_MAX).map(({ index }) => index);
  return [...ends, all.length].reverse().map((end) => all.slice(0, end));
}

function findFirst(list, read) {
  for (const one of list) {
    const found = read(one);
    if (found) return found;
  }
  return null;
}

function readAssignee(rest, context) {
  return findFirst(listBeginnings(RUN.exec(rest)?.[0]), (all) => findAssignee(all, context));
}

/** Find a person, by handle or name, or an agent, by id or title. A name that several have means none of them. */
function findAssignee(all, { people, agents }) {
  const text = all.replace(PUNCTUATION, "").toLowerCase();
  if (!text) return null;
  const isCalled = (name) => foldName(name) === foldName(text);
  const byHandle = people.find(({ handle }) => handle === text);
  const byId = byHandle ? null : agents.find(({ id }) => id.toLowerCase() === text);
  const person = byHandle ?? (byId ? null : findOnly(people, ({ name }) => isCalled(name)));
  if (person) return { name: "assignedUserId", value: person.id, caption: person.name, length: all.length };
  const agent = byId ?? findOnly(agents, ({ title }) => isCalled(title));
  return agent ? { name: "assignedAgentId", value: agent.id, caption: agent.title, length: all.length } : null;
}

function findOnly(list, test) {
  const found = list.filter(test);
  return found.length === 1 ? found[0] : null;
}

function readPriority(rest) {
  return findFirst(listBeginnings(RUN.exec(rest)?.[0]), findPriority);
}

function findPriority(all) {
  const priority = all.replace(PUNCTUATION, "").toLowerCase();
  const isKnown = priority !== "none" && PRIORITIES.includes(priority);
  return isKnown ? { name: "priority", value: priority, caption: `${priority} priority`, length: all.length } : null;
}

/** Read the longest run of words that is a date. */
function readDue(rest, { now }) {
  const words = /^\S/.test(rest) ? [...rest.matchAll(/\S+/g)].slice(0, DUE_WORDS_MAX) : [];
  const runs = words.map((word) => rest.slice(0, word.index + word[0].length)).reverse();
  return findFirst([...runs, ...listBeginnings(RUN.exec(rest)?.[0])], (all) => findDue(all, now));
}

function findDue(all, now) {
  const text = all.replaceAll('"', "");
  const due = parseDueWords(text, now) ?? parseDueWords(text.replace(PUNCTUATION, ""), now);
  return due && { name: "dueDate", value: due, caption: formatDueInFull(due), length: all.length };
}

const READERS = { __proto__: null, "#": readLabel, "@": readAssignee, "!": readPriority, "^": readDue };
