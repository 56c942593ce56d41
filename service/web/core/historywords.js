// What happened to a card, as sentences for people.

import { brief, list, quoted } from "./words.js";

const PLAIN = {
  created: "made the card",
  ranked: "moved it within its column",
  archived: "archived it",
  restored: "took it back from the archive",
  commented: "commented",
  replied: "replied to a comment",
  fileAdded: "added a file",
  fileRemoved: "removed a file",
  released: "stopped working on it",
  related: "related it to another card",
  unrelated: "removed a relation",
};
const PROPERTIES = {
  title: "the title",
  priority: "the priority",
  dueDate: "the due date",
  assignedAgentId: "the agent",
  assignedUserId: "the person",
};
const SHORT = 60; // characters of a value that a sentence quotes

/** Say who it was: the name that they had, or the id of an agent that is gone. */
export function actorName(actor, board) {
  if (!actor) return "Somebody";
  return actor.label ?? board?.agent(actor.id)?.title ?? (actor.type === "System" ? "Tandem" : actor.id);
}

/** Say what a row of history tells, without its actor. */
export function happened({ action, changes }, board) {
  const moved = changes.columnId;
  const column = (id) => board.column(id)?.title ?? "a column that is gone";
  if (action === "moved" && moved) return `moved it ${way(column, moved)}${asked(changes, board)}`;
  if (action === "claimed") return "began to work on it";
  if (action === "undone") return `took a change back: ${undone(changes, board)}`;
  if (action === "updated") return updated(changes, board);
  return PLAIN[action] ?? action.replace(/([A-Z])/g, " $1").toLowerCase();
}

function way(column, { from, to }) {
  return from ? `from ${column(from)} to ${column(to)}` : `to ${column(to)}`;
}

/** A move that an agent had asked for names it. */
function asked({ requestedBy }, board) {
  const id = requestedBy?.to;
  return id ? `, as ${board.agent(id)?.title ?? id} had asked` : "";
}

function undone({ columnId, archivedAt, claim, ...others }, board) {
  const put = archivedAt && (archivedAt.to ? "it is in the archive" : "it is out of the archive");
  const place = columnId && `it is in ${board.column(columnId.to)?.title ?? "a column that is gone"}`;
  const names = Object.keys(others).map((name) => named(name, board));
  return list([put, place, names.length && `${list(names)} as before`].filter(Boolean));
}

function updated(changes, board) {
  const names = Object.keys(changes);
  if (names.length !== 1) return `changed ${list(names.map((name) => named(name, board)))}`;
  const [name] = names;
  const { to } = changes[name];
  const value = shown(name, to, board);
  return value === null ? `cleared ${named(name, board)}` : `changed ${named(name, board)} to ${value}`;
}

function named(name, board) {
  if (!name.startsWith("fieldValues.")) return PROPERTIES[name] ?? name;
  const own = name.slice("fieldValues.".length);
  const fields = board.cardTypes.flatMap(({ fields }) => fields);
  return quoted(fields.find((field) => field.name === own)?.label ?? own);
}

function shown(name, value, board) {
  if (value === null || value === undefined || value === "none") return null;
  if (name === "assignedUserId") return board.person(value)?.name ?? "somebody who left";
  if (name === "assignedAgentId") return board.agent(value)?.title ?? value;
  if (name === "dueDate") return String(value).slice(0, 10);
  const text = Array.isArray(value) ? value.join(", ") : String(value);
  return name === "priority" ? text : quoted(brief(text, SHORT));
}
