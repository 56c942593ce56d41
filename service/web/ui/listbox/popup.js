// Popups: elements beside the one that opened them.

import { query } from "../../core/dom.js";

const GAP = 4; // pixels between an element and what it stands beside
const MARGIN = 8; // pixels between an element and the edge of the window

/**
 * Show a menu beside the element that opened it, in place of an open one; return a function that places it again. When it
 * closes and had the focus, `focus()` gives that back, also if that element was drawn again meanwhile.
 */
export function showPopup(menu, anchor, focus = () => anchor.isConnected && anchor.focus({ preventScroll: true })) {
  query(document, ".menu")?.hidePopover();
  anchor.ariaHasPopup &&= menu.role;
  anchor.setAttribute("aria-expanded", "true");
  menu.addEventListener("toggle", ({ newState }) => newState === "closed" && closePopup(menu, anchor, focus));
  (anchor.closest("dialog, nav, main") ?? document.body).append(menu);
  menu.showPopover();
  return keepPlaced(menu, anchor);
}

function closePopup(menu, anchor, focus) {
  const hadFocus = menu.contains(document.activeElement) || document.activeElement === document.body;
  menu.remove();
  anchor.removeAttribute("aria-expanded");
  if (hadFocus) focus();
}

/** Place a menu beside its anchor, where it stays unless the window changes its size; return what places it again. */
function keepPlaced(menu, anchor) {
  let at = anchor.getBoundingClientRect();
  const place = () => placeBeside(menu, at);
  addEventListener("resize", function follow() {
    if (!menu.isConnected) return removeEventListener("resize", follow);
    if (anchor.isConnected) at = anchor.getBoundingClientRect();
    place();
  });
  place();
  return place;
}

/** Place an element below a line, or above it if there is no room, in the part of the window that a keyboard leaves. */
export function placeBeside(element, { left, top, bottom }) {
  const { offsetTop, height: visible, width: across } = visualViewport;
  const { width, height } = element.getBoundingClientRect();
  const end = offsetTop + visible - MARGIN;
  const above = Math.max(offsetTop + MARGIN, Math.min(top - GAP, end) - height);
  element.style.left = `${Math.max(MARGIN, Math.min(left, across - MARGIN - width))}px`;
  element.style.top = `${bottom + GAP + height <= end ? bottom + GAP : above}px`;
}
