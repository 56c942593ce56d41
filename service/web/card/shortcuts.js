// The shortcuts of an open card: most press the button that is marked with their action.

import { organization } from "../core/organization.js";
import { boardUrl, navigate } from "../core/router.js";
import { ACTIONS } from "../core/shortcut-actions.js";
import { EditConflict } from "../ui/inline-edit.js";
import { announce, showError } from "../ui/toast.js";

/** Return a handler for each action, which applies while its button is shown in the dialog. */
export function pressedActions(dialog) {
  return Object.fromEntries(ACTIONS.map(([action]) => [action, createHandler(dialog, action)]));
}

/** Return the handler that assigns an open card to the user, or to nobody if the user has it already. */
export function assignToMeAction(open) {
  const isAvailable = () => Boolean(open.card) && open.board.isAllowed("update");
  return Object.assign(() => (isAvailable() ? void assignToMe(open) : false), { isAvailable });
}

async function assignToMe(open) {
  const before = open.value("assignedUserId");
  const after = before === organization.me.id ? null : organization.me.id;
  try {
    await open.edit("assignedUserId", after, before);
    announce(after ? "Assigned to you." : "Assigned to nobody.");
  } catch (error) {
    const text = error instanceof EditConflict ? error.message : open.errorText(error);
    showError("The assignee was not changed", text, "assignee");
  }
}

/** Return the handlers that open the cards before and behind an open one; `findNeighbor(step)` returns such a card. */
export function neighborActions(board, findNeighbor) {
  const opener = (step) => {
    const show = ({ key }) => void navigate(boardUrl(board.id, key, location.search), true);
    const press = () => (findNeighbor(step) ? show(findNeighbor(step)) : false);
    return Object.assign(press, { isAvailable: () => Boolean(findNeighbor(step)) });
  };
  return { "card.previous": opener(-1), "card.next": opener(1) };
}

function createHandler(dialog, action) {
  const press = () => {
    const button = findButton(dialog, action);
    return button ? void button.click() : false;
  };
  return Object.assign(press, { isAvailable: () => findButton(dialog, action) !== null });
}

/** Return the visible button that is marked with the action, itself or around it; null if there is none. */
function findButton(dialog, action) {
  const marked = dialog.querySelector(`[data-action="${action}"]`);
  const button = marked?.matches("button") ? marked : marked?.querySelector("button");
  return button?.checkVisibility() ? button : null;
}
