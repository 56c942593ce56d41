// Assigning an open card to people and agents.

import { organization } from "../core/organization.js";
import { EditConflict } from "../ui/inline-edit.js";
import { announce, showError } from "../ui/toast.js";
import { openAssigneeMenu } from "../board/store.js";

/** Open the menu of the people and agents to whom an open card can be assigned, beside an element. */
export function openAssignees(open, anchor) {
  openAssigneeMenu(anchor, open.board, (changes, message) => assign(open, changes, message), open.card);
}

/** Assign an open card to the user, or to nobody if the user has it already. */
export function assignToMe(open) {
  const isMine = open.value("assignedUserId") === organization.me.id;
  const assignedUserId = isMine ? null : organization.me.id;
  return assign(open, { assignedUserId }, isMine ? "assigned to nobody" : "assigned to you");
}

async function assign(open, changes, message) {
  try {
    for (const [key, value] of Object.entries(changes)) await change(open, key, value);
    announce(`${open.card.key}: ${message}.`);
  } catch (error) {
    const text = error instanceof EditConflict ? error.message : open.errorText(error);
    showError("The assignee was not changed", text, "assignee");
  }
}

async function change(open, key, value) {
  const before = open.value(key) ?? null;
  if (before !== value) await open.edit(key, value, before);
}
