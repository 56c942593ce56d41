// Toasts about failed moves, with a button that helps.

import { alternativesText, problemTexts, stayedText } from "../core/error-text.js";
import { truncate } from "../core/format.js";
import { boardUrl, navigate } from "../core/router.js";
import { showError, showToast } from "../ui/toast.js";
import { WriteDropped } from "./card-writes.js";
import { boardErrorText, boardNames } from "./names.js";

/** Show why a card was not moved, and what to do about it. */
export function showMoveError(board, card, error) {
  if (error instanceof WriteDropped) return;
  const column = boardNames(board).column(card.columnId);
  const sentences = problemTexts(error, boardNames(board));
  if (error.code === "transition_not_allowed")
    sentences.push(alternativesText(board.transitionsFrom(card.columnId).map(({ title }) => title)));
  showToast({
    title: stayedText(truncate(card.title), column),
    text: sentences.join(" "),
    kind: "refused",
    cause: `move ${card.id}`,
    actions: helpActions(board, card, error)
  });
}

/** Show why another action on the board failed. */
export function showBoardError(board, title, error, cause = title) {
  if (error instanceof WriteDropped) return;
  showError(title, boardErrorText(board, error), cause);
}

/** Show that the board has no transition to a column, without sending a request. */
export function showNoTransition(board, card, columnId) {
  const details = { fromColumnId: card.columnId, toColumnId: columnId };
  showMoveError(board, card, { code: "transition_not_allowed", details });
}

function helpActions(board, card, error) {
  const all = error.details?.blockers ?? [error];
  const codes = new Set(all.map(({ code }) => code));
  const open = (id) => navigate(boardUrl(board.id, id));
  if (codes.has("required_fields_missing")) return [{ label: "Fill in", run: () => open(card.key) }];
  const blocker = all.find(({ code }) => code === "card_blocked")?.details?.blockedBy?.[0];
  if (blocker) return [{ label: "Open the blocker", run: () => open(blocker) }];
  const isPlain = error.code === "transition_not_allowed" || error.status === 0;
  return isPlain ? [] : [{ label: "Show", run: () => open(card.key) }];
}
