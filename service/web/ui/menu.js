// Menus beside the element that opened them.

import { h } from "../core/dom.js";
import { icon } from "../core/icons.js";

/**
 * Open a menu of {label, why, end, mark, checked, disabled, run} or {head}. Disabled items can be focused, so that their
 * `why` can be read.
 */
export function openMenu(anchor, { label, items, at = anchor.getBoundingClientRect() }) {
  document.querySelector(".menu")?.hidePopover();
  const menu = h(
    "div.menu",
    { role: "menu", "aria-label": label, popover: "auto" },
    items.map((item) => renderItem(item))
  );
  anchor.setAttribute("aria-expanded", "true");
  menu.addEventListener("toggle", ({ newState }) => newState === "closed" && closeMenu(menu, anchor));
  menu.addEventListener("keydown", (event) => handleKey(menu, event));
  menu.addEventListener("pointermove", ({ target }) => target.closest("button")?.focus({ preventScroll: true }));
  (anchor.closest("dialog, nav, main") ?? document.body).append(menu);
  menu.showPopover();
  positionMenu(menu, at);
  (menu.querySelector("button:not([aria-disabled])") ?? menu.querySelector("button"))?.focus();
  return menu;
}

function renderItem(item) {
  if (item.head) return h("div.head", { role: "presentation" }, item.head);
  const attributes = {
    role: item.checked === undefined ? "menuitem" : "menuitemradio",
    "aria-checked": item.checked === undefined ? null : String(item.checked),
    "aria-disabled": item.disabled ? "true" : null,
    tabindex: "-1",
    click: (event) => chooseItem(event, item)
  };
  const why = item.why && h("span.why", item.why);
  const end = item.checked ? icon("check") : item.end;
  return h("button", attributes, item.mark, h("span", item.label, why), end && h("span.end", end));
}

function chooseItem(event, item) {
  if (item.disabled && !item.run) return;
  event.currentTarget.closest(".menu").hidePopover();
  item.run?.();
}

function closeMenu(menu, anchor) {
  const hadFocus = menu.contains(document.activeElement) || document.activeElement === document.body;
  menu.remove();
  anchor.removeAttribute("aria-expanded");
  if (hadFocus && anchor.isConnected) anchor.focus({ preventScroll: true });
}

function handleKey(menu, event) {
  const entries = [...menu.querySelectorAll("button")];
  const place = entries.indexOf(document.activeElement);
  const steps = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: entries.length - 1 };
  if (event.key in steps) {
    entries.at(steps[event.key] % entries.length).focus();
  } else if (event.key === "Tab") {
    menu.hidePopover();
  } else if (event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const letter = event.key.toLowerCase();
    const later = [...entries.slice(place + 1), ...entries.slice(0, place + 1)];
    later.find((entry) => entry.textContent.toLowerCase().startsWith(letter))?.focus();
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}

/** Place the menu below its anchor, or above it if there is more room, within the window. */
function positionMenu(menu, { left, top, bottom }) {
  const { width, height } = menu.getBoundingClientRect();
  const fits = bottom + 4 + height <= innerHeight - 8;
  const y = fits ? bottom + 4 : Math.max(8, Math.min(top - 4 - height, innerHeight - 8 - height));
  menu.style.left = `${Math.max(8, Math.min(left, innerWidth - 8 - width))}px`;
  menu.style.top = `${y}px`;
}
