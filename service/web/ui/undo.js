// Undo: the last change can be undone from a toast or by a shortcut.

import { get, patch } from "../core/api.js";
import { plainErrorText } from "../core/error-text.js";
import { registerShortcuts } from "../core/shortcuts.js";
import { tryRequest } from "./request.js";
import { announce, showError, showToast } from "./toast.js";

/** @import { Right } from "./rights.js" */
/** @import { Notice } from "./toast.js" */

const UNDO_MILLISECONDS = 8000;

let latest = null; // the last change that can be undone: {toast, undo}
let waitForChanges = () => Promise.resolve();
const undoLatest = () =>
  setTimeout(() => (latest?.toast.isConnected ? latest.undo() : showToast({ title: "There is nothing to undo", cause: "undo" })));
// A change that is still being sent offers its own undo first.
const undo = () => void waitForChanges().then(undoLatest, undoLatest);
registerShortcuts({ undo });
registerShortcuts({ undo }, "any");

/** Wait for `wait()` before the shortcut undoes the last change. */
export function waitBeforeUndo(wait) {
  waitForChanges = wait;
}

/**
 * Show a toast with an Undo button. `undoChange()` may return a sentence about what could not be undone.
 * @param {string} title
 * @param {() => unknown} undoChange
 * @param {Pick<Notice, "text" | "kind" | "isSaid">} [options]
 */
export function offerUndo(title, undoChange, { text, kind, isSaid = false } = {}) {
  const run = () => runUndo(undoChange);
  const actions = [{ label: "Undo", key: "undo", run }];
  const toast = showToast({ title, text, kind, isSaid, shown: UNDO_MILLISECONDS, actions, cause: "undo" });
  latest = { toast, undo: () => (toast.close(), void run()) };
}

export async function runUndo(undoChange) {
  const showProblem = (text) => showError("This was not undone", text, "undo");
  try {
    const remaining = await undoChange();
    if (typeof remaining === "string") showProblem(remaining);
    else announce("Undone.");
  } catch (error) {
    if (!("status" in error)) throw error;
    showProblem(plainErrorText(error));
  }
}

/**
 * Offer to undo a change that takes other permissions to undo than to make; without one of these, only say it was made.
 * @param {string} title
 * @param {() => unknown} undoChange
 * @param {Right[]} needed
 */
export async function offerAllowedUndo(title, undoChange, needed) {
  const { hasRights } = await import("./rights.js");
  if (await hasRights(needed)) offerUndo(title, undoChange);
  else showToast({ title, cause: "undo" });
}

/**
 * Run a change and offer to undo it with `undo(answer)`, unless that is false or takes permissions that the user lacks
 * (`needs`); `done` is called after either. Return the answer, or false.
 * @param {() => Promise<any>} work
 * @param {{message: string, failed: string, undo: false | ((answer: any) => unknown), needs?: Right[]}} options
 * @param {() => unknown} [done]
 */
export async function changeWithUndo(work, { message, failed, undo: undoChange, needs = [] }, done = () => {}) {
  const answer = await tryRequest(work, { failed });
  const revert = async () => (await Promise.resolve(undoChange && undoChange(answer)).finally(done)) ?? undefined;
  if (answer && undoChange && needs.length) await offerAllowedUndo(message, revert, needs);
  else if (answer && undoChange) offerUndo(message, revert);
  else if (answer) showToast({ title: message, cause: "undo" });
  done();
  return answer;
}

/** Return a function that reverts `changes` of a resource, unless somebody has changed the same values since. */
export function revertTo({ list: listPath, address, id = "id" }, resource, changes) {
  const before = Object.fromEntries(Object.keys(changes).map((key) => [key, resource[key]]));
  const read = async () => (await get(listPath)).find((other) => other[id] === resource[id]);
  return () => revertUnchanged(read, changes, async () => void (await patch(address, before)));
}

/** Call `write()` if the values of `read()` are still those of `changes`; else return a sentence that says why not. */
async function revertUnchanged(read, changes, write) {
  const current = await read();
  if (!current) return "It is gone.";
  const other = Object.keys(changes).some((key) => JSON.stringify(current[key]) !== JSON.stringify(changes[key]));
  if (other) return "It was changed meanwhile, so nothing was changed.";
  await write();
}
