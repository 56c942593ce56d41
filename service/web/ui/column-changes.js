// Changes of columns, on a board and in its settings, each with undo.

import { get, patch, post, remove } from "../core/api.js";
import { formatCount, joinNames } from "../core/format.js";
import { orgPath } from "../core/organization.js";
import { suspendShortcuts } from "../core/shortcuts.js";
import { changeWithUndo, offerUndo, revertTo } from "./undo.js";

const CARDS_RESTORED_MAX = 100; // of a removed column: as many as one request lists and moves

/** What a new column gets, as a sentence. */
export const NEW_COLUMN_TEXT =
  "It is added before the done columns at the end. Agents can do there what they can do in the column to its left, and " +
  "cards can move between it and the columns on both sides.";

export const columnPath = ({ id }, rest = "") => orgPath(`/columns/${encodeURIComponent(id)}${rest}`);
const columnsPath = (projectId) => orgPath(`/columns?projectId=${encodeURIComponent(projectId)}`);

/** Create a column, connected to its neighbors in `columns`; raise ApiError. `done` is called after an undo. */
export async function createColumn(projectId, columns, title, done = () => {}) {
  const created = await post(orgPath("/columns"), { projectId, title, connectToNeighbors: true });
  const [left, right] = [columns[created.order - 1], columns[created.order]];
  const undo = () => removeNewColumn(created).finally(done);
  offerUndo(`${created.title} is added`, undo, { text: newColumnText(left, right) });
  return created;
}

/** Return what a new column has got from its neighbors. */
function newColumnText(left, right) {
  if (!left && !right) return "It is for people only. Board settings open it to agents.";
  const flags = left ? `It has the agent settings of ${left.title}.` : "It is for people only.";
  const neighbors = [left, right].filter(Boolean).map(({ title }) => title);
  return `${flags} Cards can move between it and ${joinNames(neighbors)}.`;
}

/** Remove a column that was just added; return a sentence if it has cards meanwhile. */
async function removeNewColumn(column) {
  try {
    await remove(columnPath(column));
  } catch (error) {
    if (error.code !== "column_not_empty") throw error;
    return `${column.title} has cards now. Move them to another column first.`;
  }
}

/** Change a column; return its new state, or false after an error, which is shown. */
export function updateColumn(column, changes, message, done) {
  const messages = { message: message ?? `${column.title} has another place`, failed: `${column.title} stays as it was` };
  return changeWithUndo(() => patch(columnPath(column), changes), { ...messages, undo: revertColumn(column, changes) }, done);
}

/** Rename a column; raise ApiError. `done` is called after an undo. */
export async function renameColumn(column, title, done = () => {}) {
  await patch(columnPath(column), { title });
  offerUndo(`${column.title} is called ${title} now`, () => revertColumn(column, { title })().finally(done));
}

/** Return a function that reverts changes of a column. */
function revertColumn(column, changes) {
  return revertTo({ list: columnsPath(column.projectId), address: columnPath(column) }, column, changes);
}

/** Ask where the cards of a column go, and remove it; `done` is called after an undo. Resolve to null if cancelled. */
export async function removeColumn({ columns, transitions }, column, done = () => {}) {
  const others = columns.filter(({ id }) => id !== column.id).map(({ id, title }) => [id, title]);
  const { openForm } = await suspendShortcuts(import("./form.js"));
  return openForm({
    title: `Remove ${column.title}?`,
    text: "Its transitions are removed too. Its cards move to another column; Undo brings back those that a transition allows.",
    fields: [{ name: "to", label: "Move its cards to", kind: "select", options: [["", "It has none"], ...others] }],
    button: "Remove",
    send: async ({ to }) => {
      const here = `/cards?columnId=${encodeURIComponent(column.id)}&pageSize=${CARDS_RESTORED_MAX}`;
      const cards = to ? await get(orgPath(here)) : { items: [], total: 0 };
      await remove(columnPath(column, to ? `?moveTo=${encodeURIComponent(to)}` : ""));
      offerUndo(`${column.title} is removed`, () => recreateColumn(column, transitions, cards).finally(done));
    }
  });
}

/** Recreate a removed column with its transitions and, where the transitions allow it, its cards. */
async function recreateColumn({ id, createdAt, ...column }, transitions, { items, total }) {
  const created = await post(orgPath("/columns"), column);
  const mapId = (other) => (other === id ? created.id : other);
  for (const { fromColumnId, toColumnId, requiresApproval } of transitions)
    if ([fromColumnId, toColumnId].includes(id))
      await post(orgPath("/transitions"), {
        fromColumnId: mapId(fromColumnId),
        toColumnId: mapId(toColumnId),
        requiresApproval
      });
  if (!total) return;
  const operations = items.map((card) => ({ cardId: card.id, move: { toColumnId: created.id } }));
  const { results } = await post(orgPath("/cards/batch"), { operations });
  const leftCount = total - results.filter(({ card }) => card).length;
  if (leftCount) return `${column.title} is back; ${formatCount(leftCount, "card")} of it did not come along.`;
}
