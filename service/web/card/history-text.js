// Entries of the history as sentences.

import { getBoardTitle } from "../core/organization.js";
import { formatDateTime, formatDay, formatDecimal, isDay, joinNames, phrase, quote, truncate } from "../core/format.js";

const ACTIONS = {
  __proto__: null,
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
  __proto__: null,
  cardTypeId: "the type",
  title: "the title",
  priority: "the priority",
  dueDate: "the due date",
  assignedAgentId: "the assigned agent",
  assignedUserId: "the assignee"
};
const FIELD = "fieldValues."; // prefix of the names of custom fields
const VALUE_CHARACTERS_MAX = 60; // of a quoted value
const TICK = /^fieldValues\.[^.]+\.\d+$/; // an item of a checklist, as "[x] text"

/** Return an entry of the history as a sentence without its subject. */
export function historyText({ action, actor, changes }, board) {
  const moved = changes.columnId;
  const column = (id) => board.column(id)?.title ?? "a column that is gone";
  if (action === "moved" && moved) return `moved it ${moveText(column, moved)}${requesterText(changes, board)}`;
  if (action === "rejected") return rejectionText(column, changes, board);
  if (action === "claimed") return "claimed it";
  if (action === "released" && actor.type === "User" && changes.claim) return endedText(changes.claim.from, board);
  if (action === "transferred") return transferText(changes, board);
  if (action === "undone") return `undid a change: ${undoText(changes, board)}`;
  if (action === "updated") return updateText(changes, board);
  return ACTIONS[action] ?? action.replace(/([A-Z])/g, " $1").toLowerCase();
}

function moveText(column, { from, to }) {
  return from ? phrase`from ${column(from)} to ${column(to)}` : phrase`to ${column(to)}`;
}

/** Return which agent requested a move, or nothing. */
function requesterText({ requestedBy }, board) {
  const id = requestedBy?.to;
  return id ? phrase`, as ${board.agent(id)?.title ?? id} had asked` : "";
}

function endedText(id, board) {
  return phrase`ended the claim of ${board.agent(id)?.title ?? id}`;
}

/** Return which move was rejected, and which agent requested it. */
function rejectionText(column, { toColumnId, requestedBy }, board) {
  const agent = requestedBy?.to;
  const requested = agent ? phrase` that ${board.agent(agent)?.title ?? agent} had requested` : "";
  return phrase`rejected the move to ${column(toColumnId?.to)}${requested}`;
}

function transferText({ projectId, cardTypeId, key, ...changes }, board) {
  const boards = phrase`from ${getBoardTitle(projectId?.from)} to ${getBoardTitle(projectId?.to)}`;
  const type = cardTypeId ? phrase`, with the type ${typeTitle(cardTypeId.to, board)}` : "";
  return `moved it ${boards}, as ${key?.to}${type}${droppedText(changes, board)}`;
}

function typeTitle(id, board) {
  return board.type(id)?.title ?? "a type of another board";
}

/** Return which values were dropped with a type, or nothing. */
function droppedText(changes, board) {
  const dropped = Object.keys(changes).filter((name) => name.startsWith(FIELD) && changes[name].to === null);
  return dropped.length ? `; dropped ${joinNames(dropped.map((name) => propertyName(name, board)))}` : "";
}

function typeText({ cardTypeId, ...changes }, board) {
  const { from, to } = cardTypeId;
  const type = phrase`changed the type from ${typeTitle(from, board)} to ${typeTitle(to, board)}`;
  const others = Object.keys(changes).filter((name) => changes[name].to !== null || !name.startsWith(FIELD));
  const rest = others.length ? `, and ${joinNames(others.map((name) => propertyName(name, board)))}` : "";
  return `${type}${rest}${droppedText(changes, board)}`;
}

function undoText({ columnId, archivedAt, projectId, key, claim, ...others }, board) {
  const put = archivedAt && (archivedAt.to ? "it is in the archive" : "it is out of the archive");
  if (projectId) return phrase`it is on ${getBoardTitle(projectId.to)} again`;
  const place = columnId && phrase`it is in ${board.column(columnId.to)?.title ?? "a column that is gone"}`;
  const names = Object.keys(others).map((name) => propertyName(name, board));
  return joinNames([put, place, names.length && `${joinNames(names)} as before`].filter(Boolean));
}

function updateText(changes, board) {
  if (changes.cardTypeId) return typeText(changes, board);
  const names = Object.keys(changes);
  if (names.length && names.every((name) => TICK.test(name))) return joinNames(names.map((name) => tickText(changes[name])));
  if (names.length !== 1) return `changed ${joinNames(names.map((name) => propertyName(name, board)))}`;
  const [name] = names;
  const { to } = changes[name];
  const value = valueText(name, to, board);
  return value === null ? `cleared ${propertyName(name, board)}` : phrase`changed ${propertyName(name, board)} to ${value}`;
}

function tickText({ to }) {
  return `${to[1] === " " ? "unticked" : "ticked"} ${quote(truncate(to.slice(4), VALUE_CHARACTERS_MAX))}`;
}

function propertyName(name, board) {
  if (!name.startsWith(FIELD)) return PROPERTIES[name] ?? name;
  const [own, item] = name.slice(FIELD.length).split(".");
  const label = quote(findField(own, board)?.label ?? own);
  return item ? `an item of ${label}` : label;
}

function findField(own, board) {
  return board.cardTypes.flatMap(({ fields }) => fields).find(({ name }) => name === own);
}

function valueText(name, value, board) {
  if (value === null || value === undefined || value === "none") return null;
  const kind = name.startsWith(FIELD) && findField(name.slice(FIELD.length), board)?.kind;
  if (name === "assignedUserId" || kind === "user") return board.person(value)?.name ?? "somebody who left";
  if (name === "assignedAgentId" || kind === "agent") return board.agent(value)?.title ?? value;
  if (kind === "number") return formatDecimal(value);
  if (kind === "date") return formatDay(value.slice(0, 10));
  if (name === "dueDate") return isDay(value) ? formatDay(value) : formatDateTime(value);
  const text = (item) => quote(truncate(String(item), VALUE_CHARACTERS_MAX));
  if (Array.isArray(value)) return joinNames(value.map(text)) || null;
  return name === "priority" ? value : text(value);
}
