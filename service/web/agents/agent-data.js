// The data of the page of one agent.

import { get } from "../core/api.js";
import { orgPath } from "../core/organization.js";

const ROWS_MAX = 50; // of each kind
const EVENTS_PER_READ = 100;
const EVENTS_MAX = 2000; // of the event log; older events of a busy service are left out
const TITLES_MAX = 100; // loaded for the cards that changed last; other cards are shown by key

/** Load an agent with its cards, requests, denied requests and actions since an age (`1h`, `1d`); raise ApiError. */
export async function loadAgent(agentId, since) {
  const id = encodeURIComponent(agentId);
  const [agents, cards, requests, refusals, columns, activity, latestCards] = await Promise.all([
    get(orgPath("/agents?include=work")),
    get(orgPath(`/cards?assignedAgentId=${id}&sort=-updatedAt&pageSize=${ROWS_MAX}`)),
    get(orgPath("/move-requests?state=open&pageSize=100")),
    get(orgPath(`/refusals?agentId=${id}&pageSize=${ROWS_MAX}`)),
    get(orgPath("/columns")),
    loadActivity(agentId, since),
    get(orgPath(`/cards?sort=-updatedAt&pageSize=${TITLES_MAX}`))
  ]);
  const agent = agents.find((item) => item.id === agentId) ?? null;
  const openRequests = requests.items.filter(({ requestedBy }) => requestedBy.type === "Agent" && requestedBy.id === agentId);
  const titles = new Map([...latestCards.items, ...cards.items].map((card) => [card.id, card]));
  return {
    agent,
    agents,
    cards,
    asked: openRequests,
    refusals,
    columns: new Map(columns.map((item) => [item.id, item.title])),
    done: activity,
    titles
  };
}

/** Return whether an event is an action of the agent on a card. Denied requests are shown elsewhere. */
function isDoneBy(agentId, { type, cardId, actor }) {
  return cardId && actor?.type === "Agent" && actor.id === agentId && type !== "agent.refused";
}

/** Load the actions of an agent on cards, newest first. */
async function loadActivity(agentId, since) {
  const found = [];
  const { since: first, at } = await get(orgPath(`/catch-up?since=${since}&limit=1`)); // as ids of events
  let page = { next: Math.max(first, at - EVENTS_MAX), hasMore: true };
  while (page.hasMore) {
    page = await get(orgPath(`/changes?since=${page.next}&limit=${EVENTS_PER_READ}`));
    found.push(...page.items.filter((event) => isDoneBy(agentId, event)));
  }
  return found.reverse().slice(0, ROWS_MAX);
}
