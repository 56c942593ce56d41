// The data of the page of one agent.

import { get } from "../core/api.js";
import { orgPath } from "../core/organization.js";

const ROWS_MAX = 50; // of each kind
const REQUESTS_PER_PAGE = 100;
const TITLES_MAX = 100; // loaded for the cards that changed last; other cards are shown by key

/** Load an agent with its cards, requests, denied requests and actions since an age (`1h`, `1d`); raise ApiError. */
export async function loadAgent(agentId, since) {
  const id = encodeURIComponent(agentId);
  const [agents, cards, requests, refusals, columns, activity, latestCards] = await Promise.all([
    get(orgPath("/agents?include=work")),
    get(orgPath(`/cards?assignedAgentId=${id}&sort=-updatedAt&pageSize=${ROWS_MAX}`)).catch(ignoreUnknown),
    loadOpenRequests(agentId),
    get(orgPath(`/refusals?agentId=${id}&pageSize=${ROWS_MAX}`)).catch(ignoreUnknown),
    get(orgPath("/columns")),
    get(orgPath(`/agents/${id}/activity?since=${since}&limit=${ROWS_MAX}`)).catch(ignoreUnknown),
    get(orgPath(`/cards?sort=-updatedAt&pageSize=${TITLES_MAX}`))
  ]);
  const agent = agents.find((item) => item.id === agentId) ?? null;
  const titles = new Map([...latestCards.items, ...cards.items].map((card) => [card.id, card]));
  return {
    agent,
    agents,
    cards,
    asked: requests,
    refusals,
    columns: new Map(columns.map((item) => [item.id, item.title])),
    done: activity,
    titles
  };
}

/** Load the open move requests of an agent, newest first. */
async function loadOpenRequests(agentId) {
  const found = [];
  for (let page = 1, total = Infinity; (page - 1) * REQUESTS_PER_PAGE < total; page += 1) {
    const read = await get(orgPath(`/move-requests?state=open&pageSize=${REQUESTS_PER_PAGE}&page=${page}`));
    found.push(...read.items.filter(({ requestedBy: { type, id } }) => type === "Agent" && id === agentId));
    total = read.total;
  }
  return found;
}

/** Return an empty list for an agent that does not exist; the page says so. */
function ignoreUnknown(error) {
  if (![400, 404].includes(error.status)) throw error;
  return { items: [], hasMore: false };
}
