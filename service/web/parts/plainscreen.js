// A plain screen: a head with what can be done, and below it what was read, drawn anew when it changes.

import { fill, h } from "../core/dom.js";
import { isTyping } from "../core/keys.js";
import { organization } from "../core/organization.js";
import { refusal } from "../core/words.js";

const PATIENCE_MILLISECONDS = 150; // until something that is not there yet says that it is loading

/** The style sheets of plain screens. */
export const SHEETS = ["/css/screens.css"];

/** Show `resource` as `draw(value)` makes it, under a title, buttons (`tools`) and perhaps a navigation of its own. */
export function plainScreen(host, { title, nav = null, resource, tools = () => null, draw, kind = "" }) {
  const heading = h("h1", null, title);
  const buttons = h("div", { class: "row tools" });
  const body = h("div", { class: `now plain-screen ${kind}`, tabindex: "-1" });
  fill(host, h("header", { class: "head" }, heading, h("span", { class: "gap" }), buttons), nav?.element, body);
  const patience = setTimeout(() => fill(body, h("p", { class: "muted", role: "status" }, "Loading…")), PATIENCE_MILLISECONDS);
  resource.addEventListener("change", redraw);
  organization.addEventListener("change", redraw);
  const forgetFocus = rememberFocus(host);
  body.addEventListener("focusout", () => setTimeout(() => body.isStale && redraw()));

  function redraw() {
    if (!organization.me || (resource.value === undefined && !resource.error)) return;
    clearTimeout(patience);
    body.isStale = isWriting(body);
    if (body.isStale) return; // not under the hands of whoever types; what has changed is drawn when they are done
    nav?.draw();
    const hasValue = resource.value !== undefined && !isShutOut(resource.error);
    keepingFocus(host, () => {
      fill(buttons, hasValue && tools(resource.value));
      fill(body, resource.error && trouble(resource), hasValue && draw(resource.value));
    });
  }

  function leave() {
    clearTimeout(patience);
    forgetFocus();
    organization.removeEventListener("change", redraw);
    resource.close();
  }

  redraw();
  return { title, refresh: () => resource.load(), leave, redraw };
}

function isWriting(body) {
  const field = document.activeElement;
  if (!body.contains(field) || !isTyping(field) || field.tagName === "SELECT") return false;
  return field.value !== field.defaultValue;
}

/** Whoever may not read something any more is not left with what was read before. */
function isShutOut(error) {
  return [401, 403, 404].includes(error?.status);
}

function trouble(resource) {
  const { error } = resource;
  const again = h("button", { class: "button small", type: "button", on: { click: () => resource.load() } }, "Try again");
  const about = error.requestId && h("span", { class: "small muted" }, `Request ${error.requestId}`);
  const shut = isShutOut(error);
  return h("div", { class: "trouble", role: "alert" }, h("p", null, sentence(error)), !shut && again, !shut && about);
}

function sentence(error) {
  if (error.code === "sa_required") return "Only Solution Architects see this.";
  if (error.code === "permission_denied") return "Your role may not see this.";
  if (error.status === 404) return "It is gone, or you no longer belong to this organization.";
  return refusal(error);
}

/** Draw something anew and give the focus back to what took its place. */
export function keepingFocus(place, draw) {
  const had = document.activeElement;
  const key = place.contains(had) ? keyOf(had) : null;
  draw();
  if (key !== null && !had.isConnected) focusAgain(place, key);
}

function focusAgain(place, key) {
  const all = [...place.querySelectorAll("a, button, input, select, textarea, [tabindex]")];
  const same = all.find((one) => keyOf(one) === key) ?? place.querySelector(".plain-screen");
  same?.focus({ preventScroll: true });
}

/** When a dialog closes whose opener was drawn anew meanwhile, the screen itself gets the focus: hand it on to the new one. */
function rememberFocus(host) {
  let key = null;
  const note = ({ target, relatedTarget }) => {
    if (target !== host) key = keyOf(target);
    else if (key !== null && !relatedTarget) focusAgain(host, key);
  };
  host.addEventListener("focusin", note);
  return () => host.removeEventListener("focusin", note);
}

function keyOf(element) {
  const own = element.dataset.key ?? element.getAttribute("aria-label") ?? element.name ?? element.textContent;
  return `${element.closest("[data-id]")?.dataset.id ?? ""} ${element.tagName} ${own || element.textContent}`;
}
