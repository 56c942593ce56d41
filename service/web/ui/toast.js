// Toasts, and announcements to screen readers.

import { appendChildren, h } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { registerShortcuts, shortcutAttributes } from "../core/shortcuts.js";

const SHOWN_MILLISECONDS = 12_000; // milliseconds
const TOASTS_MAX = 3;

const container = h("div.toasts");
const announcer = h("div.visually-hidden", { role: "status", "aria-live": "polite" });
const pending = [];
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
 */
export function showToast(notice) {
  const { title, text, kind = "done", isSaid = false, cause = null, actions = [], shown = SHOWN_MILLISECONDS } = notice;
  raiseToasts();
  for (const other of [...container.children]) if (cause !== null && other.cause === cause) other.close();
  const close = h("button.plain-button", { "aria-label": "Dismiss" }, icon("close"));
  const element = h(
    "div",
    { class: `toast ${kind}`, role: kind === "refused" ? "alert" : isSaid ? "group" : "status" },
    h("strong", title),
    close,
    text && h("p", text)
  );
  const buttons = actions.map(({ label, key, run }) => {
    const attributes = { class: "button small", ...(key && shortcutAttributes(key)) };
    return h("button", { ...attributes, click: () => (element.close(), run()) }, label);
  });
  if (buttons.length) appendChildren(element, [h("div.row", buttons)]);
  element.cause = cause;
  element.close = () => (clearTimeout(element.timer), element.remove());
  close.addEventListener("click", element.close);
  closeLater(element, shown);
  if (kind === "refused") last = { ...notice, cause };
  container.append(element);
  container.scrollTop = container.scrollHeight; // the newest one is shown
  while (container.children.length > TOASTS_MAX) container.firstChild.close();
  return element;
}

/** Show an error toast. */
export function showError(title, text, cause = title) {
  return showToast({ title, text, kind: "refused", cause });
}

/** Close a toast after a while, but not while the pointer or the focus is on it. */
function closeLater(element, shown) {
  const begin = () => {
    clearTimeout(element.timer);
    if (!element.matches(":hover, :focus-within")) element.timer = setTimeout(element.close, shown);
  };
  for (const type of ["pointerenter", "focusin"]) element.addEventListener(type, () => clearTimeout(element.timer));
  for (const type of ["pointerleave", "focusout"]) element.addEventListener(type, begin);
  begin();
}
