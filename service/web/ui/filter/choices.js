// What the cards of one or of all boards can be filtered by, and the names of these choices.

import { foldName, foldText } from "../../core/folding.js";
import { formatDay, phrase, quote } from "../../core/format.js";
import { lookUp } from "../../core/lookup.js";
import { findLabelField, formatChoice, listKnownLabels, listUsedValues } from "../labels.js";
import { PRIORITIES } from "../priority.js";

const CHOICE_KINDS = ["select", "multiselect", "checkbox", "user", "agent"];
const NOBODY = { value: "none", label: "Nobody" };
const DUE = [
  { value: "overdue", label: "Overdue" },
  { value: "today", label: "Today" },
  { value: "week", label: "This week" },
  { value: "none", label: "No date" }
];
const UPDATED = [
  { value: "1d", label: "Last 24 hours" },
  { value: "7d", label: "Last 7 days" },
  { value: "30d", label: "Last 30 days" }
];

/**
 * Return the kinds of filters of a board, each with its choices: [{name, label, choices: [{value, label, color}]}]. What
 * stands for all boards has `projects`, to be filtered by, and `usedValues` (field -> values) instead of cards.
 */
export function listFilters(board, myId) {
  const people = board.people.filter(({ id }) => id !== myId).map(({ id, name }) => ({ value: id, label: name }));
  const agents = board.agents.map(({ id, title }) => ({ value: id, label: title }));
  const types = board.cardTypes.map(({ id, title }) => ({ value: id, label: title }));
  const boards = (board.projects ?? []).map(({ id, title }) => ({ value: id, label: title }));
  const priorities = PRIORITIES.toReversed().map((priority) => ({ value: priority, label: priority }));
  const kinds = [
    { name: "assignedUserId", label: "Assignee", choices: [{ value: "me", label: "Me" }, NOBODY, ...people] },
    { name: "assignedAgentId", label: "Agent", choices: agents.length ? [NOBODY, ...agents] : [] },
    ...listFieldFilters(board),
    { name: "priority", label: "Priority", choices: priorities },
    { name: "due", label: "Due", choices: DUE },
    { name: "cardTypeId", label: "Type", choices: types.length > 1 ? types : [] },
    { name: "updatedSince", label: "Updated", choices: UPDATED },
    { name: "projectId", label: "Board", choices: boards }
  ];
  return kinds.filter(({ choices }) => choices.length);
}

/** Return a filter for each name of a shown field whose values are chosen, labels first. */
function listFieldFilters(board) {
  const labelFields = new Set(board.cardTypes.map(findLabelField));
  const isChoice = ({ kind, showOnCard }) => showOnCard && CHOICE_KINDS.includes(kind);
  const fields = board.cardTypes.flatMap((type) => type.fields.filter(isChoice));
  const names = [...new Set(fields.map(({ name }) => foldName(name)))];
  const groups = names.map((name) => fields.filter((field) => foldName(field.name) === name));
  const isLabel = (group) => group.some((field) => labelFields.has(field));
  groups.sort((one, other) => isLabel(other) - isLabel(one));
  return groups.map((group) => ({ name: "field", label: group[0].label, choices: listValues(board, group) }));
}

function listValues(board, [field, ...others]) {
  const choices = [field, ...others].flatMap((one) =>
    [...listKnownLabels(board, one), ...listUsedValues(board, one.id)].map((value) => ({
      value: `${field.name}:${value}`,
      label: formatChoice(board, one.kind, value),
      color: lookUp(one.optionColors, value)
    }))
  );
  const byText = new Map(choices.toReversed().map((choice) => [foldText(choice.value), choice])); // the first of equal ones
  return [...byText.values()].toReversed();
}

/** Return the values of a filter with their names: [{name, value, label}]. */
export function describeFilter(board, filter, myId) {
  const kinds = listFilters(board, myId);
  return Object.entries(filter).flatMap(([name, values]) =>
    [values].flat().map((value) => ({ name, value, label: describeValue(board, kinds, name, value) }))
  );
}

function describeValue(board, kinds, name, value) {
  if (name === "q") return quote(value);
  for (const kind of kinds) {
    const choice = kind.name === name && kind.choices.find((one) => one.value === value);
    if (choice) return phrase`${kind.label}: ${choice.label}`;
  }
  if (name === "field") return describeFieldFilter(board, value);
  const { label } = kinds.find((kind) => kind.name === name) ?? { label: "Filter" };
  return phrase`${label}: ${board.person(value)?.name ?? describeDays(name, value)}`;
}

function describeFieldFilter(board, text) {
  const { name, value } = parseFieldFilter(text);
  const field = board.cardTypes.flatMap(({ fields }) => fields).find((one) => foldName(one.name) === foldName(name));
  return phrase`${field?.label ?? name}: ${formatChoice(board, field?.kind, value)}`;
}

/** Return name and value of a filter by a field, `labels:bug`. */
export function parseFieldFilter(text) {
  const colon = text.indexOf(":");
  return { name: text.slice(0, colon), value: text.slice(colon + 1) };
}

function describeDays(name, value) {
  const days = name === "due" ? value.split("..") : [];
  return days.length === 2 && !days.some((day) => isNaN(Date.parse(day))) ? days.map(formatDay).join(" – ") : value;
}
