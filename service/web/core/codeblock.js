// Blocks of code in Markdown: fenced or indented, and what else asks how a line begins.

import { h } from "./dom.js";

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** Tell whether a line holds nothing but space. */
export function isBlank(line) {
  return line.trim() === "";
}

/** Count the spaces before a line. */
export function indentOf(line) {
  return line.length - line.trimStart().length;
}

/** Lines set in by four spaces. */
export const CODE = {
  begins: (lines, at) => indentOf(lines[at]) >= 4,
  read(lines, at) {
    let end = at + 1;
    let last = end;
    while (end < lines.length && (isBlank(lines[end]) || indentOf(lines[end]) >= 4)) {
      if (!isBlank(lines[end])) last = end + 1;
      end += 1;
    }
    const content = lines.slice(at, last).map((line) => line.slice(4));
    return { node: h("pre", null, h("code", null, content.join("\n") + "\n")), end: last };
  },
};

/** Give the fence that a line opens, or null. */
export function fenceOf(line) {
  const found = FENCE.exec(line);
  return found && !(found[1][0] === "`" && found[2].includes("`")) ? found[1] : null;
}

/** Tell whether a line closes a fence. */
export function endsFence(line, fence) {
  const rest = line.trim();
  return indentOf(line) < 4 && rest.length >= fence.length && rest === fence[0].repeat(rest.length);
}

/** Lines between fences, or up to the end. */
export const FENCED = {
  begins: (lines, at) => fenceOf(lines[at]) !== null,
  read(lines, at) {
    const fence = fenceOf(lines[at]);
    const indent = indentOf(lines[at]);
    let end = at + 1;
    while (end < lines.length && !endsFence(lines[end], fence)) end += 1;
    const content = lines.slice(at + 1, end).map((line) => line.slice(Math.min(indent, indentOf(line))));
    const text = content.length ? content.join("\n") + "\n" : "";
    return { node: h("pre", null, h("code", null, text)), end: end + 1 };
  },
};
