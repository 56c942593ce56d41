// Tables in Markdown, as GitHub writes them.

import { h } from "./dom.js";
import { inline } from "./inline.js";

const MOST_ADDED = 10_000; // cells that a table may leave out
const DELIMITER = /^:?-+:?$/;

/** Tell whether a table begins at a line. */
export function isTable(lines, at) {
  const next = lines[at + 1];
  if (!lines[at].includes("|") || next === undefined || !next.includes("-")) return false;
  const delimiters = cells(next);
  return delimiters.every((cell) => DELIMITER.test(cell)) && cells(lines[at]).length === delimiters.length;
}

/** Read the table that begins at a line, until a line that `interrupts`. */
export function table(lines, at, interrupts) {
  const sides = cells(lines[at + 1]).map(side);
  let left = MOST_ADDED;
  const row = (texts, tag) =>
    h(
      "tr",
      null,
      sides.map((name, place) => h(tag, { class: name }, inline(texts[place] ?? ""))),
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
  const body = rows.length ? h("tbody", null, rows) : null;
  return { node: h("div", { class: "wide" }, h("table", null, h("thead", null, head), body)), end };
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
