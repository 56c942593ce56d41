// The changes of a card since the last visit as a row of Home.

import { serverNow } from "../core/clock.js";
import { h } from "../core/dom.js";
import { formatAge, formatCount, joinNames, phrase } from "../core/format.js";
import { agentAvatar, userAvatar } from "../ui/avatar.js";
import { cardLink } from "../ui/card-link.js";

/** Render the changes that others made to a card since the last visit. */
export function renderCatchUpRow(entry, { badges: marks }) {
  const { cardKey, title, projectId, by, lastAt } = entry;
  const [first] = by;
  const isAgent = first?.type === "Agent";
  const face = isAgent ? agentAvatar(marks.get(first.id), actorName(first), true) : userAvatar(actorName(first), true);
  const told = h("div.small", [...changeTexts(entry), `by ${joinNames(by.map(actorName))}`].join(" · "));
  const what = h("div.what", h("div", cardLink(projectId, cardKey, title)), told);
  return h("li.item", face, what, h("span.muted.small", formatAge(lastAt, serverNow())));
}

function actorName(actor) {
  return actor?.label ?? (actor?.type === "System" ? "Tandem" : actor?.id) ?? "somebody";
}

/** Return the changes as a sentence that begins with the current column. */
function changeTexts({ what: { created, moved, commented, updated }, column, fromColumn }) {
  const way = fromColumn ? phrase`moved from ${fromColumn} to ${column}` : phrase`moved, now in ${column}`;
  return [
    created && "new",
    moved ? way : phrase`in ${column}`,
    commented && formatCount(commented, "comment"),
    updated && formatCount(updated, "change")
  ].filter(Boolean);
}
