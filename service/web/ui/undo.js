// Undo: the last change can be undone from a toast or by a shortcut.

import { get, patch } from "../core/api.js";
import { plainErrorText } from "../core/error-text.js";
import { registerShortcuts } from "../core/shortcuts.js";
import { tryRequest } from "./request.js";
import { announce, showError, showToast } from "./toast.js";

const UNDO_MILLISECONDS = 8000;

let latest; // the toast of the last change that can be undone
let waitForChanges = () => Promise.resolve();
const undoLatest = () =>
  setTimeout(() =>
    latest?.isConnected ? latest.undo() : showToast({ title: "There is nothing to undo", cause: "undo" })
  );
// A change that is still being sent offers its own undo first.
const undo = () => void waitForChanges().then(undoLatest, undoLatest);
registerShortcuts({ undo });
registerShortcuts({ undo }, "any");

/** Wait for `wait()` before the shortcut undoes the last change. */
export function waitBeforeUndo(wait) {
  waitForChanges = wait;
}

/** Show a toast with an Undo button. `back()` undoes the change; it may return a sentence about what could not be undone. */
export function offerUndo(title, back, { text, kind, isSaid = false } = {}) {
  const run = () => runUndo(back);
  const actions = [{ label: "Undo", key: "undo", run }];
  latest = showToast({ title, text, kind, isSaid, shown: UNDO_MILLISECONDS, actions, cause: "undo" });
  latest.undo = () => (latest.close(), void run());
}

export async function runUndo(back) {
  const tell = (text) => showError("This was not undone", text, "undo");
  try {
    const stays = await back();
    if (typeof stays === "string") tell(stays);
    else announce("Undone.");
  } catch (error) {
    if (!("status" in error)) throw error;
    tell(plainErrorText(error));
  }
}

/** Run a change and offer to undo it with `back(answer)`; `done` is called after either. Return the answer, or false. */
export async function changeWithUndo(work, { says, failed, back }, done = () => {}) {
  const answer = await tryRequest(work, { failed });
  if (answer) offerUndo(says, async () => (await Promise.resolve(back(answer)).finally(done)) ?? undefined);
  done();
  return answer;
}

/** Return a function that restores the values of `one` which `wanted` has changed, unless somebody changed them since. */
export function revertTo({ list: where, address, id = "id" }, one, wanted) {
  const before = Object.fromEntries(Object.keys(wanted).map((key) => [key, one[key]]));
  const read = async () => (await get(where)).find((other) => other[id] === one[id]);
  return () => revertUnchanged(read, wanted, async () => void (await patch(address, before)));
}

/** Call `write()` if the values of `read()` are still those of `wanted`; else return a sentence that says why not. */
async function revertUnchanged(read, wanted, write) {
  const now = await read();
  if (!now) return "It is gone.";
  const other = Object.keys(wanted).some((key) => JSON.stringify(now[key]) !== JSON.stringify(wanted[key]));
  if (other) return "It was changed meanwhile, so nothing was changed.";
  await write();
}
