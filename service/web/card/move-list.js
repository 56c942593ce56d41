// The columns that a card can move to, as buttons.

import { h } from "../core/dom.js";

/** Render the possible moves of an open card as buttons; those that are not allowed show why. */
export function renderMoveList(moves, move, showMissing) {
  const rows = moves.map(({ toColumnId, title, allowed, why }) => {
    const attributes = { class: "transition", "aria-disabled": allowed ? null : "true" };
    const click = () => (allowed ? move(toColumnId) : showMissing(toColumnId));
    const sentences = why.length ? h("span.small", why.join(" ")) : null;
    return h("button", { ...attributes, click }, h("span", title), sentences);
  });
  return rows.length ? rows : [h("p.muted", "This column has no outgoing transitions.")];
}
