// Optimistic changes of cards: shown at once, sent in order, rolled back on an error.

import { isDay } from "../core/format.js";
import { patch, post } from "../core/api.js";

const queues = new Map(); // card id -> its pending writes, which are sent one after the other

/** Thrown for a write that was not sent because an earlier one of the same card failed. Only the earlier error is reported. */
export class WriteDropped extends Error {}

/** Move a card in or to a column: below the card `behind`, null for the top, undefined for the end. */
export function writeMove(board, id, columnId, behind) {
  const card = board.cards.get(id);
  const isRank = card.columnId === columnId;
  const optimistic = { ...card, columnId, ...(isRank ? {} : { request: undefined }) };
  return enqueueWrite(board, id, { shown: optimistic, behind }, (version) => {
    const after = behind === undefined ? {} : { afterCardId: behind };
    const path = `/cards/${encodeURIComponent(id)}`;
    if (isRank) return patch(`${path}/rank`, { afterCardId: behind ?? null }, { version });
    return patch(`${path}/status`, { toColumnId: columnId, ...after }, { version });
  });
}

/**
 * Change properties of a card: title, priority, dueDate, assignedAgentId, assignedUserId, or fieldValues with the `values`
 * that the board shows.
 */
export function writeChanges(board, id, changes, values = board.cards.get(id).values) {
  const due = "dueDate" in changes ? { dueAllDay: Boolean(changes.dueDate) && isDay(changes.dueDate) } : {};
  const optimistic = { ...board.cards.get(id), ...changes, ...due, values };
  return enqueueWrite(board, id, { shown: optimistic }, (version) =>
    patch(`/cards/${encodeURIComponent(id)}`, changes, { version })
  );
}

/** Wait for the pending writes of some cards, by default of all. */
export function waitForWrites(ids = [...queues.keys()]) {
  return Promise.all(ids.map((id) => queues.get(id)?.last));
}

/** Have later writes of a card wait for a change that its dialog has sent, and follow its version; return the change. */
export function trackEdit(board, id, edit) {
  if (!board.cards.has(id)) return edit;
  const queue = enterQueue(board, id);
  const follow = ({ version }) => {
    const { card } = queue.before;
    queue.before = { ...queue.before, card: { ...card, version: Math.max(card.version, version) } };
  };
  queue.last = Promise.all([edit, queue.last])
    .then(([answer]) => follow(answer))
    .catch(() => {})
    .finally(() => leaveQueue(queue, id));
  return edit;
}

/** Restore a card from the archive. */
export async function restoreCard(board, id) {
  await post(`/cards/${encodeURIComponent(id)}/restore`);
  board?.refresh();
}

/**
 * Show a change at once, and send it after the earlier ones of its card.
 * @param {any} board
 * @param {string} id
 * @param {{shown: any, behind?: string | null}} change what is shown meanwhile, and where; see Board.put
 * @param {(version: number) => Promise<any>} send
 */
async function enqueueWrite(board, id, { shown: optimistic, behind }, send) {
  const queue = enterQueue(board, id);
  const { round } = queue;
  board.writing.set(id, (board.writing.get(id) ?? 0) + 1);
  board.reading?.touched.add(id);
  board.put(optimistic, behind);
  const write = queue.last.then(async () => {
    if (round !== queue.round) throw new WriteDropped();
    const answer = await send(queue.before.card.version);
    const card = { ...optimistic, version: answer.version, updatedAt: answer.updatedAt };
    queue.before = { card, behind: behind === undefined ? queue.before.behind : behind };
    board.setVersion(card);
    return answer;
  });
  queue.last = write.catch(() => {});
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof WriteDropped)) {
      queue.round += 1;
      board.put(queue.before.card, queue.before.behind);
    }
    throw error;
  } finally {
    leaveQueue(queue, id);
    finishWrite(board, id);
  }
}

function enterQueue(board, id) {
  const queue = queues.get(id) ?? { before: snapshot(board, id), waiting: 0, last: Promise.resolve(), round: 0 };
  queues.set(id, queue);
  queue.waiting += 1;
  return queue;
}

function leaveQueue(queue, id) {
  queue.waiting -= 1;
  if (queue.waiting === 0) queues.delete(id);
}

function snapshot(board, id) {
  return { card: board.cards.get(id), behind: board.above(id) };
}

function finishWrite(board, id) {
  const left = board.writing.get(id) - 1;
  if (left) board.writing.set(id, left);
  else board.writing.delete(id);
  board.refresh();
}
