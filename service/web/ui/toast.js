// Toasts, and announcements to screen readers.

import { appendChildren, h } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { registerShortcuts, shortcutAttributes } from "../core/shortcuts.js";

const SHOWN_MILLISECONDS = 12_000; // milliseconds
const TOASTS_MAX = 3;

/**
 * What a toast says; see showToast.
 * @typedef {{title: string, text?: string, kind?: "done" | "refused", isSaid?: boolean, cause?: string, actions?: ToastAction[],
 *   shown?: number}} Notice
 */
/** @typedef {{label: string, key?: string, run: () => unknown}} ToastAction */
/** @typedef {HTMLElement & {cause: string | null, close: () => void}} Toast */

const container = h("div.toasts");
const announcer = h("div.visually-hidden", { role: "status", "aria-live": "polite" });
const pending = [];
/** @type {Notice | null} */
let last = null;

/** Add the containers of toasts and announcements to the frame of the page. */
export function mountToasts() {
  raiseToasts();
  const showLast = () => (last ? void showToast(last) : false);
  registerShortcuts({ "notice.last": Object.assign(showLast, { isAvailable: () => Boolean(last) }) });
}

/** Move the toasts into the open modal dialog, since everything outside of it is inert. */
export function raiseToasts() {
  const dialog = [...document.querySelectorAll("dialog:modal")].pop();
  const parent = dialog ?? document.querySelector(".app");
  if (parent && container.parentNode !== parent) parent.append(container, announcer); // none while signing out
}

/** Announce a message to screen readers (aria-live). Messages within 100 ms are joined. */
export function announce(text) {
  pending.push(text);
  if (pending.length === 1) setTimeout(flushAnnouncements, 100);
}

function flushAnnouncements() {
  announcer.replaceChildren(h("p", pending.splice(0).join(" ")));
}

/**
 * Show a toast: {title, text, kind ("done" or "refused"), isSaid (announced elsewhere), cause, actions: [{label, key, run}],
 * shown (milliseconds)}. It replaces an older toast with the same cause.
 * @param {Notice} notice
 */
export function showToast(notice) {
  const { title, text, kind = "done", isSaid = false, cause = null, actions = [], shown = SHOWN_MILLISECONDS } = notice;
  raiseToasts();
  for (const other of listToasts()) if (cause !== null && other.cause === cause) other.close();
  const close = h("button.plain-button", { "aria-label": "Dismiss" }, icon("close"));
  const role = kind === "refused" ? "alert" : isSaid ? "group" : "status";
  const box = h("div", { class: `toast ${kind}`, role }, h("strong", title), close, text && h("p", text));
  const element = Object.assign(box, { cause, close: () => (stopTimer(), element.remove()) });
  const buttons = actions.map(({ label, key, run }) => {
    const attributes = { class: "button small", ...(key && shortcutAttributes(key)) };
    return h("button", { ...attributes, click: () => (element.close(), run()) }, label);
  });
  if (buttons.length) appendChildren(element, [h("div.row", buttons)]);
  close.addEventListener("click", element.close);
  const stopTimer = closeLater(element, shown);
  if (kind === "refused") last = { ...notice, cause };
  container.append(element);
  container.scrollTop = container.scrollHeight; // the newest one is shown
  listToasts()
    .slice(0, -TOASTS_MAX)
    .forEach((other) => other.close());
  return element;
}

/** Return the shown toasts, the oldest first. */
function listToasts() {
  return /** @type {Toast[]} */ ([...container.children]);
}

/** Show an error toast. */
export function showError(title, text, cause = title) {
  return showToast({ title, text, kind: "refused", cause });
}

/**
 * Close a toast after a while, but not while the pointer or the focus is on it; return a function that stops this.
 * @param {Toast} element
 * @param {number} shown in milliseconds
 */
function closeLater(element, shown) {
  let timer = 0;
  const stop = () => clearTimeout(timer);
  const begin = () => {
    stop();
    if (!element.matches(":hover, :focus-within")) timer = setTimeout(element.close, shown);
  };
  for (const type of ["pointerenter", "focusin"]) element.addEventListener(type, stop);
  for (const type of ["pointerleave", "focusout"]) element.addEventListener(type, begin);
  begin();
  return stop;
}
