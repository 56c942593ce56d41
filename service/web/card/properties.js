// The editable properties of a card.

import { serverNow } from "../core/clock.js";
import { h } from "../core/dom.js";
import { describeDueDate, formatDateTime, formatDueDate, isDay } from "../core/format.js";
import { guard, renderBroken } from "../core/guard.js";
import { suspendShortcuts } from "../core/shortcuts.js";
import { agentAvatar, userAvatar } from "../ui/avatar.js";
import { InlineEdit } from "../ui/inline-edit.js";
import { findLabelField } from "../ui/labels.js";
import { PRIORITIES, priorityBadge } from "../ui/priority.js";
import { CHARACTERS_MAX, EDITORS, fieldRenderer } from "./fields.js";
import { createLabels } from "./labels.js";
import { renderText, textTools } from "./text.js";

/** @import { EditOptions } from "../ui/inline-edit.js" */
/** @import { OpenCard } from "./store.js" */
/** @typedef {Omit<EditOptions, "open" | "may"> & {action?: string}} PropertyOptions */
/**
 * A property that is shown and edited, by its edit key; labels have a menu, and prose stands in a section of its own.
 * @typedef {{label: string, key: string, field: {element: HTMLElement, update: () => void, openMenu?: () => unknown},
 *   isProse?: boolean}} Property
 */

const NOBODY = { value: null, label: "None" };

/**
 * Create the editable properties of an open card, except the title.
 * @param {OpenCard} open
 * @param {Map<string, string>} badges
 * @param {boolean} canEdit
 * @returns {Property[]}
 */
export function createProperties(open, badges, canEdit) {
  const { board } = open;
  const avatars = createAvatars(board, badges);
  const choices = createChoices(board, badges);
  /** @param {PropertyOptions} options */
  const create = ({ action = null, ...options }) => {
    const field = new InlineEdit({ open, may: canEdit, ...options });
    if (action) field.element.dataset.action = action; // its shortcut presses the button
    return { label: options.label, key: options.key, field, isProse: options.kind === "richtext" };
  };
  const labelField = findLabelField(board.type(open.card.cardTypeId));
  const createLabelRow = () => ({ ...createLabels(open, canEdit), key: `field:${labelField?.id}` });
  const labels = labelField || canEdit ? [createGuarded(labelField?.label ?? "Labels", createLabelRow)] : [];
  const fields = open.fields().filter((field) => field.kind !== "file" && field.id !== labelField?.id);
  const describe = (field) => describeField(field, choices, avatars, (text) => renderProse(open, field, text, canEdit));
  const custom = fields.map((field) => ({ ...describe(field), tools: field.kind === "richtext" && textTools(open) }));
  return [...listOwn(open, choices, avatars).map(create), ...labels, ...custom.map(create)];
}

/** Create a property; one that fails is its label and a sentence that says so. */
function createGuarded(label, create) {
  const broken = { element: renderBroken("This value"), update: () => {} };
  return guard(create, () => ({ label, key: "", field: broken, isProse: false }));
}

/**
 * Return the properties that each card has.
 * @returns {PropertyOptions[]}
 */
function listOwn(open, { users, agents, priorities, types }, avatars) {
  const { board } = open;
  const showDue = (value) => renderDueDate(value, board.isComplete(open.id));
  const showType = (id) => board.type(id)?.title ?? "a type that is gone";
  const change = (...edit) => changeType(open, ...edit);
  const choice = { kind: "choice" };
  return [
    { key: "assignedUserId", label: "Assignee", ...choice, choices: users, show: avatars.user, action: "card.assign" },
    { key: "assignedAgentId", label: "Assigned agent", ...choice, choices: agents, show: avatars.agent },
    { key: "priority", label: "Priority", ...choice, choices: priorities, show: renderPriority, action: "card.priority" },
    { key: "dueDate", label: "Due", kind: "due", show: showDue, action: "card.due" },
    { key: "cardTypeId", label: "Type", ...choice, choices: types, show: showType, change }
  ];
}

/**
 * Describe a custom field as a property; `prose(text)` renders its texts.
 * @returns {PropertyOptions}
 */
function describeField(field, { users, agents }, avatars, prose) {
  const { id, kind, label } = field;
  const options = () => field.options.map((value) => ({ value, label: value }));
  const choices = { __proto__: null, user: users, agent: agents, select: () => [NOBODY, ...options()] };
  return {
    key: `field:${id}`,
    label,
    kind: EDITORS.get(kind) ?? kind,
    choices: choices[kind] ?? options,
    maxLength: CHARACTERS_MAX.get(kind),
    show: fieldRenderer(field, avatars, prose)
  };
}

/** Return functions that list what can be chosen: people, agents, priorities and types. */
function createChoices(board, badges) {
  const userChoice = ({ id, name }) => ({ value: id, label: name, mark: userAvatar(name) });
  const agentChoice = ({ id, title }) => ({ value: id, label: title, mark: agentAvatar(badges.get(id), title) });
  return {
    users: () => [NOBODY, ...board.people.map(userChoice)],
    agents: () => [NOBODY, ...board.agents.map(agentChoice)],
    priorities: () => PRIORITIES.map((value) => ({ value, label: value })),
    types: () => board.cardTypes.map(({ id, title }) => ({ value: id, label: title }))
  };
}

async function changeType(open, key, value, seen) {
  if (value === seen) return;
  const edit = () => open.edit(key, value, seen);
  await (await suspendShortcuts(import("./type-change.js"))).changeType(open, value, edit);
}

/** Render a text of an open card, and let its checklists tick. */
function renderProse(open, { id }, text, canEdit) {
  const prose = renderText(open, text, open.card.mentions);
  if (prose.querySelector("input")) showChecklist(open, id, prose, canEdit);
  return prose;
}

let addChecklist = null; // once it is loaded, boxes can have the focus as soon as they are drawn

async function showChecklist(...drawn) {
  if (!addChecklist) ({ addChecklist } = await import("./checklist.js"));
  addChecklist(...drawn);
}

/** Return functions that show the person and the agent of an id, or that there is none. */
function createAvatars(board, badges) {
  const none = () => h("span.muted", "None");
  const person = (id) => {
    const name = board.person(id)?.name ?? "somebody who left";
    return [userAvatar(name), " ", name];
  };
  const agent = (id) => {
    const title = board.agent(id)?.title ?? id;
    return [agentAvatar(badges.get(id), title), " ", title];
  };
  return { user: (id) => (id ? person(id) : none()), agent: (id) => (id ? agent(id) : none()) };
}

function renderPriority(value) {
  if (!value || value === "none") return h("span.muted", "None");
  return priorityBadge(value, false, true);
}

function renderDueDate(value, isMet) {
  if (!value) return h("span.muted", "None");
  const { text, state } = describeDueDate(value, serverNow(), isMet);
  const exact = isDay(value) ? formatDueDate(value, serverNow()) : formatDateTime(value);
  return h("span", { class: `due ${state}`, title: exact }, state === "late" || isDay(value) ? text : exact);
}
