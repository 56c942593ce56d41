// The data of the page of one agent.

import { get } from "../core/api.js";
import { orgPath } from "../core/organization.js";

const ROWS_MAX = 50; // of each kind
const EVENTS_PER_READ = 1000;
const READS_MAX = 5; // of the log of a busy organization; what is older than these tell is left out
const TITLES_MAX = 100; // of the cards that changed last; others are named by their keys

/** Read an agent with its cards, requests, refusals, and what it did since an age (`1h`, `1d`); raise ApiError. */
export async function loadAgent(agentId, since) {
  const id = encodeURIComponent(agentId);
  const [agents, cards, requests, refusals, columns, done, latest] = await Promise.all([
    get(orgPath("/agents?include=work")),
    get(orgPath(`/cards?assignedAgentId=${id}&sort=-updatedAt&pageSize=${ROWS_MAX}`)),
    get(orgPath("/move-requests?state=open&pageSize=100")),
    get(orgPath(`/refusals?agentId=${id}&pageSize=${ROWS_MAX}`)),
    get(orgPath("/columns")),
    loadActivity(agentId, since),
    get(orgPath(`/cards?sort=-updatedAt&pageSize=${TITLES_MAX}`))
  ]);
  const agent = agents.find((one) => one.id === agentId) ?? null;
  const asked = requests.items.filter(({ requestedBy }) => requestedBy.id === agentId);
  const titles = new Map([...latest.items, ...cards.items].map((card) => [card.id, card]));
  return {
    agent,
    agents,
    cards,
    asked,
    refusals,
    columns: new Map(columns.map((one) => [one.id, one.title])),
    done,
    titles
  };
}

/** Tell whether an agent did something to a card; that it was refused is told elsewhere. */
function isDoneBy(agentId, { type, cardId, actor }) {
  return cardId && actor?.type === "Agent" && actor.id === agentId && type !== "agent.refused";
}

/** Read what an agent did to cards, the latest first. */
async function loadActivity(agentId, since) {
  const found = [];
  let from = (await get(orgPath(`/catch-up?since=${since}&limit=1`))).since; // the event at which that age began
  for (let reads = 0; reads < READS_MAX; reads += 1) {
    const { items, next, hasMore } = await get(
      orgPath(`/changes?since=${encodeURIComponent(from)}&limit=${EVENTS_PER_READ}`)
    );
    found.push(...items.filter((event) => isDoneBy(agentId, event)));
    from = next;
    if (!hasMore) break;
  }
  return found.reverse().slice(0, ROWS_MAX);
}
