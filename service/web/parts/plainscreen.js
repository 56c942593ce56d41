// A plain screen: a head with what can be done, and below it what was read, drawn anew when it changes.

import { attribute, fill, h } from "../core/dom.js";
import { isTyping } from "../core/keys.js";
import { live } from "../core/live.js";
import { organization } from "../core/organization.js";
import { refusal } from "../core/words.js";
import { openDialog } from "./float.js";
import { button, rows, section } from "./form.js";

const PATIENCE_MILLISECONDS = 150; // until something that is not there yet says that it is loading

/**
 * Show what `read` gives as `draw(value, done)` makes it, under a title, buttons (`tools`) and perhaps the navigation of
 * the settings. It is read anew when news are about `nouns`, or when `done` says that something was changed.
 */
export function plainScreen(host, { title, isSetting, read, nouns, tools = () => null, draw, kind = "" }) {
  const nav = isSetting ? settingsNav() : null;
  const resource = new Resource(read, nouns);
  const done = () => void resource.load();
  const buttons = h("div.row.tools");
  const body = h("div", { class: `now plain-screen ${kind}`, tabindex: "-1" });
  const head = h("header.head", h("h1", title), h("span.gap"), buttons);
  fill(host, head, nav?.element, body);
  const patience = setTimeout(() => fill(body, h("p.muted", { role: "status" }, "Loading…")), PATIENCE_MILLISECONDS);
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
      fill(buttons, hasValue && tools(resource.value, done));
      fill(body, resource.error && trouble(resource), hasValue && draw(resource.value, done));
    });
  }

  function leave() {
    clearTimeout(patience);
    forgetFocus();
    organization.removeEventListener("change", redraw);
    resource.close();
  }

  redraw();
  return { title, refresh: done, leave };
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
  const again = button("Try again", () => resource.load());
  const about = error.requestId && h("span.small.muted", `Request ${error.requestId}`);
  const shut = isShutOut(error);
  return h("div.trouble", { role: "alert" }, h("p", sentence(error)), !shut && again, !shut && about);
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
  ["/settings/data", "Data", true]
];

/** Draw the ways; `draw` brings them up to date with the role of whoever looks. */
function settingsNav() {
  const list = h("ul");
  const element = h("nav.places", { "aria-label": "Settings" }, list);

  function draw() {
    const open = PLACES.filter(([, , isForArchitects]) => organization.isArchitect || !isForArchitects);
    if (list.children.length === open.length) return;
    fill(list, open.map(([href, words]) => h("li", link(href, words))));
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
  return organization.isArchitect ? null : h("p.small.muted", "Only Solution Architects change this.");
}

// What the screens are drawn with beside rows.
/** Draw rows as a part of a screen under a heading of its own. */
export function listing(title, items, empty, action = null) {
  return section(title, items.length, rows(items, empty, title), action);
}

/** Give a way to draw buttons about one thing; `done` is told when what a button runs is over. */
export function acting(about, done = () => {}) {
  const name = (words) => `${words.replace("…", "")} ${about}`;
  return (words, run) => button(words, () => Promise.resolve(run()).then(done), { name: name(words) });
}

/** Show something under a title until the person is done with it. */
export function untilDone(title, content, className = "ask broad") {
  return new Promise((resolve) => {
    const close = h("button.button.main", { click: () => opened.close() }, "Done");
    const whole = h("div.once", h("h2", title), content, h("div.row", close));
    const opened = openDialog({ label: title, className, content: whole, closed: () => void resolve() });
  });
}

/** Draw a table of [[head of the row, cells …]]; a head of a column that is null says nothing. */
export function table(className, heads, lines) {
  const column = (words) => (words === null ? h("td") : h("th", { scope: "col" }, words));
  const line = ([first, ...cells]) => h("tr", h("th", { scope: "row" }, first), cells.map((cell) => h("td", cell)));
  const head = h("thead", h("tr", heads.map(column)));
  return h("table", { class: className }, head, h("tbody", lines.map(line)));
}

/** Draw something that scrolls by itself, and by keys too. */
export function scrolled(className, label, ...content) {
  return h("div", { class: className, tabindex: "0", role: "region", "aria-label": label }, content);
}
