// Lists whose rows are walked with the keyboard and whose cards open over the list.

import { parseAddress } from "../core/router.js";
import { getBoard } from "../board/store.js";

/** Return the shortcuts that walk the rows in `host` and open the card of the focused one. */
export function rowShortcuts(host) {
  return {
    "card.focus.down": () => moveFocus(host, 1),
    "card.focus.up": () => moveFocus(host, -1),
    "card.open": clickInRow("a.title")
  };
}

function moveFocus(host, step) {
  const rows = [...host.querySelectorAll(".item[data-id]")];
  const here = rows.indexOf(document.activeElement?.closest(".item"));
  rows[Math.max(0, Math.min(rows.length - 1, here + step))]?.focus();
}

/** Return a handler that clicks an element of the focused row; it returns false if there is none, or if the key does that. */
export function clickInRow(selector) {
  const find = () => document.activeElement?.closest(".item")?.querySelector(selector) ?? null;
  const click = ({ key }) => (!find() || (key && find() === document.activeElement) ? false : void find().click());
  return Object.assign(click, { isAvailable: () => find() !== null });
}

/** Open the cards of the links in `host` over it, and call `closed()` afterwards; return a function that closes the open card. */
export function openCardsOver(host, loadCardDialog, closed) {
  let closeCard = null;
  let isLeft = false;
  host.addEventListener("click", async (event) => {
    const link = event.target.closest("a.title");
    const target = link && parseAddress(link.href);
    if (!target?.card || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const openCardDialog = await loadCardDialog();
    if (isLeft) return;
    closeCard = openCardDialog(getBoard(target.project), target.card, () => {
      closeCard = null;
      closed();
      (link.isConnected ? (link.closest(".item[data-id]") ?? link) : host).focus();
    });
  });
  return () => ((isLeft = true), closeCard?.());
}
