// Dragging cards over a board.

import { closest, h } from "../core/dom.js";
import { makeDraggable } from "../ui/drag.js";
import { announce, showToast } from "../ui/toast.js";
import { showMoveError, showNoTransition } from "./move-errors.js";
import { listMoves, moveCard } from "./moves.js";

const COLUMNS_PER_SECOND_MAX = 1.5; // that pass while a card is held at the edge of the board

/** Make the cards of a board draggable. `page` has its board, its views and its filter. */
export function enableCardDragging(host, page) {
  makeDraggable(host, (event) => {
    const node = event.target.closest("li.card");
    const { board } = page;
    const card = node && board?.cards.get(node.dataset.id);
    if (!card || !(board.isAllowed("transition") || board.isAllowed("update"))) return null;
    return new CardDrag({ host, page, card, node });
  });
}

let wasFilterExplained = false;

/** Explain, once, where a card was placed among cards that the filter hides. */
function explainFilter() {
  if (wasFilterExplained) return;
  wasFilterExplained = true;
  const text = "The filter hides other cards of this column; the card was placed right below the visible card above it.";
  showToast({ title: "Placed between the visible cards", text, cause: "filtered" });
}

/** A card that is dragged over the columns of its board. */
class CardDrag {
  placeholder = h("li.drop-placeholder", { "aria-hidden": "true" });
  closed = new Map(); // column -> the error of a drop there
  target = null; // the view of the column under the pointer
  /** @type {string | null | undefined} */
  below = undefined; // the card below the pointer, null at the end of a column

  constructor({ host, page, card, node }) {
    this.host = host;
    this.page = page;
    this.board = page.board;
    this.card = card;
    this.node = node;
    this.source = page.views.get(card.columnId);
  }

  // From the beginning to the end

  begin() {
    const { board, card, node, placeholder } = this;
    node.classList.add("dragging");
    this.source.list.pinned.add(card.id);
    placeholder.style.height = `${node.offsetHeight - 6}px`;
    const open = new Set(board.transitionsFrom(card.columnId).map(({ id }) => id));
    this.showTransitions(open);
    const titles = [...open].map((id) => board.column(id).title).join(", ");
    announce(`${card.title} is lifted. It can go to ${titles || "no column"}.`);
    if (open.size) this.loadMoves();
  }

  /** Mark the other columns as those where the card can be dropped, or with the reason why not. */
  showTransitions(open) {
    const { board, card } = this;
    const from = board.column(card.columnId).title;
    for (const [id, view] of this.page.views) {
      const reason = open.has(id) ? null : `No transition from ${from} to this column.`;
      if (id !== card.columnId) view.setDropState(reason, open.has(id));
    }
  }

  /** Load the allowed moves: the service also checks required fields, limits, blockers and permissions. */
  async loadMoves() {
    try {
      for (const { toColumnId, allowed, why, blockers } of await listMoves(this.board, this.card.id)) {
        if (allowed || !this.node.classList.contains("dragging")) continue;
        this.closed.set(toColumnId, { ...blockers[0], details: { ...blockers[0].details, blockers } });
        this.page.views.get(toColumnId)?.setDropState(why.join(" "));
      }
    } catch {
      // The drop reports the error.
    }
  }

  over(x, y) {
    const view = this.findView(x, y);
    if (this.target && this.target !== view) this.target.list.showPlaceholder(undefined);
    this.target = view;
    const isOpen = view && (view === this.source || view.element.classList.contains("available"));
    this.below = view ? this.findBelow(view, y) : undefined;
    if (view) view.list.showPlaceholder(isOpen ? this.below : undefined, this.placeholder);
    this.page.views.forEach((other) => other.element.classList.toggle("drop-target", other === view && Boolean(isOpen)));
  }

  end() {
    const { card, node, source } = this;
    node.classList.remove("dragging");
    source.list.pinned.delete(card.id);
    for (const view of this.page.views.values()) {
      view.setDropState(null);
      view.list.showPlaceholder(undefined);
      view.element.classList.remove("drop-target");
    }
    source.setCurrent(source.current);
  }

  cancel() {
    this.end();
    announce("Moved back.");
  }

  drop(x, y) {
    this.over(x, y);
    this.end();
    const card = this.board.cards.get(this.card.id);
    if (this.target && card && !this.showRefusal(card)) this.move();
  }

  // The drop

  /** Show why the card cannot be dropped in the column; return whether that is so. */
  showRefusal(card) {
    const { board, target, closed } = this;
    if (target === this.source) return false;
    const isLinked = board.transitionsFrom(card.columnId).some(({ id }) => id === target.id);
    if (closed.has(target.id)) showMoveError(board, card, closed.get(target.id));
    else if (!isLinked) showNoTransition(board, card, target.id);
    return closed.has(target.id) || !isLinked;
  }

  move() {
    const { page, board, card, source, target, below } = this;
    const ids = target.list.ids.filter((id) => id !== card.id);
    const behind = below === null ? (ids[ids.length - 1] ?? null) : findAbove(ids, below);
    if (target === source && behind === findAbove(source.list.ids, card.id)) return;
    target.setCurrent(card.id);
    const isEnd = below === null && !page.filter && target !== source;
    moveCard(board, card.id, target.id, isEnd ? undefined : behind);
    if (page.filter) explainFilter();
  }

  // What is under the pointer

  /** Return the view of the column at a point of the board, or null. */
  findView(x, y) {
    const element = closest(document.elementFromPoint(x, y), "[data-column]");
    return element && this.host.contains(element) ? this.page.views.get(element.dataset.column) : null;
  }

  /** Return the id of the card below the pointer's position, or null at the end of the column. */
  findBelow(view, y) {
    for (const item of view.list.list.children) {
      if (item === this.placeholder || item.dataset.id === this.card.id || item.classList.contains("hidden")) continue;
      const box = item.getBoundingClientRect();
      if (y < box.top + box.height / 2) return item.dataset.id;
    }
    return null;
  }

  scrollers(x, y) {
    const view = this.findView(x, y);
    const sideways = [this.host, "x", this.source.element.offsetWidth * COLUMNS_PER_SECOND_MAX];
    return view ? [sideways, [view.scroller, "y", view.scroller.clientHeight]] : [sideways];
  }
}

/** Return the id of the card above another one, or null. */
function findAbove(ids, id) {
  return ids[ids.indexOf(id) - 1] ?? null;
}
