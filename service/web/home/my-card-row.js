// The cards of the user, grouped by due date, as rows.

import { serverNow } from "../core/clock.js";
import { h } from "../core/dom.js";
import { daysUntil, describeDueDate, dueDateOf, isOverdue } from "../core/format.js";
import { guard } from "../core/guard.js";
import { boardUrl } from "../core/router.js";
import { cardLink } from "../ui/card-link.js";
import { drawRows } from "../ui/list.js";
import { priorityBadge } from "../ui/priority.js";

const DAYS_OF_WEEK = 7; // today and the six days after it

/**
 * The groups by due date, in order: label, and whether a card with so many days left belongs there.
 * @type {[label: string, belongs: (days: number) => boolean][]}
 */
const GROUPS = [
  ["Overdue", (days) => days === -1],
  ["Today", (days) => days === 0],
  ["This week", (days) => days > 0 && days < DAYS_OF_WEEK],
  ["Later or no due date", (days) => days >= DAYS_OF_WEEK]
];

/** Render cards as rows below the name of their group. */
export function renderGroups(cards) {
  const days = new Map(
    cards.map((card) => [
      card,
      guard(
        () => daysLeft(card),
        () => Infinity
      )
    ])
  );
  return GROUPS.flatMap(([label, belongs]) => {
    const rows = drawMyCards(cards.filter((card) => belongs(days.get(card))));
    return rows.length ? [h("li.group", { "data-key": label }, label), ...rows] : [];
  });
}

/** Return the days until a card is due: -1 if it is overdue, many if it has no due date or its due date is met. */
function daysLeft(card) {
  const due = dueDateOf(card);
  if (!due || card.dueComplete) return Infinity;
  return isOverdue(due, serverNow()) ? -1 : daysUntil(due, serverNow());
}

/** Render cards as rows; one that cannot be drawn can be opened all the same. */
export function drawMyCards(cards) {
  return drawRows(cards, renderMyCard, { open: ({ projectId, key }) => boardUrl(projectId, key) });
}

/** Render a card with its board and column. */
function renderMyCard(card) {
  const { id, key, projectId, title, board, column, priority } = card;
  const place = h("div.small", h("bdi", board.title), " · ", h("bdi", column.title));
  const due = card.dueDate && describeDueDate(dueDateOf(card), serverNow(), isMet(card));
  const side = h(
    "div.card-facts",
    priority !== "none" && priorityBadge(priority),
    due && h("span", { class: `due ${due.state}` }, due.text)
  );
  const what = h("div.what", h("div", cardLink(projectId, key, title)), place);
  return h("li.item", { "data-id": `card ${id}`, "data-key": priority, tabindex: "-1" }, what, side);
}

function isMet({ dueComplete, column }) {
  return dueComplete || column.columnType === "done";
}
