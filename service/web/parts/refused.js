// Refusals where they happen: one notice with all that stood in the way, and the one step that helps.

import { get, patch, post } from "../core/api.js";
import { Dropped, move, written } from "../core/cards.js";
import { bind } from "../core/keys.js";
import { path } from "../core/organization.js";
import { boardAddress, go } from "../core/route.js";
import { brief, instead, list, quoted, reasons, stays } from "../core/words.js";
import { announce, notify, openMenu, refuse } from "./float.js";
import { attempt, sentence } from "./form.js";

/** Give the names that sentences about a board need. */
export function namesOf(board) {
  const fields = board.cardTypes.flatMap(({ fields: own }) => own);
  const card = (id) => board.cards.get(id);
  return {
    column: (id) => board.column(id)?.title ?? "a column that is gone",
    field: (id) => fields.find((field) => field.id === id)?.label ?? "a field that is gone",
    card: (id) => (card(id) ? `${board.key(card(id))} ${quoted(brief(card(id).title, 60))}` : "a card of another board")
  };
}

/** Say in a sentence why something was refused on a board. */
export function sentenceOf(board, error) {
  return reasons(error, namesOf(board)).join(" ");
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
    actions: helps(board, card, error)
  });
}

/** Say why something else was not done. */
export function tellRefused(board, title, error, cause = title) {
  if (error instanceof Dropped) return;
  refuse(title, sentenceOf(board, error), cause);
}

/** Say that there is no way for a card, without asking the service for what is known. */
export function noWay(board, card, columnId) {
  const details = { fromColumnId: card.columnId, toColumnId: columnId };
  tellStays(board, card, { code: "transition_not_allowed", details });
}

/** Say to those who listen that a card has arrived. */
function arrived(board, card, place) {
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

// Undo: what was done can be taken back for 8 seconds, by a button or a key; changes of cards by their moment.
export const CARDS_MAX = 100; // that are changed at once
export const PRIORITIES = ["none", "low", "medium", "high", "urgent"];
const UNDO_MILLISECONDS = 8000;
const CARDS_NAMED_MAX = 5; // of those that stay for the same reason

let latest, sent; // what can be undone, and the last change of several cards
const undoLatest = () =>
  setTimeout(() => (latest?.isConnected ? latest.undo() : notify({ title: "There is nothing to undo", cause: "undo" })));
// What is under way offers its way back first.
const undo = () => void written().then(() => sent).then(undoLatest, undoLatest);
bind({ undo });
bind({ undo }, "any");

/** Say what was done, and offer to do `back`, which gives what stays as it is as a sentence, or nothing. */
export function offerUndo(title, back, { text, kind, isSaid = false } = {}) {
  const run = () => carryOut(back);
  const actions = [{ label: "Undo", key: "undo", run }];
  latest = notify({ title, text, kind, isSaid, shown: UNDO_MILLISECONDS, actions, cause: "undo" });
  latest.undo = () => (latest.close(), void run());
}

async function carryOut(back) {
  const tell = (text) => refuse("This was not undone", text, "undo");
  try {
    const stays = await back();
    if (typeof stays === "string") tell(stays);
    else announce("Undone.");
  } catch (error) {
    if (!("status" in error)) throw error;
    tell(sentence(error));
  }
}

/** Take back what a row of the history of an open card tells. */
export async function undoThis(open, { createdAt }) {
  await carryOut(() => takeBack(open.board, [{ id: open.id, key: open.card.key, at: createdAt }]));
  await open.read();
}

/** Change something and offer a way back; `done` is told after either; give whether it was changed. */
export async function change(work, { says, failed, back }, done = () => {}) {
  const answer = await attempt(work, { failed });
  if (answer) offerUndo(says, async () => (await Promise.resolve(back(answer)).finally(done)) ?? undefined);
  done();
  return answer;
}

/** Give the way back of what was set: to what `one` was, if that is in the `list` as it was set (`wanted`). */
export function former({ list: where, address, id = "id" }, one, wanted) {
  const before = Object.fromEntries(Object.keys(wanted).map((key) => [key, one[key]]));
  const read = async () => (await get(where)).find((other) => other[id] === one[id]);
  return () => setBack(read, wanted, async () => void (await patch(address, before)));
}

/** Set something back to what it was: `read` gives it as it is, `wanted` is what was set and should still be there. */
async function setBack(read, wanted, write) {
  const now = await read();
  if (!now) return "It is gone.";
  const other = Object.keys(wanted).some((key) => JSON.stringify(now[key]) !== JSON.stringify(wanted[key]));
  if (other) return "Somebody changed it since, so it stays as it is.";
  await write();
}

/** Do something to cards in one request; give {changes, stays}: what can be taken back, and sentences about the rest. */
export async function together(board, ids, operation) {
  await written(ids);
  const cards = ids.map((id) => board.cards.get(id)).filter(Boolean);
  const known = cards.map((card) => ({ ...card, key: board.key(card), order: board.order.get(card.columnId) }));
  const operations = cards.map((card) => ({ cardId: card.id, ifMatch: `"${card.version}"`, ...operation(card) }));
  const results = await send(board, operations);
  const isOther = ({ card }, at) => card && card.version !== cards[at].version; // what was so before has not been changed
  const changed = (at, { updatedAt, columnId }) => ({ ...known[at], at: updatedAt, to: columnId });
  const changes = results.flatMap((one, at) => (isOther(one, at) ? [changed(at, one.card)] : []));
  const left = results.flatMap(({ error }, at) => (error ? [known[at].id] : []));
  return { changes, stays: told(board, known, results), left };
}

/** Take changes of cards back, [{id, key, at}], with {order, columnId, to} to where they stood; give a sentence of what stays. */
async function takeBack(board, changes) {
  const stands = (id, columnId) => {
    const mine = changes.find((one) => one.id === id);
    return [mine ? mine.to : columnId, mine && undefined].includes(board.cards.get(id)?.columnId);
  };
  const place = ({ id, order, columnId }) =>
    order ? { afterCardId: order.slice(0, order.indexOf(id)).findLast((other) => stands(other, columnId)) ?? null } : {};
  const operations = changes.map((one) => ({ cardId: one.id, undo: { at: one.at, ...place(one) } }));
  return told(board, changes, await send(board, operations)) || undefined;
}

async function send(board, operations) {
  const { results } = await (sent = operations.length ? post(path("/cards/batch"), { operations }) : { results: [] });
  board.refresh();
  return results;
}

/** Say of each card that was refused why, those with the same reason together. */
function told(board, known, results) {
  const why = new Map();
  results.forEach(({ error }, at) => {
    if (!error) return;
    const words = sentenceOf(board, error);
    why.set(words, [...(why.get(words) ?? []), known[at].key]);
  });
  return [...why].map(([words, keys]) => `${list(keys, CARDS_NAMED_MAX)}: ${words}`).join(" ");
}

/** Put a card into the archive, with a way back; give whether it is there. */
export async function putAway(board, { id, title }) {
  try {
    const { changes, stays } = await together(board, [id], () => ({ archive: true }));
    tell(board, changes, stays, () => `${quoted(brief(title, 60))} is in the archive`, "It was not archived");
    return changes.length > 0;
  } catch (error) {
    return tellRefused(board, "It was not archived", error) ?? false;
  }
}

/** Offer to take back what a card was changed to just now, if it was. */
export function offerBack(board, card, answer, title, order) {
  if (!answer || answer.version === card.version) return;
  const change = { ...card, key: board.key(card), order, at: answer.updatedAt, to: answer.columnId };
  offerUndo(title, () => takeBack(board, [change]), { isSaid: true });
}

/** Say what became of cards that were changed together. */
export function tell(board, changes, stays, title, none = "Nothing was changed") {
  const refused = { text: stays || undefined, kind: stays ? "refused" : "done" };
  if (changes.length) offerUndo(title(changes.length), () => takeBack(board, changes), refused);
  else notify({ title: none, ...refused, cause: "undo" });
}

// Moving a card without dragging: a menu of all ways out of its column, and a verb for keys.
/** Move a card and say how that went; false if it stayed. */
export async function moveCard(board, id, columnId, behind) {
  const card = board.cards.get(id);
  if (columnId !== card.columnId && !board.ways(card.columnId).some((way) => way.id === columnId)) {
    noWay(board, card, columnId);
    return false;
  }
  const above = board.above(id);
  const order = board.order.get(card.columnId);
  const isHere = () => board.cards.get(id)?.columnId === columnId;
  const back = () => (isHere() ? move(board, id, columnId, above) : "It has moved since.");
  try {
    const answer = await move(board, id, columnId, behind);
    const place = `${quoted(brief(card.title, 60))} is in ${namesOf(board).column(columnId)}`;
    if (columnId !== card.columnId) offerBack(board, card, answer, place, order);
    else offerUndo(`${quoted(brief(card.title, 60))} has another place`, back, { isSaid: true });
    const now = board.cards.get(id);
    if (now) arrived(board, now, `${board.order.get(columnId).indexOf(id) + 1} of ${board.order.get(columnId).length}`);
    return true;
  } catch (error) {
    tellStays(board, card, error);
    return false;
  }
}

/** Read where a card could go: [{toColumnId, title, allowed, why}]; `why` are sentences. */
export async function waysOf(board, id) {
  const found = await get(`/cards/${encodeURIComponent(id)}/moves`);
  return found.map((way) => ({ ...way, why: way.allowed ? [] : reasons({ details: way }, namesOf(board)) }));
}

/** Open the menu of all places that a card can go to; what is closed says why. */
export async function openMoves(anchor, board, id, done = () => {}) {
  try {
    const ways = await waysOf(board, id);
    const items = ways.map(({ toColumnId, title, allowed, why }) => ({
      label: title,
      why: why.join(" "),
      disabled: !allowed,
      run: allowed ? async () => (await moveCard(board, id, toColumnId)) && done() : null
    }));
    const none = { label: "There is no way out of this column", disabled: true };
    openMenu(anchor, { label: "Move to", items: [{ head: "Move to" }, ...(items.length ? items : [none])] });
  } catch (error) {
    tellRefused(board, "The ways of the card could not be read", error);
  }
}
