// What the role of the user allows at this moment.

import { get } from "../core/api.js";
import { organization } from "../core/organization.js";

/** A permission: an action on a resource, as in ["update", "Archive"]. */
/** @typedef {[action: string, resource: string]} Right */

/**
 * Return whether the role of the user has all of these permissions; false if that cannot be read.
 * @param {Right[]} needed
 * @returns {Promise<boolean>}
 */
export async function hasRights(needed) {
  const role = organization.isArchitect ? "SolutionArchitect" : "Member";
  try {
    const own = (await get("/permissions")).filter((permission) => permission.role === role);
    const has = ([action, resource]) => own.some((one) => one.resource === resource && one.actions.includes(action));
    return needed.every(has);
  } catch {
    return false;
  }
}
