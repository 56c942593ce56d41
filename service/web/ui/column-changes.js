// Changes of columns, on a board and in its settings, each with undo.

import { get, patch, post, remove } from "../core/api.js";
import { formatCount, joinNames, phrase } from "../core/format.js";
import { orgPath } from "../core/organization.js";
import { suspendShortcuts } from "../core/shortcuts.js";
import { tryRequest } from "./request.js";
import { showError } from "./toast.js";
import { changeWithUndo, offerAllowedUndo, offerUndo, revertTo } from "./undo.js";

/** @import { Right } from "./rights.js" */

/** @type {Right[]} */
const NEEDED_TO_RECREATE = [
  ["create", "Column"],
  ["create", "Transition"]
];
const CARDS_PER_REQUEST = 100; // the most that a page lists and a batch moves

/** What a new column gets, as a sentence. */
export const NEW_COLUMN_TEXT =
  "It is added before the done columns at the end. Agents can do there what they can do in the column to its left, and " +
  "cards can move between it and the columns on both sides.";

export const columnPath = ({ id }, rest = "") => orgPath(`/columns/${encodeURIComponent(id)}${rest}`);
const columnsPath = (projectId) => orgPath(`/columns?projectId=${encodeURIComponent(projectId)}`);

/** Create a column, connected to its neighbors; raise ApiError. `done` is called after an undo. */
export async function createColumn(projectId, title, done = () => {}) {
  const created = await post(orgPath("/columns"), { projectId, title, connectToNeighbors: true });
  const columns = await get(columnsPath(projectId)).catch(() => null); // with those that were added just before
  const undo = () => removeNewColumn(created).finally(done);
  offerUndo(phrase`${created.title} is added`, undo, { text: columns && newColumnText(created, columns) });
  return created;
}

/** Return what a new column has got from its neighbors. */
function newColumnText(created, columns) {
  const at = columns.findIndex(({ id }) => id === created.id);
  const [left, right] = [columns[at - 1], columns[at + 1]];
  if (!left && !right) return "It is for people only. Board settings open it to agents.";
  const flags = left ? phrase`It has the agent settings of ${left.title}.` : "It is for people only.";
  const neighbors = [left, right].filter(Boolean).map(({ title }) => title);
  return `${flags} Cards can move between it and ${joinNames(neighbors)}.`;
}

/** Remove a column that was just added; return a sentence if it has cards meanwhile. */
async function removeNewColumn(column) {
  try {
    await remove(columnPath(column));
  } catch (error) {
    if (error.code !== "column_not_empty") throw error;
    return phrase`${column.title} has cards now. Move them to another column first.`;
  }
}

/** Change a column; return its new state, or false after an error, which is shown. */
export function updateColumn(column, changes, message, done) {
  const messages = {
    message: message ?? phrase`${column.title} has another place`,
    failed: phrase`${column.title} stays as it was`
  };
  return changeWithUndo(() => patch(columnPath(column), changes), { ...messages, undo: revertColumn(column, changes) }, done);
}

/** Rename a column; raise ApiError. `done` is called after an undo. */
export async function renameColumn(column, title, done = () => {}) {
  await patch(columnPath(column), { title });
  offerUndo(phrase`${column.title} is called ${title} now`, () => revertColumn(column, { title })().finally(done));
}

/** Return a function that reverts changes of a column. */
function revertColumn(column, changes) {
  return revertTo({ list: columnsPath(column.projectId), address: columnPath(column) }, column, changes);
}

/** Ask where the cards of a column go, if it has any, and remove it; `done` is called after an undo. */
export async function removeColumn({ columns, transitions }, column, done = () => {}) {
  const failed = phrase`${column.title} is not removed`;
  const loading = Promise.all([import("./form.js"), tryRequest(() => readCards(column, 1), { failed })]);
  const [{ openForm }, found] = await suspendShortcuts(loading);
  const others = columns.filter(({ id }) => id !== column.id);
  if (!found) return null;
  if (found.total && !others.length) return showError(failed, "It has cards, and there is no other column for them.");
  return openForm({
    title: phrase`Remove ${column.title}?`,
    ...describeRemoval(found.total, others, column),
    button: "Remove",
    send: async ({ to }) => {
      const cards = to ? await readAllCards(column) : [];
      await remove(columnPath(column, to ? `?moveTo=${encodeURIComponent(to)}` : ""));
      const undo = () => recreateColumn(column, transitions, cards).finally(done);
      await offerAllowedUndo(phrase`${column.title} is removed`, undo, NEEDED_TO_RECREATE);
    }
  });
}

/** Read a page of the cards of a column: {items, total}. */
function readCards({ id }, page) {
  return get(orgPath(`/cards?columnId=${encodeURIComponent(id)}&page=${page}&pageSize=${CARDS_PER_REQUEST}`));
}

async function readAllCards(column) {
  const { items: cards, total } = await readCards(column, 1);
  for (let page = 2; (page - 1) * CARDS_PER_REQUEST < total; page++) cards.push(...(await readCards(column, page)).items);
  return cards;
}

/** Return text and fields of the form that removes a column with `total` cards; the column on the left is proposed. */
function describeRemoval(total, others, { order }) {
  if (!total) return { text: "It has no cards. Its transitions are removed too.", fields: [] };
  const label = `Move its ${formatCount(total, "card")} to`;
  const text = "Its transitions are removed too. Undo brings back the cards that a transition allows.";
  const options = others.map(({ id, title }) => [id, title]);
  const value = others[Math.max(0, order - 1)].id;
  return { text, fields: [{ name: "to", label, kind: "select", options, value }] };
}

/** Recreate a removed column with its transitions and, where the transitions allow it, its cards. */
async function recreateColumn({ id, createdAt, ...column }, transitions, cards) {
  const created = await post(orgPath("/columns"), column);
  const mapId = (other) => (other === id ? created.id : other);
  for (const { fromColumnId, toColumnId, requiresApproval } of transitions)
    if ([fromColumnId, toColumnId].includes(id))
      await post(orgPath("/transitions"), {
        fromColumnId: mapId(fromColumnId),
        toColumnId: mapId(toColumnId),
        requiresApproval
      });
  const leftCount = await moveBack(cards, created.id);
  if (leftCount) return phrase`${column.title} is back; ${formatCount(leftCount, "card")} of it did not come along.`;
}

/** Move cards to a column in their order; return how many could not be moved. */
async function moveBack(cards, toColumnId) {
  let leftCount = 0;
  for (let at = 0; at < cards.length; at += CARDS_PER_REQUEST) {
    const operations = cards.slice(at, at + CARDS_PER_REQUEST).map(({ id }) => ({ cardId: id, move: { toColumnId } }));
    const { results } = await post(orgPath("/cards/batch"), { operations });
    leftCount += results.filter(({ card }) => !card).length;
  }
  return leftCount;
}
