// The actions that keyboard shortcuts can run, with their labels and default bindings.

/** The actions: id, label, default bindings. */
export const ACTIONS = [
  ["palette.open", "Find a board, a card or an action", "ctrl+k"],
  ["go.now", "Go to Home", "g n"],
  ["go.mine", "Go to my cards", "g m"],
  ["go.boards", "Go to the boards", "g b"],
  ["go.agents", "Go to the agents", "g a"],
  ["go.figures", "Go to reports", "g f"],
  ["go.search", "Search all boards", "g s"],
  ["board.search", "Filter the cards", "/"],
  ["filter.open", "More filters", "f"],
  ["filter.mine", "Only my cards", "q"],
  ["card.create", "Add a card", "c"],
  ["card.focus.up", "Card above", "arrowup", "k"],
  ["card.focus.down", "Card below", "arrowdown", "j"],
  ["card.focus.left", "Column to the left", "arrowleft", "h"],
  ["card.focus.right", "Column to the right", "arrowright", "l"],
  ["card.open", "Open the card", "enter"],
  ["card.move.menu", "Move to …", "m"],
  ["card.move.up", "Move the card up", "shift+arrowup"],
  ["card.move.down", "Move the card down", "shift+arrowdown"],
  ["card.move.left", "Drop in the column on the left", "shift+arrowleft"],
  ["card.move.right", "Move to the column on the right", "shift+arrowright"],
  ["card.transition.next", "Move to next column", "]"],
  ["card.transition.previous", "Move to previous column", "["],
  ["card.assign.me", "Assign the card to me", "i"],
  ["card.priority", "Change the priority", "p"],
  ["card.due", "Change the due date", "d"],
  ["card.edit", "Change the title", "e"],
  ["card.archive", "Archive the card", "shift+e"],
  ["card.select", "Select / deselect card", "x"],
  ["select.none", "Deselect all cards", "escape"],
  ["undo", "Undo the last action", "z"],
  ["request.approve", "Approve", "shift+a"],
  ["request.reject", "Reject with a reason", "shift+r"],
  ["comment.post", "Send the comment", "ctrl+enter"],
  ["agents.freeze", "Freeze all agents", "shift+f"],
  ["notice.last", "Show the last notification again", "shift+."],
  ["help", "Show keyboard shortcuts", "?"]
];
/** The labels by action id. */
export const ACTION_LABELS = Object.fromEntries(ACTIONS);
