// Markdown rendered as DOM elements, never as HTML.

import { createElement as h, queryAll } from "../core/dom.js"; // with dir="auto", Chromium takes quadratic time
import { RIGHT_TO_LEFT } from "../core/format.js";
import { limitMarksWithin } from "../core/marks.js";
import {
  BOX,
  CODE,
  COMMENT,
  countIndent,
  FENCED,
  isBlank,
  isBoxed,
  isClosingFence,
  isTable,
  parseFence,
  parseItem,
  readTable,
  scanLines
} from "./blocks.js";
import { addDefinition, clearDefinitions, renderInline } from "./inline.js";

const DEEPEST = 12; // nested quotes and lists; deeper ones become paragraphs, and items of checklists lists of one line
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const QUOTE_OF_BOX = /^[ \t]*> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])( +|$)/;
const ITEM_OF_BOX = /^([ \t]*)([-*+]|\d{1,9}[.)])([ \t]+)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]|$)/;
const PREFIX = /^[ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]+)?/;
const UNDERLINE = /^(?:=+|-+)$/;
const ALERT = /^\[!(note|tip|important|warning|caution)\][ \t]*$/i;

/** Render Markdown: headings, lists, tasks, code, comments, quotes, tables, links, emphasis, pictures. */
export function renderMarkdown(text) {
  const items = [];
  const lines = markItems(text.replaceAll(BOX, "\ufffd"), items);
  clearDefinitions();
  if (text.includes("]:")) renderBlocks(lines, 0); // finds the definitions, which may stand below what refers to them
  const element = h("div.prose", renderBlocks(lines, 0).nodes);
  for (const [number, box] of queryAll(element, "input").entries())
    Object.assign(box, { checked: items[number].isDone, item: items[number].text });
  return limitMarksWithin(element);
}

/** Return the lines of a text, those of checklists with BOX in place of their boxes, and add their items to `items`. */
function markItems(text, items) {
  return scanLines(text).map((line) => {
    const item = parseItem(line);
    if (item) items.push(item);
    return expandTabs(item ? item.marker + BOX + item.text : line.text);
  });
}

function expandTabs(line) {
  const prefix = PREFIX.exec(line)[0];
  if (!prefix.includes("\t")) return line;
  let wide = "";
  for (const character of prefix) wide += character === "\t" ? " ".repeat(4 - (wide.length % 4)) : character;
  return wide + line.slice(prefix.length);
}

/** Render lines; `isLoose` says whether there is a blank line between two blocks. */
function renderBlocks(lines, depth) {
  const found = { nodes: [], isLoose: false };
  let at = 0;
  let wasBlank = false;
  while (at < lines.length) {
    if (isBlank(lines[at])) {
      wasBlank = true;
      at += 1;
      continue;
    }
    if (wasBlank && found.nodes.length) found.isLoose = true;
    wasBlank = false;
    const kind = kinds.find((candidate) => candidate.begins(lines, at, depth)) ?? PARAGRAPH;
    const { node, end } = kind.read(lines, at, depth);
    if (node) found.nodes.push(node);
    at = end;
  }
  return found;
}

const TITLE = {
  begins: (lines, at) => HEADING.test(lines[at]),
  read(lines, at) {
    const level = HEADING.exec(lines[at])[1].length;
    const words = lines[at].trim().slice(level).trim();
    const hashes = words.length - trimEnd(words, "#").length;
    const isClosed = hashes && (hashes === words.length || " \t".includes(words[words.length - hashes - 1]));
    const text = isClosed ? words.slice(0, -hashes).trim() : words;
    return { node: h(`h${level}`, null, renderInline(text)), end: at + 1 };
  }
};

function trimEnd(text, character) {
  let end = text.length;
  while (text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}

const LINE = {
  begins: (lines, at) => RULE.test(lines[at]),
  read: (lines, at) => ({ node: h("hr"), end: at + 1 })
};

/** Return the paragraph that can continue without the markers of its quote or list (a lazy continuation line). */
function lazily() {
  let fence = null;
  let isOpen = false;
  return {
    see(line) {
      const within = isBoxed(line) ? null : fence;
      fence = within ? (isClosingFence(line, within) ? null : within) : parseFence(line);
      const inner = line.replace(/^(?: {0,3}> ?| {0,3}(?:[-*+]|\d{1,9}[.)]) +){0,12}/, "");
      const isText = !within && !fence && !isBlank(inner) && !HEADING.test(inner) && !RULE.test(inner);
      isOpen = isText && (isOpen || countIndent(inner) < 4 || isBoxed(line));
    },
    takes: (line) => isOpen && !isBlank(line) && !interrupts(line)
  };
}

const QUOTED = {
  begins: (lines, at, depth) => unquote(lines[at]) !== null && (depth < DEEPEST || isBoxed(lines[at])),
  read(lines, at, depth) {
    if (depth >= DEEPEST) return { ...LIST.read([lines[at].replace(/^[ \t>]+/, "")], 0, depth), end: at + 1 };
    const inside = [];
    const open = lazily();
    let end = at;
    for (; end < lines.length; end += 1) {
      const line = unquote(lines[end]);
      if (line !== null) inside.push(line);
      else if (open.takes(lines[end])) inside.push(lines[end]);
      else break;
      open.see(inside[inside.length - 1]);
    }
    return { node: setDirection(renderQuotation(inside, depth)), end };
  }
};

/** Render the lines of a quotation; one that begins with [!NOTE] is a note with that title. */
function renderQuotation(lines, depth) {
  const kind = ALERT.exec(lines[0].trim())?.[1].toLowerCase();
  if (!kind) return h("blockquote", renderBlocks(lines, depth + 1).nodes);
  const title = h("p", h("strong", kind[0].toUpperCase() + kind.slice(1)));
  return h("blockquote", { class: `alert ${kind}` }, title, renderBlocks(lines.slice(1), depth + 1).nodes);
}

/** Return a line of a quotation without its first mark, or null for another line. */
function unquote(line) {
  const found = (isBoxed(line) ? QUOTE_OF_BOX : QUOTE).exec(line);
  return found && expandTabs(line.slice(found[0].length));
}

function itemOf(line) {
  const isTask = isBoxed(line);
  const found = isTask ? ITEM_OF_BOX.exec(line.slice(0, line.indexOf(BOX))) : RULE.test(line) ? null : ITEM.exec(line);
  if (!found) return null;
  const [whole, indent, marker, space] = found;
  const isBare = whole.length === line.length;
  const width = indent.length + marker.length + (isBare || space.length > 4 ? 1 : space.length);
  const text = isBare ? "" : line.slice(isTask ? whole.length : width);
  return { kind: marker[marker.length - 1], width, isBare, start: parseInt(marker, 10), text };
}

const LIST = {
  begins: (lines, at, depth) => isBoxed(lines[at]) || (depth < DEEPEST && itemOf(lines[at]) !== null),
  read(lines, at, depth) {
    const first = itemOf(lines[at]);
    const items = [];
    let end = at;
    let isLoose = false;
    for (let item = first; item && item.kind === first.kind; item = end < lines.length ? itemOf(lines[end]) : null) {
      const taken = takeItem(lines, end, item, depth);
      const content = { ...renderBlocks(taken.lines, depth + 1), isTask: item.text.startsWith(BOX) };
      items.push(content);
      end = taken.end;
      const goesOn = end < lines.length && itemOf(lines[end])?.kind === first.kind;
      isLoose ||= content.isLoose || (taken.endsBlank && goesOn);
    }
    const isOrdered = !Number.isNaN(first.start);
    const attributes = isOrdered && first.start !== 1 ? { start: first.start } : null;
    const node = h(
      isOrdered ? "ol" : "ul",
      attributes,
      items.map((content) => listItem(content, isLoose))
    );
    return { node: setDirection(node), end };
  }
};

/** Let a list or quotation follow the direction of its first letter; the style sheet does that for the blocks in it. */
function setDirection(node) {
  const letter = /\p{L}/u.exec(node.textContent)?.[0];
  if (letter) node.dir = RIGHT_TO_LEFT.test(letter) ? "rtl" : "ltr";
  return node;
}

function takeItem(lines, at, item, depth) {
  const inside = [item.text];
  if (depth >= DEEPEST) return { lines: inside, end: at + 1, endsBlank: false };
  const open = lazily();
  open.see(inside[0]);
  let end = at + 1;
  let kept = 1;
  for (; end < lines.length; end += 1) {
    const line = lines[end];
    if (isBlank(line)) {
      if (inside.length === 1 && item.isBare) break; // an item may begin with at most one blank line
      inside.push("");
    } else if (countIndent(line) >= item.width) inside.push(line.slice(item.width));
    else if (inside.length === kept && open.takes(line) && !itemOf(line)) inside.push(line.trimStart());
    else break;
    open.see(inside[inside.length - 1]);
    if (!isBlank(line)) kept = inside.length;
  }
  const trailing = inside.length - kept;
  return { lines: inside.slice(0, kept), end, endsBlank: trailing > 0 };
}

function listItem({ nodes, isTask }, isLoose) {
  if (isTask) addCheckbox(nodes[0]);
  const item = h(isTask ? "li.task" : "li");
  for (const node of nodes) {
    if (node.localName === "p" && !isLoose) item.append(...node.childNodes);
    else item.append(node);
  }
  return item;
}

/** Put the checkbox of a task before its text, which is its name. */
function addCheckbox(paragraph) {
  paragraph.prepend(h("input", { type: "checkbox", disabled: true, "aria-label": paragraph.textContent.trim() || "Item" }));
}

const TABLE = {
  begins: (lines, at) => isTable(lines, at),
  read: (lines, at) => readTable(lines, at, interrupts)
};

/** Return whether a line ends the paragraph above it. */
function interrupts(line) {
  const item = itemOf(line);
  const isItem = item && !item.isBare && (Number.isNaN(item.start) || item.start === 1);
  return isBoxed(line) || isItem || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || parseFence(line) !== null;
}

const PARAGRAPH = {
  read(lines, at, depth) {
    const isTask = lines[at].startsWith(BOX);
    if (addDefinition(lines[at])) return { node: null, end: at + 1 };
    const text = (end) =>
      lines
        .slice(at, end)
        .map((line) => line.trimStart())
        .join("\n")
        .trimEnd();
    let end = at + 1;
    for (; end < lines.length && !isBlank(lines[end]); end += 1) {
      const underline = !isTask && countIndent(lines[end]) < 4 && UNDERLINE.exec(lines[end].trim());
      if (underline) return { node: h(underline[0][0] === "=" ? "h1" : "h2", null, renderInline(text(end))), end: end + 1 };
      if (isTable(lines, end) || COMMENT.begins(lines, end)) break;
      if (depth < DEEPEST ? interrupts(lines[end]) : parseFence(lines[end]) || isBoxed(lines[end])) break;
    }
    return { node: h("p", renderInline(text(end).slice(isTask ? BOX.length : 0))), end };
  }
};

const kinds = [CODE, FENCED, COMMENT, TITLE, LINE, QUOTED, LIST, TABLE];

// Texts of users and agents, inside a page with headings of its own.
const LEVEL = "4"; // below the headings of the sections of a dialog

/** Render Markdown with headings below those of the page. */
export function renderProse(text) {
  const element = renderMarkdown(text);
  for (const heading of element.querySelectorAll("h1, h2, h3, h4, h5, h6")) heading.setAttribute("aria-level", LEVEL);
  return element;
}
