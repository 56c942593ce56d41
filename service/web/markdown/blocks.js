// Code blocks and tables of Markdown.

import { createElement as h } from "../core/dom.js"; // with dir="auto", Chromium takes quadratic time
import { renderInline } from "./inline.js";

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
