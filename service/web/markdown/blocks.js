// The lines of Markdown, which are fenced code or items of checklists, and its code blocks, comments and tables.
// service/text/checklists.py has the same rules for lines; tests/data/checklists.json has examples for both.

import { createElement as h } from "../core/dom.js"; // with dir="auto", Chromium takes quadratic time
import { renderComment, renderInline } from "./inline.js";

const FENCE = /^ {0,3}(`{3,}|~{3,})([^]*)$/;

/** What stands for the box of a checklist in a line; no text has it. Such a line begins an item wherever it stands. */
export const BOX = "\0";

/** Return whether a line is blank. */
export function isBlank(line) {
  return line.trim() === "";
}

/** Return the number of spaces before a line. Other blanks, such as U+3000 before Chinese and Japanese paragraphs, are text. */
export function countIndent(line) {
  let count = 0;
  while (line[count] === " ") count += 1;
  return count;
}

/** Return whether a line is an item of a checklist, with its marker. */
export function isBoxed(line) {
  return line.indexOf(BOX) > 0;
}

function isIndented(line) {
  return countIndent(line) >= 4 && !isBoxed(line);
}

/** Code blocks indented by four spaces. */
export const CODE = {
  begins: (lines, at) => isIndented(lines[at]),
  read(lines, at) {
    let end = at + 1;
    let last = end;
    while (end < lines.length && (isBlank(lines[end]) || isIndented(lines[end]))) {
      if (!isBlank(lines[end])) last = end + 1;
      end += 1;
    }
    const content = lines.slice(at, last).map((line) => line.slice(4));
    return { node: h("pre", { tabindex: "0" }, h("code", content.join("\n") + "\n")), end: last };
  }
};

/** Return the fence that a line opens, or null. */
export function parseFence(line) {
  const found = FENCE.exec(line);
  return found && !(found[1][0] === "`" && found[2].includes("`")) ? found[1] : null;
}

/** Return whether a line closes a fence. */
export function isClosingFence(line, fence) {
  const rest = line.trim();
  return countIndent(line) < 4 && rest.length >= fence.length && rest === fence[0].repeat(rest.length);
}

/** Fenced code blocks. Without a closing fence they reach to the end, or to the next item of a checklist. */
export const FENCED = {
  begins: (lines, at) => parseFence(lines[at]) !== null,
  read(lines, at) {
    const fence = parseFence(lines[at]);
    const indent = countIndent(lines[at]);
    let end = at + 1;
    while (end < lines.length && !isClosingFence(lines[end], fence) && !isBoxed(lines[end])) end += 1;
    const content = lines.slice(at + 1, end).map((line) => line.slice(Math.min(indent, countIndent(line))));
    const text = content.length ? content.join("\n") + "\n" : "";
    const isClosed = end < lines.length && !isBoxed(lines[end]);
    return { node: h("pre", { tabindex: "0" }, h("code", text)), end: isClosed ? end + 1 : end };
  }
};

const COMMENT_START = /^ {0,3}<!--/;
/** @type {WeakMap<string[], number[]>} */
const commentEnds = new WeakMap(); // lines -> for each, in which line a comment ends that is open there, or -1

/** Comments of HTML of several lines, also with blank ones; the paragraph has the others. An item of a checklist ends none. */
export const COMMENT = {
  begins: (lines, at) => {
    const isOpen = COMMENT_START.test(lines[at]) && !lines[at].includes("-->", lines[at].indexOf("<!--") + 2);
    return isOpen && listCommentEnds(lines)[at + 1] > at;
  },
  read(lines, at) {
    const end = listCommentEnds(lines)[at + 1];
    const close = lines[end].indexOf("-->");
    const text = [lines[at].trimStart().slice(4), ...lines.slice(at + 1, end), lines[end].slice(0, close)].join("\n");
    return { node: h("p", renderComment(text), " ", renderInline(lines[end].slice(close + 3).trim())), end: end + 1 };
  }
};

function listCommentEnds(lines) {
  if (!commentEnds.has(lines)) {
    const ends = Array(lines.length + 1).fill(-1);
    for (let at = lines.length - 1; at >= 0; at -= 1)
      ends[at] = isBoxed(lines[at]) ? -1 : lines[at].includes("-->") ? at : ends[at + 1];
    commentEnds.set(lines, ends);
  }
  return commentEnds.get(lines);
}

// Tables of GitHub Flavored Markdown.
const ADDED_CELLS_MAX = 10_000; // missing cells that are filled in
const DELIMITER = /^:?-+:?$/;

/** Return whether a table begins at a line. */
export function isTable(lines, at) {
  const next = lines[at + 1];
  if (lines[at].includes(BOX) || !lines[at].includes("|") || next === undefined || !next.includes("-")) return false;
  const delimiters = cells(next);
  return delimiters.every((cell) => DELIMITER.test(cell)) && cells(lines[at]).length === delimiters.length;
}

/** Read the table that begins at a line; it ends at a line that `interrupts` it. */
export function readTable(lines, at, interrupts) {
  const sides = cells(lines[at + 1]).map(side);
  let left = ADDED_CELLS_MAX;
  const row = (texts, tag) =>
    h(
      "tr",
      sides.map((name, place) => h(tag, { class: name }, renderInline(texts[place] ?? "")))
    );
  const head = row(cells(lines[at]), "th");
  const rows = [];
  let end = at + 2;
  for (; end < lines.length && lines[end].trim() !== "" && !interrupts(lines[end]); end += 1) {
    const texts = cells(lines[end]);
    left -= Math.max(0, sides.length - texts.length);
    if (left < 0) break;
    rows.push(row(texts, "td"));
  }
  const body = rows.length ? h("tbody", rows) : null;
  return { node: h("div.wide", { tabindex: "0" }, h("table", h("thead", head), body)), end };
}

function side(delimiter) {
  if (!delimiter.endsWith(":")) return null;
  return delimiter[0] === ":" ? "center" : "right";
}

function cells(line) {
  const inside = line.trim();
  const found = [""];
  for (let at = inside[0] === "|" ? 1 : 0; at < inside.length; at += 1) {
    const isEscaped = inside[at] === "\\" && inside[at + 1] === "|";
    if (isEscaped) at += 1;
    if (inside[at] === "|" && !isEscaped) found.push("");
    else found[found.length - 1] += inside[at];
  }
  if (found.length > 1 && found[found.length - 1].trim() === "") found.pop();
  return found.map((cell) => cell.trim());
}

// The lines of a text

const QUOTES = /^[ \t>]*/;
const CHECKLIST_ITEM = /^[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\[([ xX])\][ \t]+(?=[^ \t])/;
const ANY_FENCE = /^(?:[ \t>]|(?:[-*+]|[0-9]{1,9}[.)])[ \t])*(`{3,}|~{3,})/;

/**
 * Return the lines {text, isCode, isComment} of Markdown. A fence without an end reaches to the end of its quotation or of
 * the text; a comment of HTML without an end is none.
 */
export function scanLines(markdown) {
  const whole = markdown.replace(/\r\n?/g, "\n");
  const lastEnd = whole.lastIndexOf("-->");
  const lines = [];
  let fence = null;
  let isComment = false;
  let start = 0;
  for (const text of whole.split("\n")) {
    if (fence && countQuotes(text) < fence.depth) fence = null;
    if (fence) {
      lines.push({ text, isCode: true, isComment: false });
      if (isClosing(text, fence)) fence = null;
    } else {
      fence = isComment ? null : findFence(text);
      lines.push({ text, isCode: fence !== null, isComment });
      if (!fence) isComment = endsInComment(text, isComment, lastEnd - start);
    }
    start += text.length + 1;
  }
  return lines;
}

function countQuotes(text) {
  return text.match(QUOTES)[0].split(">").length - 1;
}

function findFence(text) {
  const found = ANY_FENCE.exec(text);
  if (!found || (found[1][0] === "`" && text.slice(found[0].length).includes("`"))) return null;
  return { run: found[1], depth: found[0].split(">").length - 1 };
}

function isClosing(text, { run, depth }) {
  const rest = trimEnd(text.replace(QUOTES, ""));
  return rest.length >= run.length && rest === run[0].repeat(rest.length) && countQuotes(text) === depth;
}

/** Return whether the next line is in a comment; `lastEnd` is where the last comment of the text can end. */
function endsInComment(text, isComment, lastEnd) {
  let isWithin = isComment;
  for (let at = 0; ; isWithin = !isWithin) {
    at = text.indexOf(isWithin ? "-->" : "<!--", at);
    if (at < 0 || (!isWithin && at + 2 > lastEnd)) return isWithin;
    at += isWithin ? 3 : 2;
  }
}

/** Return the item of a checklist that a line is: {marker, isDone, text}, `marker` with what is before it; or null. */
export function parseItem({ text, isCode, isComment }) {
  const found = isCode || isComment ? null : CHECKLIST_ITEM.exec(text);
  if (!found) return null;
  const marker = text.slice(0, found[0].indexOf("["));
  return { marker, isDone: found[1] !== " ", text: trimEnd(text.slice(found[0].length)) };
}

function trimEnd(text) {
  let end = text.length;
  while (text[end - 1] === " " || text[end - 1] === "\t") end -= 1;
  return text.slice(0, end);
}
