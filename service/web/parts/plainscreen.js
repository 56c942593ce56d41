// A plain screen: a head with what can be done, and below it what was read, drawn anew when it changes.

import { attribute, fill, h } from "../core/dom.js";
import { isTyping } from "../core/keys.js";
import { live } from "../core/live.js";
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

// Something of the service as a screen shows it: read once, and again whenever news name what it is made of.
const GATHERING_MILLISECONDS = 150; // for which news gather before it is read again
const RIGHTS = ["member", "permission"]; // with which anything may become hidden, or seen

/** Tells `change` when its `value` or `error` has changed; `nouns` are what its events are about (`agent`, `team`). */
export class Resource extends EventTarget {
  constructor(read, nouns = []) {
    super();
    Object.assign(this, { read, nouns: new Set([...RIGHTS, ...nouns]), value: undefined, error: null, turn: 0, waiting: null });
    this.hear = ({ events }) => {
      if (!events.length || events.some(({ type }) => this.nouns.has(type.split(".")[0]))) this.soon();
    };
    this.watch = () => live.state === "gone" && this.load(); // whoever may hear no more may not see it either
    live.addEventListener("news", this.hear);
    live.addEventListener("state", this.watch);
    this.load();
  }

  soon() {
    this.waiting ??= setTimeout(() => this.load(), GATHERING_MILLISECONDS);
  }

  /** Read it now; of two reads the later one counts. */
  async load() {
    clearTimeout(this.waiting);
    this.waiting = null;
    const mine = ++this.turn;
    try {
      const value = await this.read();
      if (mine !== this.turn) return;
      Object.assign(this, { value, error: null });
    } catch (error) {
      if (mine !== this.turn) return;
      this.error = error;
    }
    this.dispatchEvent(new Event("change"));
  }

  close() {
    this.turn = NaN; // no answer counts any more
    clearTimeout(this.waiting);
    live.removeEventListener("news", this.hear);
    live.removeEventListener("state", this.watch);
  }
}

// The ways between the settings of an organization: those that the caller may see.
/** The settings: address, words, whether they are for architects alone. */
const PLACES = [
  ["/settings/members", "Members", false],
  ["/settings/keys", "Keys", true],
  ["/settings/prompts", "Prompts", false],
  ["/settings/tools", "Tool servers", false],
  ["/settings/permissions", "Permissions", false],
  ["/settings/webhooks", "Webhooks", true],
  ["/settings/data", "Data", true],
];

/** Draw the ways; `draw` brings them up to date with the role of whoever looks. */
export function settingsNav() {
  const list = h("ul");
  const element = h("nav", { class: "places", "aria-label": "Settings" }, list);

  function draw() {
    const open = PLACES.filter(([, , isForArchitects]) => organization.isArchitect || !isForArchitects);
    if (list.children.length === open.length) return;
    fill(list, open.map(([href, words]) => h("li", null, link(href, words))));
    requestAnimationFrame(() => list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" }));
  }

  draw();
  return { element, draw };
}

function link(href, words) {
  const element = h("a", { href }, words);
  attribute(element, "aria-current", location.pathname === href && "page");
  return element;
}

/** Say to others than architects that they may look only. */
export function onlyArchitects() {
  return organization.isArchitect ? null : h("p", { class: "small muted" }, "Only Solution Architects change this.");
}
