// The history of a card.

import { serverNow } from "../core/clock.js";
import { h } from "../core/dom.js";
import { formatAge, formatDateTime } from "../core/format.js";
import { undoHistoryEntry } from "../board/store.js";
import { actorName } from "./actor.js";
import { historyText } from "./history-text.js";

const UNDO_PERMISSIONS = {
  moved: "transition",
  updated: "update",
  archived: "update",
  restored: "delete",
  undone: "update"
};

/** Render the history of an open card, newest first. */
export function renderHistory(open) {
  const { board, history } = open;
  const row = (one) => {
    const who = h("strong", { class: one.actor.type === "Agent" ? "agent" : null }, actorName(one.actor, board));
    const when = h(
      "time.muted",
      { title: formatDateTime(one.createdAt) },
      `· ${formatAge(one.createdAt, serverNow())}`
    );
    const words = historyText(one, board);
    const named = { class: "link small", "aria-label": `Undo this: ${words}` };
    const wishes = { ...named, click: () => undoHistoryEntry(open, one) };
    return h(
      "li",
      who,
      ` ${words} `,
      when,
      board.isAllowed(UNDO_PERMISSIONS[one.action]) && [" ", h("button", wishes, "Undo this")]
    );
  };
  return [...history.items].reverse().map(row);
}
