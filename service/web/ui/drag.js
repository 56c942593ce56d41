// Dragging with a mouse or a finger.

import { h } from "../core/dom.js";

const MOUSE_PIXELS_MIN = 5; // that a mouse moves before a drag begins
const TOUCH_PIXELS_MAX = 10; // that a finger moves while it rests
const TOUCH_MILLISECONDS = 350; // that a finger rests before a drag begins, so that a swipe scrolls
const EDGE_PIXELS = 56; // from an edge, within which the list or the board scrolls
const EDGE_MILLISECONDS = 600; // that the pointer stays at an edge before it scrolls
const FRAME_MILLISECONDS_MAX = 250; // counted between two frames, so that a page that hung does not jump

/**
 * Make elements draggable: `pick(event)` returns {node, begin(), over(x, y), drop(x, y), cancel(), scrollers(x, y)} or null.
 * `scrollers` lists [element, "x" or "y", pixels per second at most] that scroll while the pointer is at their edges.
 */
export function makeDraggable(host, pick) {
  const draggable = new Draggable(pick);
  const isOn = () => draggable.drag?.isOn;
  host.addEventListener("pointerdown", (event) => draggable.press(event));
  host.addEventListener("touchmove", (event) => isOn() && event.cancelable && event.preventDefault(), { passive: false });
  host.addEventListener("contextmenu", (event) => draggable.drag?.isTouch && event.preventDefault());
  host.addEventListener("dragstart", (event) => event.preventDefault());
  addEventListener("pointermove", (event) => draggable.isHeldBy(event) && draggable.move(event));
  addEventListener("pointerup", (event) => draggable.isHeldBy(event) && draggable.release());
  addEventListener("pointercancel", (event) => draggable.isHeldBy(event) && draggable.end("cancel"));
  addEventListener("blur", () => isOn() && draggable.end("cancel"));
  // In the capture phase, so that Escape closes nothing else.
  addEventListener("keydown", (event) => isOn() && draggable.handleKey(event), true);
}

/** The draggable elements, and the current drag. */
class Draggable {
  /** @type {Drag | null} */
  drag = null;

  constructor(pick) {
    this.pick = pick;
  }

  press(event) {
    if (this.drag || event.button !== 0 || event.target.closest("button, input, textarea, .key")) return;
    const item = this.pick(event);
    if (item) this.drag = new Drag(item, event);
  }

  isHeldBy({ pointerId }) {
    return this.drag?.pointer === pointerId;
  }

  move({ clientX, clientY }) {
    const { drag } = this;
    [drag.x, drag.y] = [clientX, clientY];
    if (drag.isOn || !drag.isFar()) return;
    if (drag.isTouch) this.end("cancel");
    else drag.begin();
  }

  release() {
    if (this.drag.isOn) swallowClick();
    this.end("drop");
  }

  handleKey(event) {
    event.preventDefault();
    event.stopPropagation();
    if (event.key !== "Escape") return;
    addEventListener("pointerup", swallowClick, { once: true });
    this.end("cancel");
  }

  end(how) {
    const { drag } = this;
    this.drag = null;
    drag.end(how);
  }
}

/** A drag from the press to the drop. Once it has begun, a copy of the item follows the pointer. */
class Drag {
  isOn = false;

  constructor(item, { clientX, clientY, pointerId, pointerType }) {
    this.item = item;
    this.pointer = pointerId;
    this.start = { x: clientX, y: clientY };
    this.x = clientX;
    this.y = clientY;
    this.isTouch = pointerType !== "mouse";
    if (this.isTouch) this.timer = setTimeout(() => this.begin(), TOUCH_MILLISECONDS);
  }

  isFar() {
    const { x, y, start, isTouch } = this;
    return Math.hypot(x - start.x, y - start.y) > (isTouch ? TOUCH_PIXELS_MAX : MOUSE_PIXELS_MIN);
  }

  begin() {
    const { item, start } = this;
    const box = item.node.getBoundingClientRect();
    this.isOn = true;
    this.preview = createPreview(item.node, box);
    this.scrollNearEdge = createEdgeScroller();
    this.tilt = Math.min(1.5, 400 / box.width); // less for what is wide
    this.shift = { x: start.x - box.left, y: start.y - box.top };
    document.documentElement.classList.add("dragging");
    getSelection().removeAllRanges();
    item.begin();
    this.follow();
  }

  follow() {
    const { item, x, y, preview, shift, tilt } = this;
    preview.style.transform = `translate(${x - shift.x}px, ${y - shift.y}px) rotate(${tilt}deg)`;
    this.scrollNearEdge(item.scrollers(x, y), x, y);
    item.over(x, y);
    this.frame = requestAnimationFrame(() => this.follow());
  }

  /** End it with "drop" or "cancel". */
  end(how) {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
    this.preview?.remove();
    document.documentElement.classList.remove("dragging");
    if (this.isOn) this.item[how](this.x, this.y);
  }
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
