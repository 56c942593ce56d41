// Texts with Markdown where there is room for plain text only.

import { setText } from "../core/dom.js";
import { truncate } from "../core/format.js";

let toPlainText = null; // loaded when it is needed

/** Show Markdown in an element as plain text of at most `limit` characters. */
export async function setPlainText(element, markdown, limit = Infinity) {
  if (!toPlainText) {
    setText(element, truncate(markdown, limit)); // until it is loaded, or if it cannot be
    toPlainText ??= (await import("../markdown/plain-text.js").catch(() => ({}))).toPlainText;
  }
  if (toPlainText) setText(element, truncate(toPlainText(markdown), limit));
}
