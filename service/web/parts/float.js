// What floats above the screen: notices, dialogs and menus.

import { add, h, icon, labelled } from "../core/dom.js";
import { bind, hinted } from "../core/keys.js";

const SHOWN = 12_000; // milliseconds
const NOTICES_MAX = 3;

const host = h("div.notices");
const voice = h("div.unseen", { role: "status", "aria-live": "polite" });
const pending = [];
let last = null;

/** Put notices and voice into the page, once. */
export function placeNotices() {
  document.body.append(host, voice);
  bind({ "notice.last": () => last && notify(last) });
}

/** Keep notices within reach: a modal dialog makes all that is outside of it inert. */
function raiseNotices() {
  const dialog = [...document.querySelectorAll("dialog:modal")].pop();
  const home = dialog ?? document.body;
  if (host.parentNode !== home) home.append(host, voice);
}

/** Say something to those who listen instead of looking; what comes at once is said in turn. */
export function announce(text) {
  pending.push(text);
  if (pending.length === 1) setTimeout(speak, 100);
}

function speak() {
  voice.replaceChildren(h("p", pending.splice(0).join(" ")));
}

/** Show a notice: {title, text, kind (refused or done), isSaid (elsewhere), cause, actions: [{label, key, run}], shown}. */
export function notify(notice) {
  const { title, text, kind = "done", isSaid = false, cause = null, actions = [], shown = SHOWN } = notice;
  raiseNotices();
  for (const other of [...host.children]) if (cause !== null && other.cause === cause) other.close();
  const close = h("button.plain", { "aria-label": "Dismiss" }, icon("close"));
  const element = h(
    "div",
    { class: `notice ${kind}`, role: kind === "refused" ? "alert" : isSaid ? "group" : "status" },
    h("strong", title),
    close,
    text && h("p", text)
  );
  const buttons = actions.map(({ label, key, run }) => {
    const attributes = { class: "button small", ...(key && hinted(key)) };
    return h("button", { ...attributes, click: () => (element.close(), run()) }, label);
  });
  if (buttons.length) add(element, [h("div.row", buttons)]);
  element.cause = cause;
  element.close = () => (clearTimeout(element.timer), element.remove());
  close.addEventListener("click", element.close);
  live(element, shown);
  if (kind === "refused") last = { ...notice, cause };
  host.append(element);
  while (host.children.length > NOTICES_MAX) host.firstChild.close();
  return element;
}

/** Show a notice of what was refused. */
export function refuse(title, text, cause = title) {
  return notify({ title, text, kind: "refused", cause });
}

/** Let a notice go after a while, but never while somebody reads it or is about to press its button. */
function live(element, shown) {
  const begin = () => (element.timer = setTimeout(element.close, shown));
  for (const type of ["pointerenter", "focusin"]) element.addEventListener(type, () => clearTimeout(element.timer));
  for (const type of ["pointerleave", "focusout"])
    element.addEventListener(type, () => (clearTimeout(element.timer), begin()));
  begin();
}

// Dialogs: modal, labelled, closed by Escape or beside them; focus returns to where it was.
/** Open a dialog around some content; `leave` may refuse to close (false); `closed` is told when it is. */
export function openDialog({ label, className = "", content, leave = () => true, closed = () => {} }) {
  const opener = document.activeElement;
  const dialog = h("dialog", { class: className, "aria-label": label }, content);
  const close = () => {
    if (!dialog.open || leave() === false) return;
    dialog.close();
  };
  dialog.addEventListener("cancel", (event) => {
    if (event.target !== dialog) return; // a file picker inside was cancelled
    event.preventDefault();
    close();
  });
  dialog.addEventListener("pointerdown", (event) => {
    dialog.pressedOutside = event.target === dialog && isOutside(dialog, event);
  });
  dialog.addEventListener("click", (event) => {
    if (dialog.pressedOutside && event.target === dialog && isOutside(dialog, event)) close();
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    raiseNotices();
    const back = opener?.isConnected ? opener : document.getElementById("screen");
    if (closed() !== false) back.focus({ preventScroll: true });
  });
  document.body.append(dialog);
  dialog.showModal();
  raiseNotices();
  return { dialog, close, end: () => dialog.open && dialog.close() };
}

function isOutside(dialog, { clientX, clientY }) {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}

/** Ask for a text, for something of an input `type`, or only for a yes; give what was typed, or null if the person gave up. */
export function ask({ title, text, label, button, type = null, required = false, value = "", more = [], most = 2000 }) {
  return new Promise((resolve) => {
    let answer = null;
    const about = { class: "input", maxlength: type === "date" ? null : most, required, name: "text", type };
    const field = label ? h(type ? "input" : "textarea", about) : null;
    if (field) field.value = value;
    const form = h(
      "form",
      { submit: (event) => (event.preventDefault(), (answer = field?.value.trim() ?? ""), opened.end()) },
      h("h2", title),
      text && h("p.muted", text),
      field && labelled(label, field),
      more,
      h(
        "div.row",
        h("button.button", { click: () => opened.end() }, "Cancel"),
        h("button.button.main", { type: "submit" }, button)
      )
    );
    field?.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    const opened = openDialog({ label: title, className: "ask", content: form, closed: () => void resolve(answer) });
    (field ?? form.querySelector(".main")).focus();
  });
}

/** Load what the card dialog needs, when the first card is opened, and give the function that opens a card. */
export async function cardDialog() {
  return (await import("./card.js")).openCard;
}

// Menus beside what opened them: arrows walk, letters jump, Escape returns.
/** Open a menu: items are {label, why, end, mark, checked, disabled, run} or {head}; a disabled one can be read all the same. */
export function openMenu(anchor, { label, items, at = anchor.getBoundingClientRect() }) {
  document.querySelector(".menu")?.hidePopover();
  const menu = h(
    "div.menu",
    { role: "menu", "aria-label": label, popover: "auto" },
    items.map((item) => entry(item))
  );
  anchor.setAttribute("aria-expanded", "true");
  menu.addEventListener("toggle", ({ newState }) => newState === "closed" && closed(menu, anchor));
  menu.addEventListener("keydown", (event) => walk(menu, event));
  menu.addEventListener("pointermove", ({ target }) => target.closest("button")?.focus({ preventScroll: true }));
  (anchor.closest("dialog, nav, main") ?? document.body).append(menu);
  menu.showPopover();
  place(menu, at);
  (menu.querySelector("button:not([aria-disabled])") ?? menu.querySelector("button"))?.focus();
  return menu;
}

function entry(item) {
  if (item.head) return h("div.head", { role: "presentation" }, item.head);
  const attributes = {
    role: item.checked === undefined ? "menuitem" : "menuitemradio",
    "aria-checked": item.checked === undefined ? null : String(item.checked),
    "aria-disabled": item.disabled ? "true" : null,
    tabindex: "-1",
    click: (event) => choose(event, item)
  };
  const why = item.why && h("span.why", item.why);
  const end = item.checked ? icon("check") : item.end;
  return h("button", attributes, item.mark, h("span", item.label, why), end && h("span.end", end));
}

function choose(event, item) {
  if (item.disabled && !item.run) return;
  event.currentTarget.closest(".menu").hidePopover();
  item.run?.();
}

function closed(menu, anchor) {
  const hadFocus = menu.contains(document.activeElement) || document.activeElement === document.body;
  menu.remove();
  anchor.removeAttribute("aria-expanded");
  if (hadFocus && anchor.isConnected) anchor.focus({ preventScroll: true });
}

function walk(menu, event) {
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
    later.find((one) => one.textContent.toLowerCase().startsWith(letter))?.focus();
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}

/** Below its anchor, or above where there is more room, and never over the edge. */
function place(menu, { left, top, bottom }) {
  const { width, height } = menu.getBoundingClientRect();
  const fits = bottom + 4 + height <= innerHeight - 8;
  const y = fits ? bottom + 4 : Math.max(8, Math.min(top - 4 - height, innerHeight - 8 - height));
  menu.style.left = `${Math.max(8, Math.min(left, innerWidth - 8 - width))}px`;
  menu.style.top = `${y}px`;
}
