// What the dialog shows in place of a card that is gone, or in the archive.

import { pageUrl } from "../core/base-path.js";
import { h } from "../core/dom.js";
import { restoreCard, showBoardError } from "../board/store.js";

/**
 * Return why a card is missing and the buttons that lead on: [sentence, …buttons]. `details` are those of the error;
 * `restored()` is called when the card is restored and read again.
 */
export function describeMissing(open, details, { close, restored }) {
  if (details?.archived) {
    const text = "This card is on an archived board. Restore the board to open the card.";
    return [text, h("a.button", { href: pageUrl("/archive") }, "Go to Archive")];
  }
  const closeButton = h("button.button", { click: close }, "Close");
  if (!details?.isRestorable) return ["This card was archived or deleted, or the link is wrong.", closeButton];
  const click = () => restore(open, restored);
  return ["This card was archived.", h("button.button", { click }, "Restore it from the archive"), closeButton];
}

async function restore(open, restored) {
  try {
    await restoreCard(open.board, open.id ?? open.name);
    await open.load();
    restored();
  } catch (error) {
    showBoardError(open.board, "It could not be restored", error);
  }
}
