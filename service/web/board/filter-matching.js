// Which cards of a board match its filter, as in a list of the service (service/domain/card_filters.py).
//
// Board cards have the values of shown fields only: by another field none is found, and the menu does not offer it. Unlike in
// lists, words of a title count in any order, and a card key finds its card.

import { serverNow } from "../core/clock.js";
import { foldName, foldText } from "../core/folding.js";
import { dayOf, daysUntil, dueDateOf, isOverdue } from "../core/format.js";
import { lookUp } from "../core/lookup.js";
import { parseFieldFilter } from "../ui/filter/choices.js";

const DAYS_OF_WEEK = 7;
const AGE = /^(\d{1,6})([smhd])$/;
const AGE_MILLISECONDS = { __proto__: null, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Return a predicate for cards of a board; `myId` is the id of the user. */
export function createMatcher(board, filter, myId) {
  const now = serverNow();
  const { assignedUserId: users, assignedAgentId: agents, cardTypeId: types, priority: priorities } = filter;
  const people = users?.map((id) => (id === "me" ? myId : id));
  const tests = [
    people && ((card) => people.includes(card.assignedUserId ?? "none")),
    agents && ((card) => agents.includes(card.assignedAgentId ?? "none")),
    types && ((card) => types.includes(card.cardTypeId)),
    priorities && ((card) => priorities.includes(card.priority ?? "none")),
    filter.due && ((card) => filter.due.some((range) => isDue(range, dueDateOf(card), now, () => board.isComplete(card.id)))),
    filter.updatedSince && createAgeTest(filter.updatedSince, now),
    filter.field && createFieldTest(board, filter.field),
    filter.q && createTextTest(filter.q)
  ].filter(Boolean);
  return (card) => tests.every((test) => test(card));
}

function isDue(range, due, now, isComplete) {
  if (!due || range === "none") return !due && range === "none";
  if (range === "overdue") return isOverdue(due, now) && !isComplete();
  if (range === "today") return daysUntil(due, now) === 0;
  if (range === "week") return daysUntil(due, now) >= 0 && daysUntil(due, now) < DAYS_OF_WEEK;
  const [first, last] = range.split("..");
  return dayOf(due) >= first && dayOf(due) <= last;
}

function createAgeTest(text, now) {
  const age = AGE.exec(text);
  const since = age ? now - Number(age[1]) * AGE_MILLISECONDS[age[2]] : Date.parse(text);
  return ({ updatedAt }) => Date.parse(updatedAt) >= since;
}

/** Values of one field mean any of them, several fields all of them. */
function createFieldTest(board, filters) {
  const wanted = new Map();
  for (const { name, value } of filters.map(parseFieldFilter)) {
    if (!wanted.has(foldName(name))) wanted.set(foldName(name), new Set());
    wanted.get(foldName(name)).add(foldText(value));
  }
  const fields = board.cardTypes.flatMap(({ fields: own }) => own);
  const groups = [...wanted].map(([name, values]) => [
    fields.filter((field) => foldName(field.name) === name).map(({ id }) => id),
    values
  ]);
  return (card) =>
    groups.every(([ids, values]) =>
      ids.flatMap((id) => lookUp(card.values, id) ?? []).some((value) => values.has(foldText(value)))
    );
}

function createTextTest(text) {
  const words = foldText(text).split(/\s+/).filter(Boolean);
  const key = words.join(" ").replace(/^#/, "");
  const hasKey = (card) => [card.key, card.key.replace("-", "")].some((written) => written.toLowerCase() === key);
  return (card) => words.every((word) => foldTitle(card).includes(word)) || hasKey(card);
}

const folded = new WeakMap();

function foldTitle(card) {
  if (!folded.has(card)) folded.set(card, foldText(card.title));
  return folded.get(card);
}
