// The editable properties of a card.

import { serverNow } from "../core/clock.js";
import { h } from "../core/dom.js";
import { describeDueDate, formatDateTime, formatDueDate, isDay } from "../core/format.js";
import { suspendShortcuts } from "../core/shortcuts.js";
import { agentAvatar, userAvatar } from "../ui/avatar.js";
import { InlineEdit } from "../ui/inline-edit.js";
import { findLabelField } from "../ui/labels.js";
import { PRIORITIES, priorityBadge } from "../ui/priority.js";
import { CHARACTERS_MAX, EDITORS, fieldRenderer } from "./fields.js";
import { createLabels } from "./labels.js";
import { renderText, textTools } from "./text.js";

/** @import { OpenCard } from "./store.js" */
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
  const avatars = createAssignees(board, badges);
  const userChoice = ({ id, name }) => ({ value: id, label: name, mark: userAvatar(name) });
  const agentChoice = ({ id, title }) => ({ value: id, label: title, mark: agentAvatar(badges.get(id), title) });
  const people = () => [NOBODY, ...board.people.map(userChoice)];
  const agents = () => [NOBODY, ...board.agents.map(agentChoice)];
  const priorities = () => PRIORITIES.map((value) => ({ value, label: value }));
  const types = () => board.cardTypes.map(({ id, title }) => ({ value: id, label: title }));
  const row = (label, options) => ({
    label,
    key: options.key,
    field: new InlineEdit({ open, label, may: canEdit, ...options })
  });
  const marked = (action, property) => {
    property.field.element.dataset.action = action; // pressed by its shortcut
    return property;
  };
  const own = [
    marked("card.assign", row("Assignee", { key: "assignedUserId", kind: "choice", choices: people, show: avatars.user })),
    row("Assigned agent", { key: "assignedAgentId", kind: "choice", choices: agents, show: avatars.agent }),
    marked("card.priority", row("Priority", { key: "priority", kind: "choice", choices: priorities, show: renderPriority })),
    marked(
      "card.due",
      row("Due", { key: "dueDate", kind: "due", show: (value) => renderDueDate(value, board.isComplete(open.id)) })
    ),
    row("Type", {
      key: "cardTypeId",
      kind: "choice",
      choices: types,
      show: (id) => board.type(id)?.title ?? "a type that is gone",
      change: (...edit) => changeType(open, ...edit)
    })
  ];
  const labelField = findLabelField(board.type(open.card.cardTypeId));
  const labels = labelField || canEdit ? [{ ...createLabels(open, canEdit), key: `field:${labelField?.id}` }] : [];
  const fields = open.fields().filter((field) => field.kind !== "file" && field.id !== labelField?.id);
  return [...own, ...labels, ...fields.map((field) => custom(field, { people, agents }))];

  function custom(field, { people: users, agents: bots }) {
    const own = () => field.options.map((value) => ({ value, label: value }));
    const options = { __proto__: null, agent: bots, user: users }[field.kind] ?? own;
    const choices = field.kind === "select" ? () => [NOBODY, ...options()] : options;
    const editOptions = {
      key: `field:${field.id}`,
      kind: EDITORS.get(field.kind) ?? field.kind,
      choices,
      maxLength: CHARACTERS_MAX.get(field.kind),
      show: fieldRenderer(field, avatars, (text) => {
        const prose = renderText(open, text, open.card.mentions);
        if (prose.querySelector("input")) showChecklist(open, field.id, prose, canEdit);
        return prose;
      })
    };
    const isProse = field.kind === "richtext";
    return { ...row(field.label, isProse ? { ...editOptions, tools: textTools(open) } : editOptions), isProse };
  }
}

async function changeType(open, key, value, seen) {
  if (value === seen) return;
  const edit = () => open.edit(key, value, seen);
  await (await suspendShortcuts(import("./type-change.js"))).changeType(open, value, edit);
}

let addChecklist = null; // once it is loaded, boxes can have the focus as soon as they are drawn

async function showChecklist(...drawn) {
  if (!addChecklist) ({ addChecklist } = await import("./checklist.js"));
  addChecklist(...drawn);
}

function createAssignees(board, badges) {
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
