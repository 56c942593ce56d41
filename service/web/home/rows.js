// Lists whose rows are walked with the keyboard and whose cards open over the list.

import { parseAddress } from "../core/router.js";
import { getBoard } from "../board/store.js";

/** Return the shortcuts that walk the rows in `host` and open the card of the focused one. */
export function rowShortcuts(host) {
  return {
    "card.focus.down": () => moveFocus(host, 1),
    "card.focus.up": () => moveFocus(host, -1),
    "card.open": () => clickInRow("a.title")
  };
}

function moveFocus(host, step) {
  const rows = [...host.querySelectorAll(".item[data-id]")];
  const here = rows.indexOf(document.activeElement?.closest(".item"));
  rows[Math.max(0, Math.min(rows.length - 1, here + step))]?.focus();
}

/** Click an element of the focused row; return false if there is none. */
export function clickInRow(selector) {
  const target = document.activeElement?.closest(".item")?.querySelector(selector);
  if (!target || document.activeElement === target) return false;
  return void target.click();
}

/** Open the cards of the links in `host` over it, and call `closed()` afterwards; return a function that closes the open card. */
export function openCardsOver(host, loadCardDialog, closed) {
  let closeCard = null;
  host.addEventListener("click", async (event) => {
    const link = event.target.closest("a.title");
    const target = link && parseAddress(link.href);
    if (!target?.card || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const openCardDialog = await loadCardDialog();
    closeCard = openCardDialog(getBoard(target.project), target.card, () => {
      closeCard = null;
      closed();
      (link.isConnected ? (link.closest(".item[data-id]") ?? link) : host).focus();
    });
  });
  return () => closeCard?.();
}
