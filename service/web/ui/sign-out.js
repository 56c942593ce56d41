// Signing out, here or everywhere.

import { post, remove } from "../core/api.js";
import { pageUrl } from "../core/base-path.js";
import { errorText } from "../core/error-text.js";
import { formatCount } from "../core/format.js";
import { clearSession } from "../core/session.js";
import { promptDialog } from "./dialog.js";
import { countDrafts, deleteDrafts } from "./text/drafts.js";
import { showError } from "./toast.js";

/** End the session of this browser, after a confirmation if the user has drafts. */
export async function signOut() {
  const question = { title: "Sign out and delete your drafts?", text: draftsText(), button: "Sign out" };
  if (countDrafts() > 0 && (await promptDialog(question)) === null) return;
  await endSession(() => remove("/settings/sessions/current"));
}

/** End all sessions of the user, after a confirmation. */
export async function signOutEverywhere() {
  const text = `You will have to sign in again on all devices and browsers. ${draftsText()}`;
  const answer = await promptDialog({ title: "Sign out everywhere?", text, button: "Sign out everywhere" });
  if (answer !== null) await endSession(() => post("/auth/logout"));
}

/** Return what happens to the drafts of the user, who may share the browser with others. */
function draftsText() {
  const count = countDrafts();
  return count > 0 ? `${formatCount(count, "unsaved draft")} in this browser will be deleted.` : "";
}

async function endSession(send) {
  try {
    await send();
  } catch (error) {
    // 401 and 404: the session has ended already, or the token has none.
    if (![401, 404].includes(error.status)) return showError("You are still signed in", errorText(error), "sign-out");
  }
  deleteDrafts();
  clearSession();
  location.assign(pageUrl("/"));
}
