// Dragging with a mouse or a finger.

const MOUSE_PIXELS_MIN = 5; // that a mouse moves before a drag begins
const TOUCH_MILLISECONDS = 350; // that a finger rests before a drag begins, so that a swipe scrolls
const EDGE_PIXELS = 56; // from an edge, within which the board scrolls
const PIXELS_PER_FRAME_MAX = 18;

/** Make elements draggable: `pick(event)` returns {node, begin(), over(x, y), drop(x, y), cancel(), scrollers(x, y)} or null. */
export function makeDraggable(host, pick) {
  let drag = null; // {thing, pointer, x, y, ghost, isOn}

  const end = (how) => {
    const { item, isOn, x, y, ghost, timer } = drag;
    clearTimeout(timer);
    cancelAnimationFrame(drag.frame);
    ghost?.remove();
    drag = null;
    document.documentElement.classList.remove("dragging");
    if (isOn) item[how](x, y);
  };

  const begin = () => {
    const { item, startX, startY } = drag;
    const box = item.node.getBoundingClientRect();
    drag.isOn = true;
    drag.ghost = createGhost(item.node, box);
    drag.shift = { x: startX - box.left, y: startY - box.top };
    document.documentElement.classList.add("dragging");
    getSelection().removeAllRanges();
    item.begin();
    follow();
  };

  const follow = () => {
    const { item, x, y, ghost, shift } = drag;
    ghost.style.transform = `translate(${x - shift.x}px, ${y - shift.y}px) rotate(1.5deg)`;
    for (const [element, axis] of item.scrollers(x, y)) scrollNearEdge(element, axis, x, y);
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

function createGhost(node, { width, height }) {
  const ghost = node.cloneNode(true);
  ghost.removeAttribute("data-id");
  ghost.setAttribute("aria-hidden", "true");
  ghost.inert = true;
  ghost.classList.add("drag-preview");
  ghost.style.width = `${width}px`;
  ghost.style.height = `${height}px`;
  document.body.append(ghost);
  return ghost;
}

function scrollNearEdge(element, axis, x, y) {
  const box = element.getBoundingClientRect();
  const [low, high, at, key] =
    axis === "x" ? [box.left, box.right, x, "scrollLeft"] : [box.top, box.bottom, y, "scrollTop"];
  const before = EDGE_PIXELS - (at - low);
  const behind = EDGE_PIXELS - (high - at);
  if (before > 0) element[key] -= Math.min(1, before / EDGE_PIXELS) * PIXELS_PER_FRAME_MAX;
  else if (behind > 0) element[key] += Math.min(1, behind / EDGE_PIXELS) * PIXELS_PER_FRAME_MAX;
}

/** Suppress the click that the browser sends after a drop, which would open the card. */
function swallowClick() {
  const swallow = (event) => (event.preventDefault(), event.stopPropagation());
  addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", swallow, { capture: true }), 50);
}
