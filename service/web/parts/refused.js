// Refusals where they happen: one notice with all that stood in the way, and the one step that helps.

import { boardAddress, go } from "../core/route.js";
import { instead, reasons, stays } from "../core/refusals.js";
import { brief, quoted } from "../core/words.js";
import { Dropped } from "../core/writes.js";
import { announce, notify } from "./notice.js";

/** Give the names that sentences about a board need. */
export function namesOf(board) {
  const fields = board.cardTypes.flatMap(({ fields: own }) => own);
  const card = (id) => board.cards.get(id);
  return {
    column: (id) => board.column(id)?.title ?? "a column that is gone",
    field: (id) => fields.find((field) => field.id === id)?.label ?? "a field that is gone",
    card: (id) => (card(id) ? `${board.key(card(id))} ${quoted(brief(card(id).title, 60))}` : "a card of another board"),
  };
}

/** Say why a card did not move, and what to do about it. */
export function tellStays(board, card, error) {
  if (error instanceof Dropped) return;
  const column = namesOf(board).column(card.columnId);
  const said = reasons(error, namesOf(board));
  if (error.code === "transition_not_allowed") said.push(instead(board.ways(card.columnId).map(({ title }) => title)));
  notify({
    title: stays(brief(card.title), column),
    text: said.join(" "),
    kind: "refused",
    cause: `move ${card.id}`,
    actions: helps(board, card, error),
  });
}

/** Say why something else was not done. */
export function tellRefused(board, title, error, cause = title) {
  if (error instanceof Dropped) return;
  notify({ title, text: reasons(error, namesOf(board)).join(" "), kind: "refused", cause });
}

/** Say that there is no way for a card, without asking the service for what is known. */
export function noWay(board, card, columnId) {
  const details = { fromColumnId: card.columnId, toColumnId: columnId };
  tellStays(board, card, { code: "transition_not_allowed", details });
}

/** Say to those who listen that a card has arrived. */
export function arrived(board, card, place) {
  announce(`${brief(card.title)} is now in ${namesOf(board).column(card.columnId)}${place ? ", " + place : ""}.`);
}

function helps(board, card, error) {
  const all = error.details?.blockers ?? [error];
  const codes = new Set(all.map(({ code }) => code));
  const open = (id) => go(boardAddress(board.id, id));
  if (codes.has("required_fields_missing")) return [{ label: "Fill in", run: () => open(board.key(card)) }];
  const blocker = all.find(({ code }) => code === "card_blocked")?.details?.blockedBy?.[0];
  if (blocker) return [{ label: "Open the blocker", run: () => open(blocker) }];
  const isPlain = error.code === "transition_not_allowed" || error.status === 0;
  return isPlain ? [] : [{ label: "Show", run: () => open(board.key(card)) }];
}
