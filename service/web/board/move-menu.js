// The menu of the columns that a card can move to.

import { suspendShortcuts } from "../core/shortcuts.js";
import { openChoiceMenu } from "../ui/listbox/menu.js";
import { showBoardError } from "./move-errors.js";
import { listMoves, moveCard } from "./moves.js";

/**
 * Open the menu of columns that a card could move to. Disabled items say why the move is not possible. `focus()` is called
 * after a move, and when the menu closes, if it had the focus.
 */
export async function openMoveMenu(anchor, board, id, focus) {
  try {
    const moves = await suspendShortcuts(listMoves(board, id));
    const items = moves.map(({ toColumnId, title, allowed, why }) => ({
      label: title,
      why: why.join(" "),
      disabled: !allowed,
      run: allowed ? async () => (await moveCard(board, id, toColumnId)) && focus?.() : null
    }));
    const none = { label: "This column has no outgoing transitions", disabled: true };
    openChoiceMenu(anchor, { label: "Move to", focus, items: [{ head: "Move to" }, ...(items.length ? items : [none])] });
  } catch (error) {
    showBoardError(board, "The transitions of the card could not be loaded", error);
  }
}
