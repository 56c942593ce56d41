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

/** Say what was done, and offer to do `back`, which gives what stays as it is as a sentence, or nothing. */
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

/** Change something and offer a way back; `done` is told after either; give whether it was changed. */
export async function changeWithUndo(work, { says, failed, back }, done = () => {}) {
  const answer = await tryRequest(work, { failed });
  if (answer) offerUndo(says, async () => (await Promise.resolve(back(answer)).finally(done)) ?? undefined);
  done();
  return answer;
}

/** Give the way back of what was set: to what `one` was, if that is in the `list` as it was set (`wanted`). */
export function revertTo({ list: where, address, id = "id" }, one, wanted) {
  const before = Object.fromEntries(Object.keys(wanted).map((key) => [key, one[key]]));
  const read = async () => (await get(where)).find((other) => other[id] === one[id]);
  return () => revertUnchanged(read, wanted, async () => void (await patch(address, before)));
}

/** Set something back to what it was: `read` gives it as it is, `wanted` is what was set and should still be there. */
async function revertUnchanged(read, wanted, write) {
  const now = await read();
  if (!now) return "It is gone.";
  const other = Object.keys(wanted).some((key) => JSON.stringify(now[key]) !== JSON.stringify(wanted[key]));
  if (other) return "Somebody changed it since, so it stays as it is.";
  await write();
}
