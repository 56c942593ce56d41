// Texts with Markdown where there is room for plain text only.

import { setText } from "../core/dom.js";
import { truncate } from "../core/format.js";

let module = null; // loaded when it is needed

/** Show Markdown in an element as plain text of at most `limit` characters. */
export async function setPlainText(element, markdown, limit = Infinity) {
  if (!module) {
    setText(element, truncate(markdown, limit)); // until it is loaded, or if it cannot be
    module ??= await import("../markdown/plain-text.js").catch(() => null);
  }
  if (module) setText(element, truncate(module.toPlainText(markdown), limit));
}
