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
    return dragCard({ host, page, card, node });
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

function dragCard({ host, page, card, node }) {
  const { board, views } = page;
  const source = views.get(card.columnId);
  const placeholder = h("li.drop-placeholder", { "aria-hidden": "true" });
  const closed = new Map(); // column -> the error of a drop there
  const target = { view: null, before: undefined };

  function begin() {
    node.classList.add("dragging");
    source.list.pinned.add(card.id);
    placeholder.style.height = `${node.offsetHeight - 6}px`;
    const open = new Set(board.transitionsFrom(card.columnId).map(({ id }) => id));
    const from = board.column(card.columnId).title;
    for (const [id, view] of views) {
      const reason = open.has(id) ? null : `No transition from ${from} to this column.`;
      if (id !== card.columnId) view.setDropState(reason, open.has(id));
    }
    const titles = [...open].map((id) => board.column(id).title).join(", ");
    announce(`${card.title} is lifted. It can go to ${titles || "no column"}.`);
    if (open.size) loadMoves();
  }

  /** Load the allowed moves: the service also checks required fields, limits, blockers and permissions. */
  async function loadMoves() {
    try {
      for (const { toColumnId, allowed, why, blockers } of await listMoves(board, card.id)) {
        if (allowed || !node.classList.contains("dragging")) continue;
        closed.set(toColumnId, { ...blockers[0], details: { ...blockers[0].details, blockers } });
        views.get(toColumnId)?.setDropState(why.join(" "));
      }
    } catch {
      // The drop reports the error.
    }
  }

  function over(x, y) {
    const element = closest(document.elementFromPoint(x, y), "[data-column]");
    const view = element && host.contains(element) ? views.get(element.dataset.column) : null;
    if (target.view && target.view !== view) target.view.list.showPlaceholder(undefined);
    target.view = view;
    const isOpen = view && (view === source || view.element.classList.contains("available"));
    target.before = view ? cardBelow(view, y) : undefined;
    if (view) view.list.showPlaceholder(isOpen ? target.before : undefined, placeholder);
    views.forEach((other) => other.element.classList.toggle("drop-target", other === view && Boolean(isOpen)));
  }

  /** Return the id of the card below the pointer's position, or null at the end of the column. */
  function cardBelow(view, y) {
    for (const item of view.list.list.children) {
      if (item === placeholder || item.dataset.id === card.id || item.classList.contains("hidden")) continue;
      const box = item.getBoundingClientRect();
      if (y < box.top + box.height / 2) return item.dataset.id;
    }
    return null;
  }

  function end() {
    node.classList.remove("dragging");
    source.list.pinned.delete(card.id);
    for (const view of views.values()) {
      view.setDropState(null);
      view.list.showPlaceholder(undefined);
      view.element.classList.remove("drop-target");
    }
    source.setCurrent(source.current);
  }

  function drop(x, y) {
    over(x, y);
    const { view, before: below } = target;
    end();
    if (!view || !board.cards.has(card.id)) return;
    const current = board.cards.get(card.id);
    if (view !== source && closed.has(view.id)) return showMoveError(board, current, closed.get(view.id));
    if (view !== source && !board.transitionsFrom(current.columnId).some(({ id }) => id === view.id))
      return showNoTransition(board, current, view.id);
    const ids = view.list.ids.filter((id) => id !== card.id);
    const behind = below === null ? (ids[ids.length - 1] ?? null) : (ids[ids.indexOf(below) - 1] ?? null);
    if (view === source && behind === cardAbove(source.list.ids)) return;
    view.setCurrent(card.id);
    const isEnd = below === null && !page.filter && view !== source;
    moveCard(board, card.id, view.id, isEnd ? undefined : behind);
    if (page.filter) explainFilter();
  }

  function cardAbove(ids) {
    return ids[ids.indexOf(card.id) - 1] ?? null;
  }

  function cancel() {
    end();
    announce("Moved back.");
  }

  function scrollers(x, y) {
    const element = closest(document.elementFromPoint(x, y), "[data-column]");
    const view = element && views.get(element.dataset.column);
    const sideways = [host, "x", source.element.offsetWidth * COLUMNS_PER_SECOND_MAX];
    return view ? [sideways, [view.scroller, "y", view.scroller.clientHeight]] : [sideways];
  }

  return { node, begin, over, drop, cancel, scrollers };
}
