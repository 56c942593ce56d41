// The search for cards by words or by key.

import { get } from "../core/api.js";
import { getBoardTitle, organization, orgPath } from "../core/organization.js";
import { filterQuery } from "../ui/filter.js";

export const QUERY_CHARACTERS_MAX = 200;
const CARD_KEY = /^#?[a-z][a-z0-9]{1,9}-?[1-9][0-9]{0,9}$/i;

/**
 * Return a page of the cards that match words and filter; without a filter, the card whose key is `q` is the first:
 * {items: [{cardId, cardKey, projectId, columnTitle, title, snippets}], total}.
 */
export async function findCards(q, page, pageSize, filter = null) {
  const [cardByKey, found] = await Promise.all([
    page === 1 && !filter && CARD_KEY.test(q) ? findByKey(q) : null,
    get(orgPath(`/search${filterQuery({ q, page: String(page), pageSize: String(pageSize), ...filter })}`))
  ]);
  const items = found.items.filter(({ cardId }) => cardId !== cardByKey?.id);
  if (cardByKey) items.unshift({ ...cardByKey, cardId: cardByKey.id, cardKey: cardByKey.key, snippets: [] });
  return { items, total: found.total };
}

async function findByKey(key) {
  try {
    const card = await get(`/cards/${encodeURIComponent(key)}`);
    if (card.archivedAt) return null;
    const columns = await get(orgPath(`/columns?projectId=${card.projectId}`));
    return { ...card, columnTitle: columns.find(({ id }) => id === card.columnId)?.title };
  } catch {
    return null;
  }
}

/** Return what cards of all boards can be filtered by, in the shape of a board. */
export async function loadFilterChoices() {
  const [members, agents, types] = await Promise.all(["/members", "/agents", "/card-types"].map(readAllowed));
  const people = members.map(({ userId, fullName, email }) => ({ id: userId, name: fullName ?? email }));
  const nameType = (type) => (type.projectId ? `${type.title} · ${getBoardTitle(type.projectId)}` : type.title);
  return {
    people,
    agents,
    cardTypes: types.map((type) => ({ ...type, title: nameType(type) })),
    projects: organization.projects,
    cards: new Map(),
    person: (id) => people.find((one) => one.id === id)
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
