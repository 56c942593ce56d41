// The history of a card.

import { serverNow } from "../core/clock.js";
import { h, replaceChildren, setText } from "../core/dom.js";
import { formatAge, formatCount, formatDateTime } from "../core/format.js";
import { drawRows } from "../ui/list.js";
import { undoHistoryEntry } from "../board/store.js";
import { actorName, importedMark } from "./actor.js";
import { historyText } from "./history-text.js";

/** @import { CardView } from "./view.js" */

const UNDO_PERMISSIONS = {
  __proto__: null,
  moved: "transition",
  transferred: "create",
  updated: "update",
  archived: "update",
  restored: "delete",
  undone: "update"
};

/**
 * Fill the section of the history, with a button for earlier changes; return the function that draws it again.
 * @param {CardView} view
 * @param {HTMLElement} element
 */
export function createHistory({ open }, element) {
  const list = h("ol.history");
  const earlier = h("button.button.small", { click: () => open.readEarlier("history") });
  function update() {
    const left = open.history.total - open.history.items.length;
    replaceChildren(list, renderHistory(open));
    earlier.hidden = left <= 0;
    setText(earlier, `Show ${formatCount(left, "earlier change")}`);
  }
  replaceChildren(element, h("h3", "History"), list, earlier);
  return update;
}

/** Render the history, newest first. */
function renderHistory(open) {
  const { board, history } = open;
  const row = (entry) => {
    const who = h("strong", { class: entry.actor.type === "Agent" ? "agent" : null }, actorName(entry.actor, board));
    const when = h("time.muted", { title: formatDateTime(entry.createdAt) }, `· ${formatAge(entry.createdAt, serverNow())}`);
    const sentence = historyText(entry, board);
    const undo = () => undoHistoryEntry(open, entry);
    const attributes = { class: "link small", "aria-label": `Undo this: ${sentence}`, click: undo };
    return h(
      "li",
      who,
      ` ${sentence} `,
      when,
      importedMark(entry),
      !entry.imported && board.isAllowed(UNDO_PERMISSIONS[entry.action]) && [" ", h("button", attributes, "Undo this")]
    );
  };
  return drawRows([...history.items].reverse(), row);
}
