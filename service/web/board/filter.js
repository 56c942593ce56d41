// The card filter of a board, stored in the query of the address.

import { daysUntil, dueDateOf, isOverdue } from "../core/format.js";

const FILTER_KEYS = ["q", "who", "type", "prio", "due"];

/** Return the filter in the query of an address, or null. */
export function parseFilter(query) {
  const found = Object.fromEntries(
    FILTER_KEYS.filter((name) => query.get(name)).map((name) => [name, query.get(name)])
  );
  return Object.keys(found).length ? found : null;
}

/** Return a filter as the query of an address. */
export function filterQuery(filter) {
  const query = new URLSearchParams(Object.entries(filter ?? {}).filter(([, value]) => value));
  return query.size ? `?${query}` : "";
}

/** Return a filter with one value set, or removed if it was set already; null if it is empty then. */
export function toggleFilter(filter, name, value) {
  const changed = { ...filter, [name]: filter?.[name] === value ? "" : value };
  return Object.values(changed).some(Boolean) ? changed : null;
}

/**
 * Return a predicate for cards; `now` is a time in milliseconds, `fold` is foldText (core/folding.js). A card in a done
 * column is not due any more.
 */
export function createMatcher(filter, now, isDone, fold) {
  const words = (filter.q ? fold(filter.q) : "").split(/\s+/).filter(Boolean);
  return (card) => {
    if (filter.who && ![card.assignedUserId, card.assignedAgentId].includes(filter.who)) return false;
    if (filter.type && card.cardTypeId !== filter.type) return false;
    if (filter.prio && (card.priority ?? "none") !== filter.prio) return false;
    if (filter.due && (!isDue(filter.due, dueDateOf(card), now) || card.dueComplete || isDone(card))) return false;
    if (!words.length) return true;
    const text = foldTitle(card, fold);
    return words.every((word) => text.includes(word)) || card.key.toLowerCase() === words.join(" ");
  };
}

const folded = new WeakMap();

function foldTitle(card, fold) {
  if (!folded.has(card)) folded.set(card, fold(card.title));
  return folded.get(card);
}

function isDue(range, due, now) {
  if (!due) return false;
  return range === "late" ? isOverdue(due, now) : daysUntil(due, now) < 7;
}
