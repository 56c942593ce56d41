// Menus beside the element that opened them.

import { h } from "../core/dom.js";
import { icon } from "../core/icons.js";

/**
 * Open a menu of {label, why, end, mark, checked, disabled, run}, {head} or a group {head, items}. Disabled items can be
 * focused, so that their `why` can be read. The menu stays open if an item with `isChecked()` is chosen.
 */
export function openMenu(anchor, { label, items }) {
  document.querySelector(".menu")?.hidePopover();
  const menu = h(
    items.some((item) => item.items) ? "div.menu.grouped" : "div.menu",
    { role: "menu", "aria-label": label, popover: "auto", tabindex: "-1" },
    items.map((item) => renderItem(item))
  );
  const typing = { text: "", nodes: [...menu.children], shown: loadTyping() };
  menu.stay = (button) => {
    if (typing.text) type(menu, typing, "");
    typing.shown.then(() => button.focus());
    for (const one of menu.querySelectorAll("button")) one.setAttribute("aria-checked", one.isChecked());
  };
  anchor.setAttribute("aria-expanded", "true");
  menu.addEventListener("toggle", ({ newState }) => newState === "closed" && closeMenu(menu, anchor));
  menu.addEventListener("keydown", (event) => handleKey(menu, typing, event));
  menu.addEventListener("pointermove", ({ target }) => target.closest("button")?.focus({ preventScroll: true }));
  (anchor.closest("dialog, nav, main") ?? document.body).append(menu);
  menu.showPopover();
  keepPositioned(menu, anchor);
  (menu.querySelector("button:not([aria-disabled])") ?? menu.querySelector("button"))?.focus();
  return menu;
}

function renderItem(item) {
  if (item.items) {
    const head = h("div.head", { role: "presentation" }, item.head);
    return h("div.menu-group", { role: "group", "aria-label": item.head }, head, item.items.map(renderItem));
  }
  if (item.head) return h("div.head", { role: "presentation" }, item.head);
  const { checked = item.isChecked?.() } = item;
  const attributes = {
    role: item.isChecked ? "menuitemcheckbox" : checked === undefined ? "menuitem" : "menuitemradio",
    "aria-checked": checked === undefined ? null : String(checked),
    "aria-disabled": item.disabled ? "true" : null,
    click: (event) => chooseItem(event, item)
  };
  const why = item.why && h("span.why", item.why);
  const end = item.checked || item.isChecked ? icon("check") : item.end;
  const button = h("button", attributes, item.mark, h("span", item.label, why), end && h("span.end", end));
  return Object.assign(button, { label: item.label, isChecked: item.isChecked });
}

function chooseItem(event, item) {
  if (item.disabled && !item.run) return;
  const button = event.currentTarget;
  const menu = button.closest(".menu");
  if (!item.isChecked) menu.hidePopover();
  item.run?.();
  if (item.isChecked) menu.stay(button);
}

function closeMenu(menu, anchor) {
  const hadFocus = menu.contains(document.activeElement) || document.activeElement === document.body;
  menu.remove();
  anchor.removeAttribute("aria-expanded");
  if (hadFocus && anchor.isConnected) anchor.focus({ preventScroll: true });
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
  if ((await typing.shown) && menu.contains(document.activeElement)) document.activeElement.click();
}

function handleKey(menu, typing, event) {
  const entries = [...menu.querySelectorAll("button:not([hidden])")];
  const place = entries.indexOf(document.activeElement);
  const steps = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: entries.length - 1 };
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

function isLetter({ key, ctrlKey, metaKey, altKey }) {
  return key.length === 1 && !ctrlKey && !metaKey && !altKey;
}

/** Place a menu beside its anchor, where it stays unless the window changes its size; return what places it again. */
export function keepPositioned(menu, anchor) {
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
