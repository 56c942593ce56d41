// One agent: how it is, what it has in hand, what it was refused, what it did; approve, stop, resume, remove.

import { get, now } from "../core/api.js";
import { h, icon } from "../core/dom.js";
import { organization, path } from "../core/organization.js";
import { boardAddress, go } from "../core/route.js";
import { age, moment, quoted, rule } from "../core/words.js";
import { agentFace, agentMarks } from "../parts/face.js";
import { decision, removeAgent, state, tickLane, work } from "../parts/lanes.js";
import { plainScreen, Resource, SHEETS } from "../parts/plainscreen.js";
import { button, row, rows, section } from "../parts/form.js";
import { undoWhatItDid } from "../parts/undoing.js";

export { SHEETS };

const SPANS = [
  ["1h", "in the last hour"],
  ["1d", "in the last day"],
  ["7d", "in the last week"],
];
const NOUNS = ["agent", "card", "comment", "moveRequest", "question", "file"];
const GIB = 1 << 30;

export function show(host, { project: agentId }) {
  let since = "1d";
  const resource = new Resource(() => readAgent(agentId, since), NOUNS);
  const done = () => resource.load();
  const dismiss = async ({ agent }) => (await removeAgent(agent)) && go("/agents");
  const takeBack = async ({ agent, columns }) => (await undoWhatItDid(agent, columns)) && done();
  const choose = (value) => ((since = value), resource.load());
  const screen = plainScreen(host, {
    title: "Agent",
    resource,
    tools: ({ agent }) =>
      agent &&
      organization.isArchitect && [
        button("Undo what it did…", () => takeBack(resource.value)),
        decision(agent, done),
        button("Remove…", () => dismiss(resource.value), { name: `Remove ${agent.title}` }),
      ],
    draw: (value) => (value.agent ? page(value, since, choose) : gone(agentId)),
  });
  const ticking = setInterval(() => document.hidden || host.querySelectorAll(".work").forEach(tickLane), 1000);
  return { ...screen, leave: () => (clearInterval(ticking), screen.leave()) };
}

function gone(agentId) {
  return h("section", { class: "trouble" }, h("p", null, `There is no agent ${quoted(agentId)} here; perhaps it was removed.`));
}

function page({ agent, agents, cards, asked, refusals, columns, done, titles }, since, choose) {
  const { claims } = agent;
  const face = agentFace(agentMarks(agents).get(agent.id), agent.title, true);
  const name = h("div", null, h("h2", { class: "headline" }, agent.title), h("p", { class: "muted" }, state(agent)));
  const inHand = claims.map((claim) => h("li", { class: "item" }, h("div", { class: "what" }, work(claim))));
  const asks = asked.map((one) => askedRow(one, columns, titles));
  const has = cards.items.map((card) => assignedRow(card, columns));
  const did = done.map((one) => doneRow(one, columns, titles));
  const refused = refusals.items.map((one) => refusedRow(one, columns));
  return [
    h("section", { class: "card-head", "aria-label": agent.title }, h("div", { class: "row" }, face, name), facts(agent)),
    section("Works on", claims.length, rows(inHand, "Nothing at the moment.", "Works on")),
    asks.length > 0 && section("Asks for", asks.length, rows(asks, "", "Asks for")),
    section("Assigned", cards.total, rows(has, "No cards.", "Assigned")),
    section("Refused", refusals.total, rows(refused, "Nothing in the last 7 days.", "Refused")),
    section("Did", did.length, rows(did, "Nothing.", "Did"), spans(since, choose)),
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
    ["Registered", moment(agent.createdAt)],
  ];
  const fact = ([words, value]) => h("div", null, h("dt", null, words), h("dd", null, value));
  return h("dl", { class: "facts" }, known.filter(([, value]) => value).map(fact));
}

function cardLink(card, key = card?.key) {
  if (!card) return h("span", { class: "muted" }, key ?? "a card that is gone");
  const link = h("a", { class: "title", href: boardAddress(card.projectId, card.key) }, card.title);
  return [link, " ", h("span", { class: "key" }, card.key)];
}

function assignedRow(card, columns) {
  const text = `${columns.get(card.columnId) ?? ""} · changed ${age(card.updatedAt, now())}`;
  return row({ id: card.id, title: h("span", null, cardLink(card)), text });
}

function askedRow({ id, cardId, fromColumnId, toColumnId, note, createdAt }, columns, titles) {
  const way = `${columns.get(fromColumnId) ?? "?"} → ${columns.get(toColumnId) ?? "?"} · ${age(createdAt, now())}`;
  return row({ id, title: h("span", null, cardLink(titles.get(cardId))), text: [way, note && ` · ${quoted(note)}`] });
}

function refusedRow({ id, code, title, toColumnId, count, lastAt }, columns) {
  const about = [title, toColumnId && `→ ${columns.get(toColumnId) ?? "another column"}`].filter(Boolean).join(" ");
  const often = (count > 1 ? `${count}× · ` : "") + age(lastAt, now());
  const mark = h("span", { class: "mark danger" }, icon("stop"));
  return row({ id, mark, title: h("strong", null, rule(code)), note: often, text: about });
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
  "file.added": "added a file to",
};

function doneRow({ id, type, cardId, cardKey, fromColumnId, toColumnId, at }, columns, titles) {
  const way = toColumnId && ` · ${columns.get(fromColumnId) ?? "?"} → ${columns.get(toColumnId) ?? "?"}`;
  const did = DID[type] ?? type.replace(".", " ");
  const text = h("span", null, h("span", { class: "muted" }, `${did} `), cardLink(titles.get(cardId), cardKey));
  return row({ id, title: text, note: [age(at, now()), way] });
}

function spans(since, choose) {
  const select = h("select", { class: "input small", "aria-label": "Since when" });
  for (const [value, words] of SPANS) select.append(h("option", { value }, words));
  select.value = since;
  select.addEventListener("change", () => choose(select.value));
  return select;
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
    get(path(`/cards?sort=-updatedAt&pageSize=${TITLES}`)),
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
