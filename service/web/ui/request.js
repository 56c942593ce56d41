// Requests that report their outcome, with a confirmation where they cannot be undone.

import { plainErrorText } from "../core/error-text.js";
import { phrase } from "../core/format.js";
import { promptDialog } from "./dialog.js";
import { announce, showError } from "./toast.js";

/**
 * What a request tells the user: `done` and `failed` are sentences, a toast replaces an older one with the same `cause`.
 * @typedef {{done?: string, failed: string, cause?: string}} Outcome
 */

/**
 * Run a request and report success or error; return its result, or false on an error.
 * @param {() => Promise<any>} send
 * @param {Outcome} outcome
 */
export async function tryRequest(send, { done, failed, cause = failed }) {
  try {
    const answer = await send();
    if (done) announce(done);
    return answer ?? true;
  } catch (error) {
    showError(failed, plainErrorText(error), cause);
    return false;
  }
}

/** Ask for confirmation before a request that cannot be undone. */
export async function confirmRequest({ title, text, button: label }, send, messages) {
  if ((await promptDialog({ title, text, button: label })) === null) return false;
  return tryRequest(send, messages);
}

/** Ask for confirmation before something is deleted permanently. */
export function confirmRemoval(item, text, send, name = item) {
  const messages = { done: phrase`${name} is removed.`, failed: phrase`${name} was not removed` };
  return confirmRequest({ title: `Remove ${item}?`, text, button: "Remove" }, send, messages);
}
