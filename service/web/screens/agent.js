// One agent: how it is, what it has in hand, what it was refused, what it did; approve, stop, resume, remove.

import { get, now } from "../core/api.js";
import { h, mark } from "../core/dom.js";
import { organization, path } from "../core/organization.js";
import { go } from "../core/route.js";
import { age, moment, quoted, rule } from "../core/words.js";
import { agentFace, agentMarks, cardTitle } from "../parts/face.js";
import { decision, removeAgent, state, ticking, work } from "../parts/lanes.js";
import { listing, plainScreen } from "../parts/plainscreen.js";
import { button, choice, pairs, row, rows, section } from "../parts/form.js";
import { undoWhatItDid } from "../parts/undoing.js";

const SPANS = [
  ["1h", "in the last hour"],
  ["1d", "in the last day"],
  ["7d", "in the last week"]
];
const NOUNS = ["agent", "card", "comment", "moveRequest", "question", "file"];
const GIB = 1 << 30;

export function show(host, { project: agentId }) {
  let since = "1d";
  const dismiss = async (agent) => (await removeAgent(agent)) && go("/agents");
  const screen = plainScreen(host, {
    title: "Agent",
    read: () => readAgent(agentId, since),
    nouns: NOUNS,
    tools: ({ agent, columns }, done) =>
      agent &&
      organization.isArchitect && [
        button("Undo what it did…", async () => (await undoWhatItDid(agent, columns)) && done()),
        decision(agent, done),
        button("Remove…", () => dismiss(agent), { name: `Remove ${agent.title}` })
      ],
    draw: (value, done) =>
      value.agent ? page(value, choice("Since when", SPANS, since, (wanted) => ((since = wanted), done()))) : gone(agentId)
  });
  return ticking(host, screen);
}

function gone(agentId) {
  return h("section.trouble", h("p", `There is no agent ${quoted(agentId)} here; perhaps it was removed.`));
}

function page({ agent, agents, cards, asked, refusals, columns, done, titles }, spans) {
  const { claims } = agent;
  const face = agentFace(agentMarks(agents).get(agent.id), agent.title, true);
  const name = h("div", h("h2.headline", agent.title), h("p.muted", state(agent)));
  const inHand = claims.map((claim) => h("li.item", h("div.what", work(claim))));
  const asks = asked.map((one) => askedRow(one, columns, titles));
  const has = cards.items.map((card) => assignedRow(card, columns));
  const did = done.map((one) => doneRow(one, columns, titles));
  const refused = refusals.items.map((one) => refusedRow(one, columns));
  return [
    h("section", { "aria-label": agent.title }, h("div.row", face, name), facts(agent)),
    listing("Works on", inHand, "Nothing at the moment."),
    asks.length > 0 && listing("Asks for", asks, ""),
    section("Assigned", cards.total, rows(has, "No cards.", "Assigned")),
    section("Refused", refusals.total, rows(refused, "Nothing in the last 7 days.", "Refused")),
    listing("Did", did, "Nothing.", spans)
  ];
}

function facts(agent) {
  const size = (bytes) => bytes && `${Math.round((bytes / GIB) * 10) / 10} GiB`;
  const known = [
    ["Id", agent.id],
    ["Model", agent.llmVersion],
    ["Team", agent.teamName],
    ["E-mail", agent.email],
    ["Machine", [agent.machineName, agent.machineIp].filter(Boolean).join(", ")],
    ["System", [agent.osName, agent.osVersion].filter(Boolean).join(" ")],
    ["Memory", size(agent.ramBytes)],
    ["Storage", [size(agent.storageBytes), agent.storageType].filter(Boolean).join(", ")],
    ["Registered", moment(agent.createdAt)]
  ];
  return pairs("facts", known.filter(([, value]) => value));
}

function cardLink(card, key = card?.key) {
  if (!card) return h("span.muted", key ?? "a card that is gone");
  return cardTitle(card.projectId, card.key, card.title);
}

function assignedRow(card, columns) {
  const text = `${columns.get(card.columnId) ?? ""} · changed ${age(card.updatedAt, now())}`;
  return row({ id: card.id, title: h("span", cardLink(card)), text });
}

function askedRow({ id, cardId, fromColumnId, toColumnId, note, createdAt }, columns, titles) {
  const way = `${columns.get(fromColumnId) ?? "?"} → ${columns.get(toColumnId) ?? "?"} · ${age(createdAt, now())}`;
  return row({ id, title: h("span", cardLink(titles.get(cardId))), text: [way, note && ` · ${quoted(note)}`] });
}

function refusedRow({ id, code, title, toColumnId, count, lastAt }, columns) {
  const about = [title, toColumnId && `→ ${columns.get(toColumnId) ?? "another column"}`].filter(Boolean).join(" ");
  const often = (count > 1 ? `${count}× · ` : "") + age(lastAt, now());
  return row({ id, mark: mark("stop", "danger"), title: h("strong", rule(code)), note: often, text: about });
}

const DID = {
  "card.created": "made",
  "card.moved": "moved",
  "card.updated": "changed",
  "card.archived": "archived",
  "card.claimed": "began to work on",
  "card.released": "stopped working on",
  "comment.created": "commented on",
  "comment.replied": "replied on",
  "moveRequest.created": "asked to move",
  "question.asked": "asked about",
  "file.added": "added a file to"
};

function doneRow({ id, type, cardId, cardKey, fromColumnId, toColumnId, at }, columns, titles) {
  const way = toColumnId && ` · ${columns.get(fromColumnId) ?? "?"} → ${columns.get(toColumnId) ?? "?"}`;
  const did = DID[type] ?? type.replace(".", " ");
  const text = h("span", h("span.muted", `${did} `), cardLink(titles.get(cardId), cardKey));
  return row({ id, title: text, note: [age(at, now()), way] });
}

// What one agent has in hand and has done: read together, so that its page shows one moment.
const ROWS = 50; // of each kind
const EVENTS_PER_READ = 1000;
const READS_MAX = 5; // of the log of a busy organization; what is older than these tell is left out
const TITLES = 100; // of the cards that changed last; others are named by their keys

/** Read an agent with its cards, requests, refusals, and what it did since an age (`1h`, `1d`); raise Refused. */
async function readAgent(agentId, since) {
  const id = encodeURIComponent(agentId);
  const [agents, cards, requests, refusals, columns, done, latest] = await Promise.all([
    get(path("/agents?include=work")),
    get(path(`/cards?assignedAgentId=${id}&sort=-updatedAt&pageSize=${ROWS}`)),
    get(path("/move-requests?state=open&pageSize=100")),
    get(path(`/refusals?agentId=${id}&pageSize=${ROWS}`)),
    get(path("/columns")),
    readDone(agentId, since),
    get(path(`/cards?sort=-updatedAt&pageSize=${TITLES}`))
  ]);
  const agent = agents.find((one) => one.id === agentId) ?? null;
  const asked = requests.items.filter(({ requestedBy }) => requestedBy.id === agentId);
  const titles = new Map([...latest.items, ...cards.items].map((card) => [card.id, card]));
  return { agent, agents, cards, asked, refusals, columns: new Map(columns.map((one) => [one.id, one.title])), done, titles };
}

/** Tell whether an agent did something to a card; that it was refused is told elsewhere. */
function isDoneBy(agentId, { type, cardId, actor }) {
  return cardId && actor?.type === "Agent" && actor.id === agentId && type !== "agent.refused";
}

/** Read what an agent did to cards, the latest first. */
async function readDone(agentId, since) {
  const found = [];
  let from = (await get(path(`/catch-up?since=${since}&limit=1`))).since; // the event at which that age began
  for (let reads = 0; reads < READS_MAX; reads += 1) {
    const { items, next, hasMore } = await get(path(`/changes?since=${encodeURIComponent(from)}&limit=${EVENTS_PER_READ}`));
    found.push(...items.filter((event) => isDoneBy(agentId, event)));
    from = next;
    if (!hasMore) break;
  }
  return found.reverse().slice(0, ROWS);
}
