// Signing out, here or everywhere.

import { post, remove } from "../core/api.js";
import { pageUrl } from "../core/base-path.js";
import { errorText } from "../core/error-text.js";
import { clearSession } from "../core/session.js";
import { promptDialog } from "./dialog.js";
import { showError } from "./toast.js";

/** End the session of this browser. */
export function signOut() {
  return endSession(() => remove("/settings/sessions/current"));
}

/** End all sessions of the user, after a confirmation. */
export async function signOutEverywhere() {
  const text = "You will have to sign in again on all devices and browsers.";
  const answer = await promptDialog({ title: "Sign out everywhere?", text, button: "Sign out everywhere" });
  if (answer !== null) await endSession(() => post("/auth/logout"));
}

async function endSession(send) {
  try {
    await send();
  } catch (error) {
    // 401 and 404: the session has ended already, or the token has none.
    if (![401, 404].includes(error.status)) return showError("You are still signed in", errorText(error), "sign-out");
  }
  clearSession();
  location.assign(pageUrl("/"));
}
