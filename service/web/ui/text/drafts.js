// Drafts: a text that is being written is kept in this browser until it is saved or discarded, for each user, item and field.

import { BASE_PATH } from "../../core/base-path.js";
import { h, setText } from "../../core/dom.js";
import { formatDateTime } from "../../core/format.js";
import { organization } from "../../core/organization.js";
import { currentSession } from "../../core/session.js";
import { showError } from "../toast.js";

const PREFIX = `tandem.draft${BASE_PATH}.`; // followed by the ids of user and item, and the name of the field
const UNUSED_MILLISECONDS_MAX = 30 * 24 * 3_600_000; // until a draft that is neither written nor shown is deleted

let draftCount = 0;
let hasReportedFull = false;

/**
 * Keep what is typed into a field as a draft, and restore an earlier one. `saved` is the text that the service has. Return
 * {note, forget, accept}: the element that tells about the draft, a function that deletes it once the text is saved, and
 * one that returns false and shows another saved text if that is not the one shown.
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 * @param {{item: string, name: string, saved?: string | null}} options
 */
export function keepDraft(field, { item, name, saved: savedText }) {
  const key = `${userPrefix()}${item}.${name}`;
  const when = h("span", { id: `draft-${++draftCount}` });
  const discardButton = h("button.button.small", { click: discard }, "Discard draft");
  const note = h("div.draft.small", { hidden: true }, when, " ", discardButton);
  let changed = null; // the element that shows another saved text
  let saved = normalize(savedText);
  const found = readDraft(key);
  let seen = found?.seen ?? saved; // the saved text when the draft was begun
  field.setAttribute("aria-describedby", [field.getAttribute("aria-describedby"), when.id].filter(Boolean).join(" "));
  if (found) restore();
  field.addEventListener("input", store);
  return { note, forget, accept };

  function restore() {
    if (found.text === saved) return forget();
    writeDraft(key, { ...found, usedAt: Date.now() });
    field.value = found.text;
    field.dispatchEvent(new Event("input")); // for a preview
    show(found.at);
    if (seen !== saved) mergeOrShowSaved();
  }

  /** Take over the ticks of others that came meanwhile; after other changes, show the saved text. */
  async function mergeOrShowSaved() {
    const module = await import("./merge-ticks.js").catch(() => null);
    const merged = module?.mergeTicks(seen, found.text, saved) ?? null;
    if (merged === null || field.value !== found.text) return showSaved();
    seen = saved;
    field.value = merged;
    field.dispatchEvent(new Event("input"));
  }

  function store() {
    if (field.value === saved) return forget();
    const at = Date.now();
    if (writeDraft(key, { text: field.value, seen, at, usedAt: at })) show(at);
    else note.hidden = true;
  }

  function show(at) {
    note.hidden = false;
    setText(when, `Draft from ${formatMoment(at)}`);
  }

  function showSaved() {
    const attributes = { dir: "auto", tabindex: "0", role: "region", "aria-label": "Saved text" };
    const message = "Somebody changed this text meanwhile. If you save, your draft replaces it:";
    changed?.remove();
    changed = h("div.conflict.side", h("p", { role: "alert" }, message), h("div.prose", attributes, saved || "Empty"));
    note.append(changed);
  }

  function discard() {
    field.value = saved;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  }

  function forget() {
    localStorage.removeItem(key);
    seen = saved;
    note.hidden = true;
    changed?.remove();
    setText(when, "");
  }

  function accept(current) {
    if (normalize(current) === saved || normalize(current) === field.value) return true;
    saved = normalize(current);
    store();
    note.hidden = false;
    showSaved();
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
