// The menu of the columns that a card can move to.

import { suspendShortcuts } from "../core/shortcuts.js";
import { openChoiceMenu } from "../ui/choice-menu.js";
import { showBoardError } from "./move-errors.js";
import { listMoves, moveCard } from "./moves.js";

/** Open the menu of columns that a card could move to. Disabled items say why the move is not possible. */
export async function openMoveMenu(anchor, board, id, done = () => {}) {
  try {
    const moves = await suspendShortcuts(listMoves(board, id));
    const items = moves.map(({ toColumnId, title, allowed, why }) => ({
      label: title,
      why: why.join(" "),
      disabled: !allowed,
      run: allowed ? async () => (await moveCard(board, id, toColumnId)) && done() : null
    }));
    const none = { label: "This column has no outgoing transitions", disabled: true };
    openChoiceMenu(anchor, { label: "Move to", items: [{ head: "Move to" }, ...(items.length ? items : [none])] });
  } catch (error) {
    showBoardError(board, "The transitions of the card could not be loaded", error);
  }
}
