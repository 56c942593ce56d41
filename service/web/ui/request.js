// Requests that report their outcome, with a confirmation where they cannot be undone.

import { plainErrorText } from "../core/error-text.js";
import { promptDialog } from "./dialog.js";
import { announce, showError } from "./toast.js";

/** Run a request and report success or error; return its result, or false on an error. */
export async function tryRequest(work, { done, failed, cause = failed }) {
  try {
    const answer = await work();
    if (done) announce(done);
    return answer ?? true;
  } catch (error) {
    showError(failed, plainErrorText(error), cause);
    return false;
  }
}

/** Ask for confirmation before a request that cannot be undone. */
export async function confirmRequest({ title, text, button: words }, work, told) {
  if ((await promptDialog({ title, text, button: words })) === null) return false;
  return tryRequest(work, told);
}

/** Ask for confirmation before something is deleted permanently. */
export function confirmRemoval(what, text, work, name = what) {
  const told = { done: `${name} is removed.`, failed: `${name} was not removed` };
  return confirmRequest({ title: `Remove ${what}?`, text, button: "Remove" }, work, told);
}
