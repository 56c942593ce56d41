// The data of the board settings.

import { get } from "../core/api.js";
import { orgPath } from "../core/organization.js";

/** Load columns, transitions, card types and prompts of a board; raise ApiError. */
export async function loadDesign(projectId) {
  const of = `projectId=${encodeURIComponent(projectId)}`;
  const [project, columns, ways, types, prompts] = await Promise.all([
    get(orgPath(`/projects/${encodeURIComponent(projectId)}`)),
    get(orgPath(`/columns?${of}`)),
    get(orgPath(`/transitions?${of}`)),
    get(orgPath(`/card-types?${of}`)),
    get("/prompts").catch(() => []) // without permission to read them, show none
  ]);
  return { project, columns, transitions: ways, types, prompts };
}

/** Find the transition from one column to another. */
export function findTransition({ transitions: ways }, from, to) {
  return ways.find(({ fromColumnId, toColumnId }) => fromColumnId === from.id && toColumnId === to.id);
}
