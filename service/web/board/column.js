// A column of a board.

import { closest, h, replaceChildren, setAttribute, setText } from "../core/dom.js";
import { formatNumber, quote, truncate } from "../core/format.js";
import { guard } from "../core/guard.js";
import { icon } from "../core/icons.js";
import { getBindings, suspendShortcuts } from "../core/shortcuts.js";
import { storeValue } from "../core/storage.js";
import { openMenu } from "../ui/listbox/menu.js";
import { showToast } from "../ui/toast.js";
import { VirtualList } from "./virtual-list.js";
import { estimateTileHeight, renderCardTile, updateClaim } from "./card-tile.js";
import { QuickAdd } from "./quick-add.js";

/** @import { MenuItem } from "../ui/listbox/menu.js" */

const COLLAPSED_KEY = "tandem.collapsed.";
const HIDE_EMPTY_KEY = "tandem.withoutempty."; // followed by the id of a board whose empty columns are hidden

/** Hide empty columns if the user chose that, unless the whole board is empty. */
export function applyEmptyColumns(columnsElement, board) {
  columnsElement.classList.toggle("without-empty", isHidingEmpty(board) && board.cards.size > 0);
}

/** Show the empty columns of a board again, as when one was added. */
export function showEmptyColumns(columnsElement, board) {
  localStorage.removeItem(HIDE_EMPTY_KEY + board.id);
  applyEmptyColumns(columnsElement, board);
}

function isHidingEmpty(board) {
  return localStorage.getItem(HIDE_EMPTY_KEY + board.id) === "yes";
}

/** The view of a column: header, quick-add field, virtual list of cards. */
export class ColumnView {
  /** @type {string | null} */
  current = null; // the card that Tab focuses
  /** @type {string | null} */
  pendingCardId = null; // a new card that the board does not have yet
  isCollapsed = false;
  /** @type {string | null} */
  typeIconName = null;
  /** @type {(() => MenuItem[]) | null} */
  changes = null; // the items of the menu that change the column, once they are loaded

  constructor(board, column, badges) {
    this.board = board;
    /** @type {string} */
    this.id = column.id;
    this.column = column;
    this.badges = badges;
    this.title = h("h2", { id: `column-${column.id}` });
    this.count = h("span.count.number");
    this.typeIcon = h("span.column-icon");
    this.addButton = h("button.plain-button", { click: () => this.add() }, icon("plus"));
    this.menuButton = h("button.plain-button.more", { "aria-haspopup": "menu" }, icon("more"));
    this.menuButton.addEventListener("click", () => this.showMenu());
    this.reason = h("p.unavailable-reason", { hidden: true });
    this.quickAdd = new QuickAdd(this);
    this.scroller = h("div.cards");
    const head = h("header", this.title, this.count, this.typeIcon, this.menuButton, this.addButton);
    const attributes = { class: "column", "aria-labelledby": this.title.id, "data-column": column.id };
    this.element = h("section", attributes, head, this.reason, this.quickAdd.element, this.scroller);
    this.element.addEventListener("click", ({ target }) => {
      if (this.isCollapsed && !closest(target, "button")) this.collapse(false);
    });
    this.list = new VirtualList(this.scroller, {
      draw: (id, node) => this.draw(id, node),
      estimate: (id) => estimateTileHeight(board.cards.get(id), board.claims.get(id))
    });
    setAttribute(this.list.list, "aria-label", column.title);
    this.collapse(localStorage.getItem(COLLAPSED_KEY + column.id) === "yes");
  }

  draw(id, old) {
    const node = renderCardTile(this.board, this.badges, id, old);
    setAttribute(node.firstChild, "tabindex", id === this.current ? "0" : "-1");
    return node;
  }

  /** Show cards; `total` is the number of cards in the column without the filter. */
  set(ids, badges, total) {
    this.badges = badges;
    this.column = this.board.column(this.id);
    if (!ids.includes(this.current)) this.setCurrent(ids[0] ?? null);
    this.list.set(ids);
    guard(
      () => this.updateHeader(total),
      () => setText(this.title, "This column cannot be shown")
    );
    this.revealAdded();
  }

  /** Scroll to a new card as soon as the board has it. */
  revealWhenAdded(id) {
    this.pendingCardId = id;
    this.revealAdded();
  }

  /** Scroll to the new card if the board has it, or say that the filter hides it. */
  revealAdded() {
    const card = this.board.cards.get(this.pendingCardId);
    if (!card) return;
    this.pendingCardId = null;
    if (!this.list.reveal(card.id) && card.columnId === this.id)
      showToast({ title: `${quote(truncate(card.title))} is added, but the filter hides it`, cause: "hidden" });
  }

  /** Make a card the one that Tab focuses (roving tabindex). */
  setCurrent(id) {
    const before = this.list?.nodes.get(this.current);
    if (before) setAttribute(before.firstChild, "tabindex", "-1");
    this.current = id;
    this.list?.pinned.clear();
    if (id) this.list?.pinned.add(id);
    const node = this.list?.nodes.get(id);
    if (node) setAttribute(node.firstChild, "tabindex", "0");
  }

  updateHeader(total) {
    const { title, wipLimit, columnType, agentPickupEnabled, agentCanModerate } = this.column;
    setText(this.title, title);
    setAttribute(this.title, "title", title);
    this.element.classList.toggle("empty", total === 0);
    const isFull = wipLimit !== null && total >= wipLimit;
    setText(
      this.count,
      [total, wipLimit]
        .filter((number) => number !== null)
        .map(formatNumber)
        .join(" / ")
    );
    this.count.classList.toggle("full", isFull);
    setAttribute(this.count, "title", isFull ? "Full" : null);
    const canAgentsWork = agentPickupEnabled && agentCanModerate;
    const agentIcon = canAgentsWork ? ["agent", "Agents may work here"] : ["lock", "Only people move cards out of here"];
    const [iconName, label] = columnType === "done" ? ["check", "Done"] : agentIcon;
    if (this.typeIconName !== iconName) replaceChildren(this.typeIcon, icon(iconName, label));
    setAttribute(this.typeIcon, "title", label);
    this.typeIconName = iconName;
    setAttribute(this.addButton, "aria-label", `Add a card to ${title}`);
    setAttribute(this.menuButton, "aria-label", `More about ${title}`);
    this.addButton.hidden = !this.board.canHaveNewCards();
  }

  /** Open the field for new cards. */
  add() {
    this.collapse(false);
    this.quickAdd.open();
  }

  showMenu() {
    const items = [
      { label: "Collapse", run: () => this.collapse(true) },
      { label: "Select cards", run: () => this.startSelection() },
      { label: isHidingEmpty(this.board) ? "Show empty columns" : "Hide empty columns", run: () => this.toggleEmptyColumns() },
      ...(this.board.canHaveNewCards()
        ? [{ label: "Add a card", end: getBindings("card.create")[0], run: () => this.add() }]
        : [])
    ];
    const whenCollapsed = [{ label: "Open", run: () => this.collapse(false) }];
    const own = this.isCollapsed ? whenCollapsed : items;
    const changes = [...this.listCardChanges(), ...(this.changes?.() ?? [])];
    openMenu(this.menuButton, { label: this.column.title, items: [...own, ...changes] });
  }

  /** Return the changes of all cards that the column shows as menu items. */
  listCardChanges() {
    const { board } = this;
    if (!this.list.ids.length) return [];
    const load = () => suspendShortcuts(import("./column-batches.js"));
    const canMove = board.isAllowed("transition") && board.transitionsFrom(this.id).length > 0;
    const move = { label: "Move all to…", run: async () => (await load()).moveAll(board, this) };
    const archive = { label: "Archive all…", run: async () => (await load()).archiveAll(board, this) };
    const items = [...(canMove ? [move] : []), ...(board.isAllowed("delete") ? [archive] : [])];
    return items.length ? [{ head: "Cards" }, ...items] : [];
  }

  startSelection() {
    this.element.dispatchEvent(new CustomEvent("select-cards", { bubbles: true, detail: this.id }));
  }

  collapse(isCollapsed) {
    this.isCollapsed = isCollapsed;
    this.element.classList.toggle("collapsed", isCollapsed);
    if (isCollapsed) storeValue(COLLAPSED_KEY + this.id, "yes");
    else localStorage.removeItem(COLLAPSED_KEY + this.id);
  }

  /** Toggle whether empty columns of the board are hidden. */
  toggleEmptyColumns() {
    const host = this.element.parentElement;
    if (isHidingEmpty(this.board)) return showEmptyColumns(host, this.board);
    storeValue(HIDE_EMPTY_KEY + this.board.id, "yes");
    applyEmptyColumns(host, this.board);
  }

  /** While a card is dragged, show why it cannot be dropped here (`sentence`), or that it can. `close(null)` resets this. */
  setDropState(sentence, isOpen = false) {
    this.reason.hidden = !sentence;
    setText(this.reason, sentence ?? "");
    this.element.classList.toggle("unavailable", Boolean(sentence));
    this.element.classList.toggle("available", isOpen);
  }

  /** Update the time left of the claims. */
  updateClaims() {
    for (const strip of this.scroller.querySelectorAll(".claim")) updateClaim(strip);
  }
}
