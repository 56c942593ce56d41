// The title of a card as a link, with its key.

import { h } from "../core/dom.js";
import { boardUrl } from "../core/router.js";

/** Return the title of a card as a link to it, and its key. */
export function cardLink(projectId, key, title, attributes = {}) {
  const link = h("a.title", { href: boardUrl(projectId, key), ...attributes }, title);
  return [link, " ", h("span.key", key)];
}
