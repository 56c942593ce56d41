// The cards of a board: in which order and which of them are shown, and what a person does to them.

import { patch, post } from "./api.js";

/** Put cards behind those that they are said to stand behind: `above` is a map from an id (null: top) to the one below. */
export function merge(kept, below) {
  const order = [];
  const rest = new Map(below);
  const chain = (above) => {
    for (let id = rest.get(above); id !== undefined; id = rest.get(id)) {
      rest.delete(above);
      order.push(id);
      above = id;
    }
  };
  chain(null);
  for (const id of kept) {
    order.push(id);
    chain(id);
  }
  return [...order, ...rest.values()]; // behind a card that is not known here; the next look puts that right
}

/** Put one card right behind another (null: to the top, undefined: to the end). */
export function placed(order, id, above) {
  const others = order.filter((other) => other !== id);
  const at = above === undefined ? others.length : above === null ? 0 : others.indexOf(above) + 1;
  others.splice(above && at === 0 ? others.length : at, 0, id);
  return others;
}

/** Give the card right above another (null: it is the first). */
export function above(order, id) {
  return order[order.indexOf(id) - 1] ?? null;
}

// Which cards of a board are shown: what the address says, as a test for cards.
const DAY = 86_400_000;
const NAMES = ["q", "who", "type", "prio", "due"];

/** Read a filter from the query of an address; null if there is none. */
export function readFilter(query) {
  const found = Object.fromEntries(NAMES.filter((name) => query.get(name)).map((name) => [name, query.get(name)]));
  return Object.keys(found).length ? found : null;
}

/** Write a filter as the query of an address. */
export function writeFilter(filter) {
  const query = new URLSearchParams(Object.entries(filter ?? {}).filter(([, value]) => value));
  return query.size ? `?${query}` : "";
}

/** Change one part of a filter; the same value again takes it away. */
export function toggled(filter, name, value) {
  const changed = { ...filter, [name]: filter?.[name] === value ? "" : value };
  return Object.values(changed).some(Boolean) ? changed : null;
}

/** Make a test for cards; `key` gives the key of a card, `now` is a time in milliseconds. */
export function matcher(filter, key, now) {
  const words = (filter.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  return (card) => {
    if (filter.who && ![card.assignedUserId, card.assignedAgentId].includes(filter.who)) return false;
    if (filter.type && card.cardTypeId !== filter.type) return false;
    if (filter.prio && (card.priority ?? "none") !== filter.prio) return false;
    if (filter.due && !isDue(filter.due, card.dueDate, now)) return false;
    if (!words.length) return true;
    const text = lower(card);
    return words.every((word) => text.includes(word)) || key(card).toLowerCase() === words.join(" ");
  };
}

const lowered = new WeakMap();

function lower(card) {
  if (!lowered.has(card)) lowered.set(card, card.title.toLowerCase());
  return lowered.get(card);
}

function isDue(wanted, date, now) {
  if (!date) return false;
  const left = Date.parse(date) - now;
  return wanted === "late" ? left < 0 : left < 7 * DAY;
}

// What a person does to a card of a board: shown at once, then told to the service, and taken back if it refuses.
const turns = new Map(); // card -> {last, failed}: its writes go one behind the other

/** Thrown to whatever waits behind a write that was refused: it is not tried, and needs no notice of its own. */
export class Dropped extends Error {}

/** Move a card to a place: behind another card, null for the top, undefined for the end. */
export function move(board, id, columnId, behind) {
  const card = board.cards.get(id);
  const isRank = card.columnId === columnId;
  const shown = { ...card, columnId, ...(isRank ? {} : { request: undefined }) };
  return write(board, id, { shown, behind: behind === undefined && !isRank ? undefined : behind }, (version) => {
    const after = behind === undefined ? {} : { afterCardId: behind };
    const where = `/cards/${encodeURIComponent(id)}`;
    if (isRank) return patch(`${where}/rank`, { afterCardId: behind ?? null }, { version });
    return patch(`${where}/status`, { toColumnId: columnId, ...after }, { version });
  });
}

/** Change what cards show: title, priority, dueDate, assignedAgentId, assignedUserId. */
export function edit(board, id, changes) {
  const shown = { ...board.cards.get(id), ...changes };
  return write(board, id, { shown }, (version) => patch(`/cards/${encodeURIComponent(id)}`, changes, { version }));
}

/** Wait until what is being written to cards, or to these, is answered. */
export function written(ids = [...turns.keys()]) {
  return Promise.all(ids.map((id) => turns.get(id)?.last));
}

/** Take a card back from the archive. */
export async function restore(board, id) {
  await post(`/cards/${encodeURIComponent(id)}/restore`);
  board?.refresh();
}

/** Decide what an agent asks: approve, or reject with a note, which can send the card to another column. */
export async function decide(requestId, isApproved, note = null, toColumnId = null) {
  const where = `/move-requests/${encodeURIComponent(requestId)}/${isApproved ? "approve" : "reject"}`;
  return post(where, toColumnId ? { note, toColumnId } : { note });
}

/** Answer what an agent asks. */
export async function answer(cardId, commentId, content) {
  return post(`/cards/${encodeURIComponent(cardId)}/comments/${encodeURIComponent(commentId)}/replies`, { content });
}

async function write(board, id, { shown, behind }, send) {
  const turn = turns.get(id) ?? { before: snapshot(board, id), waiting: 0, last: Promise.resolve(), round: 0 };
  turns.set(id, turn);
  const { round } = turn;
  turn.waiting += 1;
  board.writing.set(id, (board.writing.get(id) ?? 0) + 1);
  board.reading?.touched.add(id);
  board.put(shown, behind);
  const mine = turn.last.then(async () => {
    if (round !== turn.round) throw new Dropped();
    const answer = await send(turn.before.card.version);
    const card = { ...shown, version: answer.version, updatedAt: answer.updatedAt };
    turn.before = { card, behind: behind === undefined ? turn.before.behind : behind };
    const now = board.cards.get(id);
    if (now) board.cards.set(id, { ...now, version: answer.version, updatedAt: answer.updatedAt });
    return answer;
  });
  turn.last = mine.catch(() => {});
  try {
    return await mine;
  } catch (error) {
    if (!(error instanceof Dropped)) {
      turn.round += 1;
      board.put(turn.before.card, turn.before.behind);
    }
    throw error;
  } finally {
    turn.waiting -= 1;
    if (turn.waiting === 0) turns.delete(id);
    finish(board, id);
  }
}

function snapshot(board, id) {
  return { card: board.cards.get(id), behind: board.above(id) };
}

function finish(board, id) {
  const left = board.writing.get(id) - 1;
  if (left) board.writing.set(id, left);
  else board.writing.delete(id);
  board.refresh();
}
