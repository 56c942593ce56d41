// Switching to another organization.

import { post } from "../core/api.js";
import { pageUrl } from "../core/base-path.js";
import { errorText } from "../core/error-text.js";
import { saveSession } from "../core/session.js";
import { showError } from "./toast.js";

/** Switch to another organization of the user, and load an address there. */
export async function switchOrganization(orgId, address = pageUrl("/")) {
  try {
    saveSession(await post("/auth/switch", { orgId }));
    location.assign(address);
  } catch (error) {
    showError("You are still here", errorText(error), "switch");
  }
}
