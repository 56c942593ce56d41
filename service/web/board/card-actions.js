// The menu of actions on a card of a board; each action is one that has a shortcut.

import { ACTION_LABELS } from "../core/shortcut-actions.js";
import { formatBinding, getBindings, listAvailableActions } from "../core/shortcuts.js";
import { openMenu } from "../ui/listbox/menu.js";

const ACTIONS = [
  ["card.labels", "update"],
  ["card.assign", "update"],
  ["card.assign.me", "update"],
  ["card.priority", "update"],
  ["card.due", "update"],
  ["card.edit", "update"],
  ["card.move.menu", "transition"],
  ["card.archive", "delete"]
];

/** Open the menu of a card. Actions apply to all selected cards if the card is one of them. */
export function openCardActions(page, { id, key }, button) {
  const run = (action) => () => {
    if (!page.board.selected.has(id)) perform("select.none");
    page.focus(id);
    perform(action);
  };
  const items = ACTIONS.filter(([, permission]) => page.board.isAllowed(permission)).map(([action]) => {
    const [binding] = getBindings(action);
    return { label: ACTION_LABELS.get(action), end: binding && formatBinding(binding), run: run(action) };
  });
  openMenu(button, { label: `Actions of ${key}`, items, focus: () => page.focus(id) });
}

function perform(action) {
  const [, run] = listAvailableActions(null).find(([id]) => id === action) ?? [];
  run?.();
}
