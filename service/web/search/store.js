// The search for cards by words or by key.

import { get } from "../core/api.js";
import { phrase } from "../core/format.js";
import { getBoardTitle, organization, orgPath, sortPeople } from "../core/organization.js";
import { filterQuery } from "../ui/filter/filter.js";

export const QUERY_CHARACTERS_MAX = 200;

/**
 * Return a page of the cards that match words and filter: {items: [{cardId, cardKey, projectId, columnTitle, title,
 * matchesFilters, snippets}], total}. The card whose key is `q` is the first, even if the filter leaves it out.
 */
export function findCards(q, page, pageSize, filter = null) {
  return get(orgPath(`/search${filterQuery({ q, page: String(page), pageSize: String(pageSize), ...filter })}`));
}

/** Return what cards of all boards can be filtered by, in the shape of a board. */
export async function loadFilterChoices() {
  const paths = ["/members", "/agents", "/card-types", "/field-values"];
  const [members, agents, types, used] = await Promise.all(paths.map(readAllowed));
  const people = sortPeople(members.map(({ userId, fullName, email }) => ({ id: userId, name: fullName ?? email })));
  const nameType = (type) => (type.projectId ? phrase`${type.title} · ${getBoardTitle(type.projectId)}` : type.title);
  return {
    people,
    agents,
    cardTypes: types.map((type) => ({ ...type, title: nameType(type) })),
    projects: organization.projects,
    usedValues: new Map(used.map(({ fieldId, values }) => [fieldId, values])),
    person: (id) => people.find((one) => one.id === id),
    agent: (id) => agents.find((one) => one.id === id)
  };
}

/** Return a list of the organization, which is empty if the user may not read it. */
async function readAllowed(path) {
  try {
    return await get(orgPath(path));
  } catch (error) {
    if (error.status !== 403) throw error;
    return [];
  }
}
