// Changes of several cards in one request, and their undo.

import { post } from "../core/api.js";
import { joinNames, quote, truncate } from "../core/format.js";
import { orgPath } from "../core/organization.js";
import { showToast } from "../ui/toast.js";
import { offerUndo, runUndo, waitBeforeUndo } from "../ui/undo.js";
import { waitForWrites } from "./card-writes.js";
import { showBoardError } from "./move-errors.js";
import { boardErrorText } from "./names.js";

export const BATCH_CARDS_MAX = 100; // changed in one request
const CARDS_NAMED_MAX = 5; // named per reason; further ones are counted

let sent; // the last batch

waitBeforeUndo(() => waitForWrites().then(() => sent));

/** Undo the change that an entry of an open card's history describes. */
export async function undoHistoryEntry(open, { createdAt }) {
  await runUndo(() => undoCards(open.board, [{ id: open.id, key: open.card.key, at: createdAt }]));
  await open.read();
}

/** Change cards in one request; return {changes, stays, left}: what can be undone, error sentences, ids of failed cards. */
export async function batchUpdate(board, ids, operation) {
  await waitForWrites(ids);
  const cards = ids.map((id) => board.cards.get(id)).filter(Boolean);
  const before = cards.map((card) => ({ ...card, order: board.order.get(card.columnId) }));
  const operations = cards.map((card) => ({ cardId: card.id, ifMatch: `"${card.version}"`, ...operation(card) }));
  const results = await sendBatch(board, operations);
  const isOther = ({ card }, at) => card && card.version !== cards[at].version; // the same version: nothing was changed
  const changed = (at, { updatedAt, columnId, version }) => {
    return { ...before[at], version, at: updatedAt, to: columnId };
  };
  const changes = results.flatMap((result, at) => (isOther(result, at) ? [changed(at, result.card)] : []));
  const left = results.flatMap(({ error }, at) => (error ? [before[at].id] : []));
  return { changes, stays: batchErrorText(board, before, results), left };
}

/**
 * Undo changes of cards, [{id, key, at}]; with {order, columnId, to}, also restore their positions. Return a sentence about
 * those that could not be undone, or undefined.
 */
async function undoCards(board, changes) {
  return batchErrorText(board, changes, await sendBatch(board, planUndo(board, changes))) || undefined;
}

/** Return the operations of a batch that undo changes of cards; the cards are placed below those that come earlier. */
export function planUndo(board, changes) {
  const isBelow = (id, columnId) => {
    const own = changes.find((change) => change.id === id);
    // The board may not show a change yet, so a card that comes back counts where it was, too.
    const columns = own ? [columnId, own.to, undefined] : [columnId];
    return columns.includes(board.cards.get(id)?.columnId);
  };
  const place = ({ id, order, columnId }) =>
    order ? { afterCardId: order.slice(0, order.indexOf(id)).findLast((other) => isBelow(other, columnId)) ?? null } : {};
  return changes.map((change) => ({ cardId: change.id, undo: { at: change.at, ...place(change) } }));
}

export async function sendBatch(board, operations) {
  const { results } = await (sent = operations.length ? post(orgPath("/cards/batch"), { operations }) : { results: [] });
  board.setOwn(results.flatMap(({ card }) => card ?? []));
  board.refresh();
  return results;
}

/** Return why cards were not changed, as sentences; cards with the same reason share one. */
export function batchErrorText(board, before, results) {
  const reasons = new Map();
  results.forEach(({ error }, at) => {
    if (!error) return;
    const reason = boardErrorText(board, error);
    reasons.set(reason, [...(reasons.get(reason) ?? []), before[at].key]);
  });
  return [...reasons].map(([reason, keys]) => `${joinNames(keys, CARDS_NAMED_MAX)}: ${reason}`).join(" ");
}

/** Archive a card and offer to undo it; return whether it was archived. */
export async function archiveCard(board, { id, title }) {
  try {
    const { changes, stays } = await batchUpdate(board, [id], () => ({ archive: true }));
    reportBatch(board, changes, stays, () => `${quote(truncate(title, 60))} is in the archive`, "It was not archived");
    return changes.length > 0;
  } catch (error) {
    return showBoardError(board, "It was not archived", error) ?? false;
  }
}

/** Offer to undo the last change of a card, if the response has a new version. */
export function offerCardUndo(board, card, answer, title, order) {
  if (!answer || answer.version === card.version) return;
  const change = { ...card, order, at: answer.updatedAt, to: answer.columnId };
  offerUndo(title, () => undoCards(board, [change]), { isSaid: true });
}

/** Show the result of a batch as a toast, with Undo if anything was changed. */
export function reportBatch(board, changes, stays, title, emptyTitle = "Nothing was changed") {
  /** @type {{text?: string, kind: "done" | "refused"}} */
  const options = { text: stays || undefined, kind: stays ? "refused" : "done" };
  if (changes.length) offerUndo(title(changes.length), () => undoCards(board, changes), options);
  else showToast({ title: emptyTitle, ...options, cause: "undo" });
}
