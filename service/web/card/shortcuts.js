// The shortcuts of an open card: most press the button that is marked with their action.

import { boardUrl, navigate } from "../core/router.js";
import { ACTIONS } from "../core/shortcut-actions.js";
import { handlerWhile, suspendShortcuts } from "../core/shortcuts.js";

// What other actions than those of buttons focus and click.
const TARGETS = {
  __proto__: null,
  "checklist.tick": ".task input:enabled:not(:checked)",
  "comment.write": "section > .compose > textarea"
};

/** Return a handler for each action, which applies while its button is shown in the dialog. */
export function pressedActions(dialog) {
  return Object.fromEntries(ACTIONS.map(([action]) => [action, createHandler(dialog, action)]));
}

/** Return the handlers that assign an open card, which apply while the button of its assignee is shown. */
export function assignActions(open, dialog) {
  const findButton = () => findTarget(dialog, "card.assign");
  const handler = (name) => handlerWhile(findButton, () => run(name));
  const run = async (name) => (await suspendShortcuts(import("./assign.js")))[name](open, findButton());
  return { "card.assign": handler("openAssignees"), "card.assign.me": handler("assignToMe") };
}

/** Return the handlers that open the cards before and behind an open one; `findNeighbor(step)` returns such a card. */
export function neighborActions(board, findNeighbor) {
  const opener = (step) => {
    const find = () => findNeighbor(step);
    return handlerWhile(find, () => navigate(boardUrl(board.id, find().key), true));
  };
  return { "card.previous": opener(-1), "card.next": opener(1) };
}

function createHandler(dialog, action) {
  const press = () => {
    const target = findTarget(dialog, action);
    if (!target) return false;
    if (action in TARGETS) target.focus();
    target.click();
  };
  return Object.assign(press, { isAvailable: () => findTarget(dialog, action) !== null });
}

/** Return what an action presses: the visible button that is marked with it, itself or around it; null if there is none. */
function findTarget(dialog, action) {
  const marked = dialog.querySelector(TARGETS[action] ?? `[data-action="${action}"]`);
  const target = action in TARGETS || marked?.matches("button") ? marked : marked?.querySelector("button");
  return target?.checkVisibility() ? target : null;
}
