// Menus beside the element that opened them.

import { closest, focusedElement, h, query } from "../core/dom.js";
import { icon } from "../core/icons.js";

/** @import { Child } from "../core/dom.js" */
/**
 * An item of a menu, or a head; see openMenu and openPicker.
 * @typedef {{label?: string, why?: string, end?: Child, mark?: Child, checked?: boolean, disabled?: boolean, run?: () => unknown,
 *   isChecked?: () => boolean, head?: string}} MenuItem
 */
/** @typedef {{label: string, items: MenuItem[], focus?: () => unknown}} MenuOptions */

/**
 * Open a menu of {label, why, end, mark, checked, disabled, run} or {head}. Disabled items can be focused, so that their `why`
 * can be read. `focus()` is called as by showMenu.
 * @param {HTMLElement} anchor
 * @param {MenuOptions} options
 */
export function openMenu(anchor, { label, items, focus }) {
  const attributes = { role: "menu", "aria-label": label, popover: "auto", tabindex: "-1" };
  const menu = h("div.menu", attributes, items.map(renderItem));
  const typing = { text: "", nodes: [...menu.children], shown: loadTyping() };
  menu.addEventListener("keydown", (event) => handleKey(menu, typing, event));
  menu.addEventListener("pointermove", ({ target }) => closest(target, "button")?.focus({ preventScroll: true }));
  showMenu(menu, anchor, focus);
  (query(menu, "button:not([aria-disabled])") ?? menu.querySelector("button"))?.focus();
}

function renderItem(item) {
  if (item.head) return h("div.head", { role: "presentation" }, item.head);
  const { checked } = item;
  const attributes = {
    role: checked === undefined ? "menuitem" : "menuitemradio",
    "aria-checked": checked === undefined ? null : String(checked),
    "aria-disabled": item.disabled ? "true" : null,
    click: (event) => chooseItem(event, item)
  };
  const why = item.why && h("span.why", item.why);
  const end = checked ? icon("check") : item.end;
  const button = h("button", attributes, item.mark, h("span", item.label, why), end && h("span.end", end));
  return Object.assign(button, { label: item.label });
}

function chooseItem(event, item) {
  if (item.disabled) return;
  event.currentTarget.closest(".menu").hidePopover();
  item.run?.();
}

/**
 * Show a menu beside the element that opened it, in place of an open one; return a function that places it again. When it
 * closes and had the focus, `focus()` gives that back, also if that element was drawn again meanwhile.
 */
export function showMenu(menu, anchor, focus = () => anchor.isConnected && anchor.focus({ preventScroll: true })) {
  query(document, ".menu")?.hidePopover();
  anchor.ariaHasPopup &&= menu.role;
  anchor.setAttribute("aria-expanded", "true");
  menu.addEventListener("toggle", ({ newState }) => newState === "closed" && closeMenu(menu, anchor, focus));
  (anchor.closest("dialog, nav, main") ?? document.body).append(menu);
  menu.showPopover();
  return keepPositioned(menu, anchor);
}

function closeMenu(menu, anchor, focus) {
  const hadFocus = menu.contains(document.activeElement) || document.activeElement === document.body;
  menu.remove();
  anchor.removeAttribute("aria-expanded");
  if (hadFocus) focus();
}

/** Load what typing needs; without it, typing finds nothing. */
const loadTyping = () => import("./menu-typing.js").catch(() => null);

/** Show the items that match the typed text. */
function type(menu, typing, text) {
  typing.text = text;
  typing.shown = typing.shown.then(async (found) => {
    const module = found ?? (await loadTyping());
    if (menu.isConnected) module?.showMatches(menu, typing.nodes, typing.text);
    return module;
  });
}

/** Choose the focused item once all typed letters are taken into account. */
async function chooseFocused(menu, typing) {
  if ((await typing.shown) && menu.contains(document.activeElement)) focusedElement()?.click();
}

function handleKey(menu, typing, event) {
  const entries = [...menu.querySelectorAll("button")];
  const place = entries.indexOf(document.activeElement);
  const steps = { __proto__: null, ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: entries.length - 1 };
  if (event.key in steps) {
    entries.at(steps[event.key] % entries.length)?.focus();
  } else if (event.key === "Tab") {
    menu.hidePopover();
  } else if (event.key === "Backspace") {
    type(menu, typing, typing.text.slice(0, -1));
  } else if (event.key === "Enter" && typing.text) {
    chooseFocused(menu, typing);
  } else if (isLetter(event) && (event.key !== " " || typing.text)) {
    type(menu, typing, typing.text + event.key);
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}

/** Return whether a key types a character. */
export function isLetter({ key, ctrlKey, metaKey, altKey }) {
  return key.length === 1 && !ctrlKey && !metaKey && !altKey;
}

/** Place a menu beside its anchor, where it stays unless the window changes its size; return what places it again. */
function keepPositioned(menu, anchor) {
  let at = anchor.getBoundingClientRect();
  const place = () => positionMenu(menu, at);
  addEventListener("resize", function follow() {
    if (!menu.isConnected) return removeEventListener("resize", follow);
    if (anchor.isConnected) at = anchor.getBoundingClientRect();
    place();
  });
  place();
  return place;
}

/** Place a menu below its anchor, or above it if there is more room, within the window. */
function positionMenu(menu, { left, top, bottom }) {
  const { width, height } = menu.getBoundingClientRect();
  const fits = bottom + 4 + height <= innerHeight - 8;
  const y = fits ? bottom + 4 : Math.max(8, Math.min(top - 4 - height, innerHeight - 8 - height));
  menu.style.left = `${Math.max(8, Math.min(left, innerWidth - 8 - width))}px`;
  menu.style.top = `${y}px`;
}
