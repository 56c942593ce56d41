// Moving a card, with an announcement and undo.

import { get } from "../core/api.js";
import { problemTexts } from "../core/error-text.js";
import { phrase, quote, truncate } from "../core/format.js";
import { announce } from "../ui/toast.js";
import { offerUndo } from "../ui/undo.js";
import { offerCardUndo } from "./batch.js";
import { writeMove } from "./card-writes.js";
import { showMoveError, showNoTransition } from "./move-errors.js";
import { boardNames } from "./names.js";

/** Announce to screen readers where a card is now. */
function announceMove(board, card, place) {
  announce(`${truncate(card.title)} is now in ${boardNames(board).column(card.columnId)}${place ? ", " + place : ""}.`);
}

/** Move a card and report the outcome; return whether it was moved. */
export async function moveCard(board, id, columnId, behind) {
  const card = board.cards.get(id);
  if (columnId !== card.columnId && !board.transitionsFrom(card.columnId).some((move) => move.id === columnId)) {
    showNoTransition(board, card, columnId);
    return false;
  }
  const above = board.above(id);
  const order = board.order.get(card.columnId);
  const isThere = () => board.cards.get(id)?.columnId === columnId;
  const undo = () => (isThere() ? writeMove(board, id, columnId, above) : "It has moved since.");
  try {
    const answer = await writeMove(board, id, columnId, behind);
    const place = phrase`${quote(truncate(card.title, 60))} is in ${boardNames(board).column(columnId)}`;
    if (columnId !== card.columnId) offerCardUndo(board, card, answer, place, order);
    else offerUndo(`${quote(truncate(card.title, 60))} has another place`, undo, { isSaid: true });
    const now = board.cards.get(id);
    if (now) announceMove(board, now, `${board.order.get(columnId).indexOf(id) + 1} of ${board.order.get(columnId).length}`);
    return true;
  } catch (error) {
    showMoveError(board, card, error);
    return false;
  }
}

/** Load the possible moves of a card: [{toColumnId, title, allowed, why}]; `why` is a list of sentences. */
export async function listMoves(board, id) {
  const found = await get(`/cards/${encodeURIComponent(id)}/moves`);
  return found.map((move) => ({ ...move, why: move.allowed ? [] : problemTexts({ details: move }, boardNames(board)) }));
}
