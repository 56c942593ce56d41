// The shortcuts of an open card: each presses the button that is marked with its action.

import { ACTIONS } from "../core/shortcut-actions.js";

/** Return a handler for each action, which applies while its button is shown in the dialog. */
export function pressedActions(dialog) {
  return Object.fromEntries(ACTIONS.map(([action]) => [action, createHandler(dialog, action)]));
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
