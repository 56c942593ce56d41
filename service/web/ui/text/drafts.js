// Drafts: a text that is being written is kept in this browser until it is saved or discarded, for each user, item and field.

import { BASE_PATH } from "../../core/base-path.js";
import { h, setText } from "../../core/dom.js";
import { formatDateTime } from "../../core/format.js";
import { getFieldText, setFieldText } from "../../core/marks.js";
import { organization } from "../../core/organization.js";
import { currentSession } from "../../core/session.js";
import { showError } from "../toast.js";

const PREFIX = `tandem.draft${BASE_PATH}.`; // followed by the ids of user and item, and the name of the field
const UNUSED_MILLISECONDS_MAX = 30 * 24 * 3_600_000; // until a draft that is neither written nor shown is deleted

let draftCount = 0;
let hasReportedFull = false;

/**
 * Keep what is typed into a field as a draft, and restore an earlier one. `saved` is the text that the service has.
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 * @param {{item: string, name: string, saved?: string | null}} options
 */
export function keepDraft(field, options) {
  return new Draft(field, options);
}

class Draft {
  when = h("span", { id: `draft-${++draftCount}` });
  /** The element that tells about the draft. */
  note = h("div.draft.small", { hidden: true }, this.when, " ", this.renderDiscardButton());
  /** @type {HTMLElement | null} */
  changed = null; // the element that shows another saved text

  constructor(field, { item, name, saved = null }) {
    this.field = field;
    this.key = `${userPrefix()}${item}.${name}`;
    this.saved = normalize(saved);
    const found = readDraft(this.key);
    this.seen = found?.seen ?? this.saved; // the saved text when the draft was begun
    field.setAttribute("aria-describedby", [field.getAttribute("aria-describedby"), this.when.id].filter(Boolean).join(" "));
    if (found) this.restore(found);
    field.addEventListener("input", () => this.store());
  }

  renderDiscardButton() {
    return h("button.button.small", { click: () => this.discard() }, "Discard draft");
  }

  restore(found) {
    if (found.text === this.saved) return this.forget();
    writeDraft(this.key, { ...found, usedAt: Date.now() });
    this.write(found.text);
    this.show(found.at);
    if (this.seen !== this.saved) this.mergeOrShowSaved(found.text);
  }

  write(text, bubbles = false) {
    setFieldText(this.field, text);
    this.field.dispatchEvent(new Event("input", { bubbles })); // for a preview
  }

  /** Take over the ticks of others that came meanwhile; after other changes, show the saved text. */
  async mergeOrShowSaved(text) {
    const module = await import("./merge-ticks.js").catch(() => null);
    const merged = module?.mergeTicks(this.seen, text, this.saved) ?? null;
    if (merged === null || getFieldText(this.field) !== text) return this.showSaved();
    this.seen = this.saved;
    this.write(merged);
  }

  store() {
    const { seen, field } = this;
    const text = getFieldText(field);
    if (text === this.saved) return this.forget();
    const at = Date.now();
    if (writeDraft(this.key, { text, seen, at, usedAt: at })) this.show(at);
    else this.note.hidden = true;
  }

  show(at) {
    this.note.hidden = false;
    setText(this.when, `Draft from ${formatMoment(at)}`);
  }

  showSaved() {
    const attributes = { dir: "auto", tabindex: "0", role: "region", "aria-label": "Saved text" };
    const message = "Somebody changed this text meanwhile. If you save, your draft replaces it:";
    const text = h("div.prose", attributes, this.saved || "Empty");
    this.changed?.remove();
    this.changed = h("div.conflict.side", h("p", { role: "alert" }, message), text);
    this.note.append(this.changed);
  }

  discard() {
    this.write(this.saved, true);
    this.field.focus();
  }

  /** Delete the draft, once the text is saved. */
  forget() {
    localStorage.removeItem(this.key);
    this.seen = this.saved;
    this.note.hidden = true;
    this.changed?.remove();
    setText(this.when, "");
  }

  /** Keep what is typed after a text that is saved. */
  rebase(text) {
    this.saved = normalize(text);
    this.seen = this.saved;
    this.store();
  }

  /** Return whether the saved text is the one that was shown, or what is typed; otherwise show it. */
  accept(current) {
    const text = normalize(current);
    if (text === this.saved || text === getFieldText(this.field)) return true;
    this.saved = text;
    this.store();
    this.note.hidden = false;
    this.showSaved();
    return false;
  }
}

/** Return whether the user has a draft of a field. */
export function hasDraft(item, name) {
  return localStorage.getItem(`${userPrefix()}${item}.${name}`) !== null;
}

/** Return the names of the user's drafts of an item. */
export function listDrafts(item) {
  const prefix = `${userPrefix()}${item}.`;
  return draftKeys(prefix).map((key) => key.slice(prefix.length));
}

/** Return the number of drafts of the user in this browser. */
export function countDrafts() {
  return draftKeys(userPrefix()).length;
}

/** Delete the drafts of the user in this browser. */
export function deleteDrafts() {
  for (const key of draftKeys(userPrefix())) localStorage.removeItem(key);
}

function userPrefix() {
  return `${PREFIX}${organization.me?.id ?? currentSession()?.userId}.`;
}

function draftKeys(prefix) {
  return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
}

/** Format the time of a draft (in milliseconds): the time of day, with the date if it is not today. */
function formatMoment(time) {
  const isToday = new Date(time).toDateString() === new Date().toDateString();
  return isToday ? new Date(time).toLocaleTimeString(undefined, { timeStyle: "short" }) : formatDateTime(time);
}

/** Return a text as a field has it. */
function normalize(text) {
  return (text ?? "").replace(/\r\n?/g, "\n");
}

/** Return the draft {text, seen, at, usedAt} or null. */
function readDraft(key) {
  const stored = localStorage.getItem(key);
  if (stored === null) return null;
  try {
    const draft = JSON.parse(stored);
    if (typeof draft?.text === "string") return draft;
  } catch {
    // A comment that an earlier version kept: the text alone.
  }
  return { text: stored, at: Date.now(), usedAt: Date.now() };
}

/** Write a draft; return whether there was room for it. */
function writeDraft(key, draft) {
  try {
    localStorage.setItem(key, JSON.stringify(draft));
    return true;
  } catch {
    if (!hasReportedFull)
      showError("Drafts are not kept", "The storage of this browser is full. Save what you write before you leave.", "drafts");
    hasReportedFull = true;
    return false;
  }
}

for (const key of draftKeys(PREFIX))
  if (readDraft(key).usedAt < Date.now() - UNUSED_MILLISECONDS_MAX) localStorage.removeItem(key);
