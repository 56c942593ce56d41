// Markdown as plain text.

import { renderMarkdown } from "./index.js";

const MARKS = "a, code, em, s, strong"; // of words inside a text

/** Return Markdown as one line of plain text: without its signs and comments, pictures by what they show. */
export function toPlainText(markdown) {
  const element = renderMarkdown(markdown);
  for (const comment of element.querySelectorAll(".html-comment")) comment.remove();
  for (const picture of element.querySelectorAll("img")) picture.replaceWith(picture.alt);
  for (const block of element.querySelectorAll(`:not(${MARKS})`)) (block.before(" "), block.after(" "));
  return element.textContent.replace(/\s+/g, " ").trim();
}
