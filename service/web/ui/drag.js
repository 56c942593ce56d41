// Dragging with a mouse or a finger.

import { h } from "../core/dom.js";

const MOUSE_PIXELS_MIN = 5; // that a mouse moves before a drag begins
const TOUCH_MILLISECONDS = 350; // that a finger rests before a drag begins, so that a swipe scrolls
const EDGE_PIXELS = 56; // from an edge, within which the list or the board scrolls
const EDGE_MILLISECONDS = 600; // that the pointer stays at an edge before it scrolls
const FRAME_MILLISECONDS_MAX = 250; // counted between two frames, so that a page that hung does not jump

/**
 * Make elements draggable: `pick(event)` returns {node, begin(), over(x, y), drop(x, y), cancel(), scrollers(x, y)} or null.
 * `scrollers` lists [element, "x" or "y", pixels per second at most] that scroll while the pointer is at their edges.
 */
export function makeDraggable(host, pick) {
  let drag = null; // {item, pointer, x, y, preview, isOn, …}

  const end = (how) => {
    const { item, isOn, x, y, preview, timer } = drag;
    clearTimeout(timer);
    cancelAnimationFrame(drag.frame);
    preview?.remove();
    drag = null;
    document.documentElement.classList.remove("dragging");
    if (isOn) item[how](x, y);
  };

  const begin = () => {
    const { item, startX, startY } = drag;
    const box = item.node.getBoundingClientRect();
    drag.isOn = true;
    drag.preview = createPreview(item.node, box);
    drag.scrollNearEdge = createEdgeScroller();
    drag.tilt = Math.min(1.5, 400 / box.width); // less for what is wide
    drag.shift = { x: startX - box.left, y: startY - box.top };
    document.documentElement.classList.add("dragging");
    getSelection().removeAllRanges();
    item.begin();
    follow();
  };

  const follow = () => {
    const { item, x, y, preview, shift, tilt } = drag;
    preview.style.transform = `translate(${x - shift.x}px, ${y - shift.y}px) rotate(${tilt}deg)`;
    drag.scrollNearEdge(item.scrollers(x, y), x, y);
    item.over(x, y);
    drag.frame = requestAnimationFrame(follow);
  };

  host.addEventListener("pointerdown", (event) => {
    if (drag || event.button !== 0 || event.target.closest("button, input, textarea, .key")) return;
    const item = pick(event);
    if (!item) return;
    const { clientX: x, clientY: y, pointerId: pointer } = event;
    drag = { item, pointer, x, y, startX: x, startY: y, isTouch: event.pointerType !== "mouse", isOn: false };
    if (drag.isTouch) drag.timer = setTimeout(begin, TOUCH_MILLISECONDS);
  });
  addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.pointer) return;
    [drag.x, drag.y] = [event.clientX, event.clientY];
    if (drag.isOn) return;
    const isFar = Math.hypot(drag.x - drag.startX, drag.y - drag.startY) > (drag.isTouch ? 10 : MOUSE_PIXELS_MIN);
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
  // In the capture phase, so that Escape closes nothing else.
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
  host.addEventListener("touchmove", (event) => drag?.isOn && event.cancelable && event.preventDefault(), {
    passive: false
  });
  host.addEventListener("contextmenu", (event) => drag?.isTouch && event.preventDefault());
  host.addEventListener("dragstart", (event) => event.preventDefault());
}

/** Add a copy of an element that follows the pointer. A frame holds it, since styles of the element may position it. */
function createPreview(node, { width, height }) {
  const copy = node.cloneNode(true);
  copy.removeAttribute("data-id");
  const preview = h("div.drag-preview", { "aria-hidden": "true", inert: true }, copy);
  Object.assign(preview.style, { width: `${width}px`, height: `${height}px` });
  document.body.append(preview);
  return preview;
}

/** Return a function that, called once per frame, scrolls at the edges: the faster, the nearer the pointer is. */
function createEdgeScroller() {
  let waiting = new Map(); // element -> {side, since, rest}: at which edge the pointer is, and pixels not scrolled yet
  let before = performance.now();

  return (scrollers, x, y) => {
    const now = performance.now();
    const seconds = Math.min(now - before, FRAME_MILLISECONDS_MAX) / 1000;
    const previous = waiting;
    [waiting, before] = [new Map(), now];
    for (const [element, axis, speed] of scrollers) {
      const share = edgeShare(element, axis, x, y);
      if (!share) continue;
      const known = previous.get(element);
      const state = known?.side === Math.sign(share) ? known : { side: Math.sign(share), since: now, rest: 0 };
      waiting.set(element, state);
      if (now - state.since < EDGE_MILLISECONDS) continue;
      state.rest += share * speed * seconds;
      const pixels = Math.trunc(state.rest); // browsers round the position, so the rest is kept for the next frame
      state.rest -= pixels;
      element[axis === "x" ? "scrollLeft" : "scrollTop"] += pixels;
    }
  };
}

/** Return how near the pointer is to an edge: from -1 at the first edge, over 0, to 1 at the last one. */
function edgeShare(element, axis, x, y) {
  const box = element.getBoundingClientRect();
  const [low, high, at] = axis === "x" ? [box.left, box.right, x] : [box.top, box.bottom, y];
  const before = EDGE_PIXELS - (at - low);
  const behind = EDGE_PIXELS - (high - at);
  if (before > 0) return -Math.min(1, before / EDGE_PIXELS);
  return behind > 0 ? Math.min(1, behind / EDGE_PIXELS) : 0;
}

/** Suppress the click that the browser sends after a drop, which would open the card; one of the keyboard has detail 0. */
function swallowClick() {
  const swallow = (event) => event.detail > 0 && (event.preventDefault(), event.stopPropagation());
  addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", swallow, { capture: true }), 50);
}
