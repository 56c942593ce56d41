// The search for cards by words or by key.

import { get } from "../core/api.js";
import { orgPath } from "../core/organization.js";

export const QUERY_CHARACTERS_MAX = 200;
const CARD_KEY = /^#?[a-z][a-z0-9]{1,9}-?[1-9][0-9]{0,9}$/i;

/**
 * Return a page of matching cards, an exact key first:
 * {items: [{cardId, cardKey, projectId, columnTitle, title, snippets}], total}.
 */
export async function findCards(q, page, pageSize) {
  const query = new URLSearchParams({ q, page, pageSize });
  const [cardByKey, found] = await Promise.all([
    page === 1 && CARD_KEY.test(q) ? findByKey(q) : null,
    get(orgPath(`/search?${query}`))
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
