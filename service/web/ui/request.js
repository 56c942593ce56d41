// Requests that report their outcome, with a confirmation where they cannot be undone.

import { plainErrorText } from "../core/error-text.js";
import { promptDialog } from "./dialog.js";
import { announce, showError } from "./toast.js";

/** Do something and say that it is done, or why not; give whether it was. */
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

/** Ask before something that cannot be taken back, and do it. */
export async function confirmRequest({ title, text, button: words }, work, told) {
  if ((await promptDialog({ title, text, button: words })) === null) return false;
  return tryRequest(work, told);
}

/** Ask before something is removed for good, and remove it. */
export function confirmRemoval(what, text, work, name = what) {
  const told = { done: `${name} is removed.`, failed: `${name} was not removed` };
  return confirmRequest({ title: `Remove ${what}?`, text, button: "Remove" }, work, told);
}
