// Formats of Markdown, toggled at the selection of a text field. The browser can undo each of them.

import { replaceText } from "../replace-text.js";

const BULLET = /^(\s*)[-*+] (?!\[[ xX]\] )/;
const TASK = /^(\s*)[-*+] \[[ xX]\] /;
const LINK = /^\[([^\]]*)\]\([^)]*\)$/;
const ADDRESS = /^https?:\/\/\S+$/;
const WORD_CHARACTERS_MAX = 200;
const NEW_ADDRESS = "https://";

/** Make the selection, or the word at the cursor, bold; or no longer. */
export function toggleBold(field) {
  toggleAround(field, "**");
}

/** Make the selection code, as a block if it has several lines; or no longer. */
export function toggleCode(field) {
  const { selectionStart: start, selectionEnd: end, value } = field;
  const selected = value.slice(start, end);
  if (!selected.includes("\n")) return toggleAround(field, "`");
  const fenced = /^```[^\n]*\n([^]*)\n```$/.exec(selected);
  const text = fenced ? fenced[1] : `\`\`\`\n${selected}\n\`\`\``;
  replaceText(field, start, end, text, [start, start + text.length]);
}

/** Make the selection a link, with the address to be typed next; or no longer. */
export function toggleLink(field) {
  const [start, end] = selectedRange(field);
  const selected = field.value.slice(start, end);
  const link = LINK.exec(selected);
  if (link) return replaceText(field, start, end, link[1], [start, start + link[1].length]);
  const isAddress = ADDRESS.test(selected);
  const text = isAddress ? `[](${selected})` : `[${selected}](${NEW_ADDRESS})`;
  const from = isAddress || !selected ? start + 1 : start + selected.length + 3;
  replaceText(field, start, end, text, [from, isAddress || !selected ? from : from + NEW_ADDRESS.length]);
}

/** Make the selected lines items of a list; or no longer. */
export function toggleList(field) {
  toggleLines(field, BULLET, "- ");
}

/** Make the selected lines items of a checklist; or no longer. */
export function toggleChecklist(field) {
  toggleLines(field, TASK, "- [ ] ");
}

/** Return the selection without blanks at its ends, or the word at the cursor. */
function selectedRange({ selectionStart: start, selectionEnd: end, value }) {
  if (start === end) {
    const from = value.lastIndexOf("\n", start - 1) + 1;
    const words = new Intl.Segmenter(undefined, { granularity: "word" }).segment(value.slice(from, start + WORD_CHARACTERS_MAX));
    const { segment = "", index = 0, isWordLike = false } = words.containing(start - from) ?? {};
    return isWordLike && from + index < start ? [from + index, from + index + segment.length] : [start, end];
  }
  const selected = value.slice(start, end);
  const lead = selected.length - selected.trimStart().length;
  return [start + lead, Math.max(start + lead, start + selected.trimEnd().length)];
}

function toggleAround(field, mark) {
  const [start, end] = selectedRange(field);
  const { value } = field;
  const { length } = mark;
  const selected = value.slice(start, end);
  if (selected.length >= 2 * length && selected.startsWith(mark) && selected.endsWith(mark)) {
    const inner = selected.slice(length, -length);
    return replaceText(field, start, end, inner, [start, start + inner.length]);
  }
  if (value.slice(start - length, start) === mark && value.slice(end, end + length) === mark)
    return replaceText(field, start - length, end + length, selected, [start - length, end - length]);
  replaceText(field, start, end, mark + selected + mark, [start + length, end + length]);
}

function toggleLines(field, pattern, mark) {
  const { selectionStart, selectionEnd, value } = field;
  const start = value.lastIndexOf("\n", selectionStart - 1) + 1;
  const next = value.indexOf("\n", Math.max(start, selectionEnd - (selectionEnd > selectionStart ? 1 : 0)));
  const end = next < 0 ? value.length : next;
  const lines = value.slice(start, end).split("\n");
  const written = lines.filter((line) => line.trim());
  const isOn = written.length > 0 && written.every((line) => pattern.test(line));
  const plain = (line) => line.replace(TASK, "$1").replace(BULLET, "$1");
  const item = (line) => plain(line).replace(/^\s*/, (indent) => indent + mark);
  const change = (line) => (line.trim() || lines.length === 1 ? (isOn ? plain(line) : item(line)) : line);
  const text = lines.map(change).join("\n");
  const to = start + text.length;
  replaceText(field, start, end, text, [lines.length > 1 ? start : to, to]);
}
