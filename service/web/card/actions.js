// What can be done with an open card: the buttons below its properties. What each does is loaded
// when it is needed.

import { h, replaceChildren } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { shortcutAttributes, suspendShortcuts } from "../core/shortcuts.js";
import { archiveCard } from "../board/store.js";

/** @import { Child } from "../core/dom.js" */
/** @import { CardView } from "./view.js" */

const COPY = "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z"; // an icon

/**
 * The buttons in their order: the action of each, what it shows, the permissions that it needs, and what it does.
 * @type {{action: string, show: (view: CardView) => Child[], needs: [action: string, resource?: string][],
 *   run: (view: CardView, button: HTMLElement) => unknown}[]}
 */
const BUTTONS = [
  {
    action: "card.watch",
    show: ({ open }) => [icon("bell"), open.card.watching ? "Unwatch" : "Watch"],
    needs: [],
    run: ({ open }) => open.toggleWatching()
  },
  {
    action: "card.duplicate",
    show: () => [icon(COPY), "Duplicate"],
    needs: [["create"]],
    run: async ({ open }, button) => (await suspendShortcuts(import("./duplicate.js"))).duplicateCard(open, button)
  },
  {
    action: "card.split",
    show: () => ["Split…"],
    needs: [["create"], ["create", "Relationship"]],
    run: async ({ open }) => (await suspendShortcuts(import("./parts.js"))).splitCard(open)
  },
  {
    action: "card.transfer",
    show: () => ["Move to another board…"],
    needs: [["create"], ["update"]],
    run: async ({ open }) => (await suspendShortcuts(import("./transfer.js"))).transferCard(open)
  },
  {
    action: "card.archive",
    show: () => [icon("archive"), "Archive"],
    needs: [["delete"]],
    run: async ({ open, board, end }) => (await archiveCard(board, open.card)) && end()
  }
];

/**
 * Create the buttons that the user may press.
 * @param {CardView} view
 */
export function createActions(view) {
  const allowed = BUTTONS.filter(({ needs }) => needs.every((permission) => view.board.isAllowed(...permission)));
  const buttons = allowed.map(({ action, run }) => {
    const click = ({ currentTarget }) => run(view, currentTarget);
    return h("button.button.small", { click, ...shortcutAttributes(action) });
  });
  const update = () => allowed.forEach(({ show }, at) => replaceChildren(buttons[at], show(view)));
  return { element: h("div.card-actions", buttons), update };
}
