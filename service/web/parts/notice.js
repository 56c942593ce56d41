// Notices at the edge of the screen, and the one polite voice for those who cannot see what changed.

import { add, h, icon } from "../core/dom.js";
import { bind, hinted } from "../core/keys.js";

const SHOWN = 12_000; // milliseconds
const NOTICES_MAX = 3;

const host = h("div", { class: "notices" });
const voice = h("div", { class: "unseen", role: "status", "aria-live": "polite" });
const pending = [];
let last = null;

/** Put notices and voice into the page, once. */
export function placeNotices() {
  document.body.append(host, voice);
  bind({ "notice.last": () => last && notify(last) });
}

/** Keep notices within reach: a modal dialog makes all that is outside of it inert. */
export function raiseNotices() {
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
  voice.replaceChildren(h("p", null, pending.splice(0).join(" ")));
}

/** Show a notice: {title, text, kind (refused or done), isSaid (elsewhere), cause, actions: [{label, key, run}], shown}. */
export function notify(notice) {
  const { title, text, kind = "done", isSaid = false, cause = null, actions = [], shown = SHOWN } = notice;
  raiseNotices();
  for (const other of [...host.children]) if (cause !== null && other.cause === cause) other.close();
  const close = h("button", { class: "plain", type: "button", "aria-label": "Dismiss" }, icon("close"));
  const element = h(
    "div",
    { class: `notice ${kind}`, role: kind === "refused" ? "alert" : isSaid ? "group" : "status" },
    h("strong", null, title),
    close,
    text && h("p", null, text),
  );
  const buttons = actions.map(({ label, key, run }) => {
    const attributes = { class: "button small", type: "button", ...(key && hinted(key)) };
    return h("button", { ...attributes, on: { click: () => (element.close(), run()) } }, label);
  });
  if (buttons.length) add(element, [h("div", { class: "row" }, buttons)]);
  element.cause = cause;
  element.close = () => (clearTimeout(element.timer), element.remove());
  close.addEventListener("click", element.close);
  live(element, shown);
  if (kind === "refused") last = { ...notice, cause };
  host.append(element);
  while (host.children.length > NOTICES_MAX) host.firstChild.close();
  return element;
}

/** Let a notice go after a while, but never while somebody reads it or is about to press its button. */
function live(element, shown) {
  const begin = () => (element.timer = setTimeout(element.close, shown));
  for (const type of ["pointerenter", "focusin"]) element.addEventListener(type, () => clearTimeout(element.timer));
  for (const type of ["pointerleave", "focusout"])
    element.addEventListener(type, () => (clearTimeout(element.timer), begin()));
  begin();
}
