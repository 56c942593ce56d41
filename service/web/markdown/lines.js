// The lines of Markdown: which ones are fenced code, and which ones are items of checklists. service/text/checklists.py has
// the same rules; tests/data/checklists.json has examples for both.

const QUOTES = /^[ \t>]*/;
const ITEM = /^[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\[([ xX])\][ \t]+(?=[^ \t])/;
const FENCE = /^(?:[ \t>]|(?:[-*+]|[0-9]{1,9}[.)])[ \t])*(`{3,}|~{3,})/;

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
  const found = FENCE.exec(text);
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
  const found = isCode || isComment ? null : ITEM.exec(text);
  if (!found) return null;
  const marker = text.slice(0, found[0].indexOf("["));
  return { marker, isDone: found[1] !== " ", text: trimEnd(text.slice(found[0].length)) };
}

function trimEnd(text) {
  let end = text.length;
  while (text[end - 1] === " " || text[end - 1] === "\t") end -= 1;
  return text.slice(0, end);
}
