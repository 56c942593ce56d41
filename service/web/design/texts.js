// Sentences that explain settings of a board.

import { formatNumber, joinNames, phrase, quote } from "../core/format.js";
import { findTransition } from "./store.js";

/** Return what agents may do in a column. */
export function agentRightsText(design, column) {
  const { agentPickupEnabled: canWork, agentCanModerate: canChange, columnType } = column;
  if (columnType === "done") return "Cards here are done and no longer block other cards.";
  if (!canWork)
    return canChange ? "Only people work here: agents may change nothing where they may not work." : "Only people work here.";
  if (!canChange) return "Agents comment and ask here; they change and move nothing.";
  return `Agents take cards here, change them${agentMovesText(design, column)}.`;
}

function agentMovesText(design, column) {
  const open = design.columns.filter(
    (to) => findTransition(design, column, to) && !findTransition(design, column, to).requiresApproval
  );
  const approval = design.columns.filter((to) => findTransition(design, column, to)?.requiresApproval);
  const moves = open.length ? `, move them to ${joinNames(open.map(({ title }) => title))}` : "";
  const asks = approval.length ? `, and ask for ${joinNames(approval.map(({ title }) => title))}` : "";
  return moves || asks ? moves + asks : ", and can move them nowhere";
}

const COLUMN_CHANGES = {
  __proto__: null,
  agentPickupEnabled: (title, on) =>
    on
      ? phrase`Agents may now take cards from ${title}, comment and ask there.`
      : phrase`Agents no longer work in ${title}; they can still read its cards.`,
  agentCanModerate: (title, on) =>
    on
      ? phrase`Agents may now change cards in ${title} and move them on.`
      : phrase`Agents can no longer change or move cards in ${title}.`,
  columnType: (title, kind) =>
    kind === "done"
      ? phrase`Cards in ${title} are done now: they no longer block other cards.`
      : phrase`Cards in ${title} are no longer done.`,
  rejectsBlocked: (title, on) =>
    on ? phrase`Blocked cards can no longer be moved into ${title}.` : phrase`Blocked cards may be moved into ${title} now.`,
  wipLimit: (title, limit) =>
    limit
      ? phrase`${title} takes ${formatNumber(limit)} cards at most now; agents are told that it is full.`
      : phrase`${title} takes any number of cards now.`
};

/** Return what a changed setting of a column means. */
export function columnChangeText(title, key, value) {
  return COLUMN_CHANGES[key](title, value);
}

/** Return which fields a column requires. */
export function requiredFieldsText(title, labels) {
  return labels.length
    ? phrase`Cards need ${joinNames(labels)} before they move into ${title}.`
    : phrase`${title} asks for no fields of its own.`;
}

/** Return which prompt agents get in a column. */
export function promptText(title, name) {
  return name
    ? phrase`Agents who take a card in ${title} get the prompt ${quote(name)}.`
    : phrase`Agents who take a card in ${title} get no prompt.`;
}

/** Return whether a transition is not allowed, allowed, or needs approval. */
export function transitionChangeText(from, to, state) {
  const route = phrase`from ${from.title} to ${to.title}`;
  if (state === "no") return `Cards can no longer move ${route}.`;
  if (state === "approval") return `Moving cards ${route} needs approval when an agent asks; people move them directly.`;
  const isForbidden = !from.agentPickupEnabled || !from.agentCanModerate;
  return isForbidden
    ? phrase`People may now move cards ${route}; agents may not move cards out of ${from.title}.`
    : `Agents and people may now move cards ${route}.`;
}

/** Return the transitions out of a column as a sentence. */
export function transitionsText(design, from) {
  const targets = design.columns
    .map((to) => [to, findTransition(design, from, to)])
    .filter(([, transition]) => transition)
    .map(([to, transition]) => (transition.requiresApproval ? phrase`${to.title} (a person approves)` : to.title));
  if (targets.length === 0) return phrase`From ${from.title}: no transitions.`;
  return phrase`From ${from.title} to ${joinNames(targets, 20)}.`;
}
