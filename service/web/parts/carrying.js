// Dragging cards over a board: which columns are closed and why, where the card would go, what happens on the drop.

import { h } from "../core/dom.js";
import { announce, notify } from "./float.js";
import { moveCard, noWay, tellStays, waysOf } from "./refused.js";

/** Let cards of a board be dragged. `shown` gives {board, views, isFiltered} as they are now. */
export function carryCards(host, shown) {
  draggable(host, (event) => {
    const node = event.target.closest("li.card");
    const { board, views } = shown();
    const card = node && board?.cards.get(node.dataset.id);
    if (!card || !(board.may("transition") || board.may("update"))) return null;
    return carrying({ host, board, views, card, node, shown });
  });
}

let isTold = false; // once is enough

/** Say where a card went among cards that a filter hides. */
function tellFiltered() {
  if (isTold) return;
  isTold = true;
  const text = "The filter hides other cards of the column; the card stands right behind the one that you see above it.";
  notify({ title: "Placed among the cards that you see", text, cause: "filtered" });
}

function carrying({ host, board, views, card, node, shown }) {
  const home = views.get(card.columnId);
  const gap = h("li.gap", { "aria-hidden": "true" });
  const closed = new Map(); // column -> the error that a drop would meet
  const place = { view: null, before: undefined };

  function begin() {
    node.classList.add("lifted");
    home.list.kept.add(card.id);
    gap.style.height = `${node.offsetHeight - 6}px`;
    const open = new Set(board.ways(card.columnId).map(({ id }) => id));
    const from = board.column(card.columnId).title;
    for (const [id, view] of views) {
      if (id !== card.columnId) view.close(open.has(id) ? null : `No way from ${from} to here.`, open.has(id));
    }
    const where = [...open].map((id) => board.column(id).title).join(", ");
    announce(`${card.title} is lifted. It can go to ${where || "no column"}.`);
    if (open.size) ask();
  }

  /** The service knows more than the transitions: fields, limits, blockers, rights. */
  async function ask() {
    try {
      for (const { toColumnId, allowed, why, blockers } of await waysOf(board, card.id)) {
        if (allowed || !node.classList.contains("lifted")) continue;
        closed.set(toColumnId, { ...blockers[0], details: { ...blockers[0].details, blockers } });
        views.get(toColumnId)?.close(why.join(" "));
      }
    } catch {
      // The drop will tell.
    }
  }

  function over(x, y) {
    const element = document.elementFromPoint(x, y)?.closest("[data-column]");
    const view = element && host.contains(element) ? views.get(element.dataset.column) : null;
    if (place.view && place.view !== view) place.view.list.open(undefined);
    place.view = view;
    const isOpen = view && (view === home || view.element.classList.contains("open"));
    place.before = view ? before(view, y) : undefined;
    if (view) view.list.open(isOpen ? place.before : undefined, gap);
    views.forEach((other) => other.element.classList.toggle("target", other === view && Boolean(isOpen)));
  }

  /** Find the card above which the pointer is; null: below the last one. */
  function before(view, y) {
    for (const item of view.list.list.children) {
      if (item === gap || item.dataset.id === card.id || item.classList.contains("away")) continue;
      const box = item.getBoundingClientRect();
      if (y < box.top + box.height / 2) return item.dataset.id;
    }
    return null;
  }

  function end() {
    node.classList.remove("lifted");
    home.list.kept.delete(card.id);
    for (const view of views.values()) {
      view.close(null);
      view.list.open(undefined);
      view.element.classList.remove("target");
    }
    home.stand(home.current);
  }

  function drop(x, y) {
    over(x, y);
    const { view, before: below } = place;
    end();
    if (!view || !board.cards.has(card.id)) return;
    const now = board.cards.get(card.id);
    if (view !== home && closed.has(view.id)) return tellStays(board, now, closed.get(view.id));
    if (view !== home && !board.ways(now.columnId).some(({ id }) => id === view.id)) return noWay(board, now, view.id);
    const ids = view.list.ids.filter((id) => id !== card.id);
    const behind = below === null ? (ids[ids.length - 1] ?? null) : (ids[ids.indexOf(below) - 1] ?? null);
    if (view === home && behind === aboveShown(home.list.ids)) return;
    view.stand(card.id);
    const isEnd = below === null && !shown().isFiltered && view !== home;
    moveCard(board, card.id, view.id, isEnd ? undefined : behind);
    if (shown().isFiltered) tellFiltered();
  }

  function aboveShown(ids) {
    return ids[ids.indexOf(card.id) - 1] ?? null;
  }

  function cancel() {
    end();
    announce("Put back.");
  }

  function scrollers(x, y) {
    const element = document.elementFromPoint(x, y)?.closest("[data-column]");
    const view = element && views.get(element.dataset.column);
    return [[host, "x"], ...(view ? [[view.scroller, "y"]] : [])];
  }

  return { node, begin, over, drop, cancel, scrollers };
}

// Dragging: with a mouse after 5 pixels, with a finger after a press of 350 ms, so that a swipe always scrolls.
const FAR = 5; // pixels that a mouse goes before it drags
const LONG = 350; // milliseconds that a finger rests before it drags
const EDGE = 56; // pixels from an edge within which the board scrolls by itself
const FASTEST = 18; // pixels a frame

/** Let what `pick(event)` gives be dragged: it is {node, over(x, y), drop(x, y), cancel(), scrollers(x, y)} or null. */
export function draggable(host, pick) {
  let drag = null; // {thing, pointer, x, y, ghost, isOn}

  const end = (how) => {
    const { thing, isOn, x, y, ghost, timer } = drag;
    clearTimeout(timer);
    cancelAnimationFrame(drag.frame);
    ghost?.remove();
    drag = null;
    document.documentElement.classList.remove("dragging");
    if (isOn) thing[how](x, y);
  };

  const begin = () => {
    const { thing, startX, startY } = drag;
    const box = thing.node.getBoundingClientRect();
    drag.isOn = true;
    drag.ghost = ghostOf(thing.node, box);
    drag.shift = { x: startX - box.left, y: startY - box.top };
    document.documentElement.classList.add("dragging");
    getSelection().removeAllRanges();
    thing.begin();
    follow();
  };

  const follow = () => {
    const { thing, x, y, ghost, shift } = drag;
    ghost.style.transform = `translate(${x - shift.x}px, ${y - shift.y}px) rotate(1.5deg)`;
    for (const [element, axis] of thing.scrollers(x, y)) scrollBy(element, axis, x, y);
    thing.over(x, y);
    drag.frame = requestAnimationFrame(follow);
  };

  host.addEventListener("pointerdown", (event) => {
    if (drag || event.button !== 0 || event.target.closest("button, input, textarea, .key")) return;
    const thing = pick(event);
    if (!thing) return;
    const { clientX: x, clientY: y, pointerId: pointer } = event;
    drag = { thing, pointer, x, y, startX: x, startY: y, isTouch: event.pointerType !== "mouse", isOn: false };
    if (drag.isTouch) drag.timer = setTimeout(begin, LONG);
  });
  addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.pointer) return;
    [drag.x, drag.y] = [event.clientX, event.clientY];
    if (drag.isOn) return;
    const isFar = Math.hypot(drag.x - drag.startX, drag.y - drag.startY) > (drag.isTouch ? 10 : FAR);
    if (isFar && drag.isTouch) end("cancel");
    else if (isFar) begin();
  });
  addEventListener("pointerup", (event) => {
    if (!drag || event.pointerId !== drag.pointer) return;
    if (drag.isOn) swallowClick();
    end("drop");
  });
  addEventListener("pointercancel", (event) => drag?.pointer === event.pointerId && end("cancel"));
  addEventListener("blur", () => drag?.isOn && end("cancel"));
  // Before all others: what Escape closes otherwise stays open.
  addEventListener(
    "keydown",
    (event) => {
      if (!drag?.isOn) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key !== "Escape") return;
      addEventListener("pointerup", swallowClick, { once: true });
      end("cancel");
    },
    true
  );
  host.addEventListener("touchmove", (event) => drag?.isOn && event.cancelable && event.preventDefault(), { passive: false });
  host.addEventListener("contextmenu", (event) => drag?.isTouch && event.preventDefault());
  host.addEventListener("dragstart", (event) => event.preventDefault());
}

function ghostOf(node, { width, height }) {
  const ghost = node.cloneNode(true);
  ghost.removeAttribute("data-id");
  ghost.setAttribute("aria-hidden", "true");
  ghost.inert = true;
  ghost.classList.add("ghost");
  ghost.style.width = `${width}px`;
  ghost.style.height = `${height}px`;
  document.body.append(ghost);
  return ghost;
}

function scrollBy(element, axis, x, y) {
  const box = element.getBoundingClientRect();
  const [low, high, at, key] =
    axis === "x" ? [box.left, box.right, x, "scrollLeft"] : [box.top, box.bottom, y, "scrollTop"];
  const before = EDGE - (at - low);
  const behind = EDGE - (high - at);
  if (before > 0) element[key] -= Math.min(1, before / EDGE) * FASTEST;
  else if (behind > 0) element[key] += Math.min(1, behind / EDGE) * FASTEST;
}

/** The release of a drag is a click for the browser, and must not open the card. */
function swallowClick() {
  const swallow = (event) => (event.preventDefault(), event.stopPropagation());
  addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", swallow, { capture: true }), 50);
}
