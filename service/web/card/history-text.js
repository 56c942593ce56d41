// Entries of the history as sentences.

import { formatDateTime, formatDay, isDay, joinNames, quote, truncate } from "../core/format.js";

const ACTIONS = {
  created: "created the card",
  ranked: "moved it within its column",
  archived: "archived it",
  restored: "restored it from the archive",
  commented: "commented",
  replied: "replied to a comment",
  fileAdded: "added a file",
  fileRemoved: "removed a file",
  released: "released it",
  related: "related it to another card",
  unrelated: "removed a relation"
};
const PROPERTIES = {
  title: "the title",
  priority: "the priority",
  dueDate: "the due date",
  assignedAgentId: "the assigned agent",
  assignedUserId: "the assignee"
};
const VALUE_CHARACTERS_MAX = 60; // of a quoted value

/** Return an entry of the history as a sentence without its subject. */
export function historyText({ action, actor, changes }, board) {
  const moved = changes.columnId;
  const column = (id) => board.column(id)?.title ?? "a column that is gone";
  if (action === "moved" && moved) return `moved it ${moveText(column, moved)}${requesterText(changes, board)}`;
  if (action === "rejected") return rejectionText(column, changes, board);
  if (action === "claimed") return "claimed it";
  if (action === "released" && actor.type === "User" && changes.claim) return endedText(changes.claim.from, board);
  if (action === "undone") return `undid a change: ${undoText(changes, board)}`;
  if (action === "updated") return updateText(changes, board);
  return ACTIONS[action] ?? action.replace(/([A-Z])/g, " $1").toLowerCase();
}

function moveText(column, { from, to }) {
  return from ? `from ${column(from)} to ${column(to)}` : `to ${column(to)}`;
}

/** Return which agent requested a move, or nothing. */
function requesterText({ requestedBy }, board) {
  const id = requestedBy?.to;
  return id ? `, as ${board.agent(id)?.title ?? id} had asked` : "";
}

function endedText(id, board) {
  return `ended the claim of ${board.agent(id)?.title ?? id}`;
}

/** Return which move was rejected, and which agent requested it. */
function rejectionText(column, { toColumnId, requestedBy }, board) {
  const agent = requestedBy?.to;
  const requested = agent ? ` that ${board.agent(agent)?.title ?? agent} had requested` : "";
  return `rejected the move to ${column(toColumnId?.to)}${requested}`;
}

function undoText({ columnId, archivedAt, claim, ...others }, board) {
  const put = archivedAt && (archivedAt.to ? "it is in the archive" : "it is out of the archive");
  const place = columnId && `it is in ${board.column(columnId.to)?.title ?? "a column that is gone"}`;
  const names = Object.keys(others).map((name) => propertyName(name, board));
  return joinNames([put, place, names.length && `${joinNames(names)} as before`].filter(Boolean));
}

function updateText(changes, board) {
  const names = Object.keys(changes);
  if (names.length !== 1) return `changed ${joinNames(names.map((name) => propertyName(name, board)))}`;
  const [name] = names;
  const { to } = changes[name];
  const value = valueText(name, to, board);
  return value === null ? `cleared ${propertyName(name, board)}` : `changed ${propertyName(name, board)} to ${value}`;
}

function propertyName(name, board) {
  if (!name.startsWith("fieldValues.")) return PROPERTIES[name] ?? name;
  const own = name.slice("fieldValues.".length);
  const fields = board.cardTypes.flatMap(({ fields }) => fields);
  return quote(fields.find((field) => field.name === own)?.label ?? own);
}

function valueText(name, value, board) {
  if (value === null || value === undefined || value === "none") return null;
  if (name === "assignedUserId") return board.person(value)?.name ?? "somebody who left";
  if (name === "assignedAgentId") return board.agent(value)?.title ?? value;
  if (name === "dueDate") return isDay(value) ? formatDay(value) : formatDateTime(value);
  const text = (item) => quote(truncate(String(item), VALUE_CHARACTERS_MAX));
  if (Array.isArray(value)) return joinNames(value.map(text)) || null;
  return name === "priority" ? value : text(value);
}
