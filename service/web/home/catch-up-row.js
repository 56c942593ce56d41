// The changes of a card since the last visit as a row of Home.

import { serverNow } from "../core/clock.js";
import { h } from "../core/dom.js";
import { formatAge, formatCount, joinNames, phrase } from "../core/format.js";
import { agentAvatar, userAvatar } from "../ui/avatar.js";
import { cardLink } from "../ui/card-link.js";

/** Render the changes that others made to a card since the last visit. */
export function renderCatchUpRow(entry, { badges: marks, agents }) {
  const { cardKey, title, projectId, by, lastAt } = entry;
  const [first] = by;
  const names = by.map((actor) => actorName(actor, agents));
  const isAgent = first?.type === "Agent";
  const face = isAgent ? agentAvatar(marks.get(first.id), names[0], true) : userAvatar(names[0] ?? "somebody", true);
  const told = h("div.small", [...changeTexts(entry), `by ${joinNames(names)}`].join(" · "));
  const what = h("div.what", h("div", cardLink(projectId, cardKey, title)), told);
  return h("li.item", face, what, h("span.muted.small", formatAge(lastAt, serverNow())));
}

/** Return the name of an actor, or the id of an agent that is gone. */
function actorName({ type, id, label }, agents) {
  const agent = type === "Agent" && agents.find((one) => one.id === id);
  return label ?? (agent ? agent.title : type === "System" ? "Tandem" : id);
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
