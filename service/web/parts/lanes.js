// The right side of Now: agents at work, what they were refused, what is late.

import { now, patch, remove } from "../core/api.js";
import { arrange, h, icon, mark, say } from "../core/dom.js";
import { boardTitle, organization } from "../core/organization.js";
import { boardAddress } from "../core/route.js";
import { age, count, left, list, moment, rule } from "../core/words.js";
import { agentFace, cardTitle, leaseOf, personFace } from "./face.js";
import { askFor, attempt, button, removal, row } from "./form.js";
import { stopAgent, STOPPED } from "./waiting.js";

/** Draw an agent with what it works on. */
export function lane(agent, context) {
  const { id, title, llmVersion, claims } = agent;
  const rows = claims.map((claim) => work(claim));
  const idle = h("div.small.muted", state(agent, "idle"));
  const named = { class: "plain", "aria-label": `Stop ${title}`, title: `Stop ${title}` };
  const stop = h("button", { ...named, click: () => stopAgent(agent, context) }, icon("stop"));
  const mayStop = organization.isArchitect && agent.status !== "stopped";
  const name = h("div", h("strong", title), llmVersion && h("span.muted", ` · ${llmVersion}`));
  const face = agentFace(context.marks.get(id), title, true);
  const what = h("div.what", name, rows.length ? rows : idle);
  const leases = claims.map(({ expiresAt }) => expiresAt).join(" ");
  const about = { class: claims.length ? "item" : "item idle", "data-until": leases, "data-key": id };
  return h("li", about, face, what, mayStop && stop);
}

/** Draw a card on which an agent works, with the time that is left to it. */
export function work(claim) {
  const time = h("span.number");
  const bar = h("i");
  const link = h("a.title", { href: boardAddress(claim.projectId, claim.cardKey) }, claim.title);
  const since = h("span.muted", ` · ${claim.column} · ${age(claim.claimedAt, now())}`);
  const words = h("div.small", link, since);
  const strip = h("div.work", words, time, h("span.lease", bar));
  return Object.assign(strip, { claim, time, bar });
}

/** Bring the time that an agent has left up to date. */
export function tickLane({ claim, time, bar }) {
  const { rest, scale } = leaseOf(claim);
  say(time, rest > 0 ? left(rest) : "over");
  bar.style.transform = scale;
}

/** Keep the time that agents have left up to date, until the screen is left. */
export function ticking(host, screen) {
  const timer = setInterval(() => document.hidden || host.querySelectorAll(".work").forEach(tickLane), 1000);
  return { ...screen, leave: () => (clearInterval(timer), screen.leave()) };
}

/** Draw what an agent was refused, and how often. */
export function refusedRow(refusal, { agents, names }) {
  const who = agents.find(({ id }) => id === refusal.agentId)?.title ?? refusal.agentId;
  const times = refusal.count > 1 ? `${refusal.count}× · ` : "";
  const to = refusal.toColumnId ? `→ ${names.column(refusal.toColumnId)}` : "";
  const about = [refusal.title ?? "", to].filter(Boolean).join(" ");
  const when = h("span.muted.small.number", { title: moment(refusal.lastAt) }, `${times}${age(refusal.lastAt, now())}`);
  const words = h("div", h("strong", who), `: ${rule(refusal.code)}`);
  const what = h("div.what", words, h("div.small", about));
  return h("li.item", mark("stop", "danger"), what, when);
}

/** Draw what is late, by board. */
export function lateRows(items) {
  const boards = Map.groupBy(items, ({ card }) => card.projectId);
  return [...boards].map(([projectId, late]) => {
    const link = h("a.title", { href: `${boardAddress(projectId)}?due=late` }, boardTitle(projectId));
    const number = h("span.muted.small", count(late.length, "card"));
    return h("li.item", { "data-key": projectId }, mark("clock", "danger"), h("div.what", link), number);
  });
}

/** Draw what others did to a card since the last look. */
export function caughtRow(entry, { marks }) {
  const { cardKey, title, projectId, by, lastAt } = entry;
  const [first] = by;
  const isAgent = first?.type === "Agent";
  const face = isAgent ? agentFace(marks.get(first.id), nameOf(first), true) : personFace(nameOf(first), true);
  const told = h("div.small", [...deeds(entry), `by ${list(by.map(nameOf))}`].join(" · "));
  const what = h("div.what", h("div", cardTitle(projectId, cardKey, title)), told);
  return h("li.item", face, what, h("span.muted.small", age(lastAt, now())));
}

function nameOf(actor) {
  return actor?.label ?? (actor?.type === "System" ? "Tandem" : actor?.id) ?? "somebody";
}

/** Say what happened, the place where the card is now first. */
function deeds({ what: { created, moved, commented, updated }, column, fromColumn }) {
  const way = fromColumn ? `moved from ${fromColumn} to ${column}` : `moved, now in ${column}`;
  return [
    created && "new",
    moved ? way : `in ${column}`,
    commented && count(commented, "comment"),
    updated && count(updated, "change")
  ].filter(Boolean);
}

// A list with its head that is drawn again and again: a row that says the same stays the very same node, with its focus,
// with what is being typed in it and with the button that somebody is about to press.
/** Draw a list into its place: its number, its rows, what stands there without any, and {label, run} beside its title. */
export function panel(place, title, number, rows, empty, action = null) {
  const parts = (place.parts ??= build(place, title));
  say(parts.many, number ? number.toLocaleString("en") : "");
  parts.button.hidden = !action;
  if (action) say(parts.button, action.label);
  parts.run = action?.run;
  arrange(parts.list, kept([...parts.list.children], rows.length ? rows : [h("li.item.muted", empty)]));
}

function build(place, title) {
  const many = h("span.muted.number");
  const button = h("button.button.small", { click: () => parts.run() });
  const list = h("ul.panel");
  const parts = { many, button, list, run: null };
  place.replaceChildren(h("div.panel-head", h("h2", title), many, button), list);
  return parts;
}

/** Give the rows to be shown: old ones where they say the same, or where somebody is writing. */
function kept(before, rows) {
  const known = new Map(before.map((row) => [row.sign, row]));
  const written = new Map(before.filter(isWritten).map((row) => [row.dataset.id, row]));
  const shown = rows.map((row) => {
    row.sign = [row.dataset.id, row.dataset.key, row.dataset.until, row.textContent].join();
    const old = written.get(row.dataset.id) ?? known.get(row.sign) ?? row;
    known.delete(row.sign);
    written.delete(row.dataset.id);
    return old;
  });
  return [...written.values(), ...shown];
}

function isWritten(row) {
  const field = row.querySelector("input:focus, textarea:focus");
  return Boolean(field?.value);
}

// Agents as rows and as their own page has them: how they are, what they have in hand, what can be done with them.
const REASON = 500; // characters

/** Give the address of an agent's page. */
function agentAddress(id) {
  return `/agents/${encodeURIComponent(id)}`;
}

/** Draw an agent as a row of a list; `done` is told when it was changed. */
export function agentRow(agent, marks, done) {
  const { id, title, llmVersion, claims } = agent;
  return row({
    id,
    idle: agent.status !== "approved",
    mark: agentFace(marks.get(id), title, true),
    title: h("a.title", { href: agentAddress(id) }, title),
    note: llmVersion,
    text: [state(agent), agent.teamName && ` · ${agent.teamName}`, hands(agent)],
    below: claims.map(work),
    actions: organization.isArchitect && [decision(agent, done)]
  });
}

/** Say how an agent is. */
export function state({ status, isOnline, lastSeenAt, stopReason }, online = "online") {
  if (status === "pending") return "waits for approval";
  if (status === "stopped") return `stopped${stopReason ? ": " + stopReason : ""}`;
  const seen = lastSeenAt ? `seen ${age(lastSeenAt, now())}` : "never seen";
  return `${isOnline ? online : "offline"} · ${seen}`;
}

function hands({ assigned, openRequests, refusals24h }) {
  const said = [
    assigned && `${count(assigned, "card")} assigned`,
    openRequests && `${count(openRequests, "request")} open`,
    refusals24h && `${count(refusals24h, "refusal")} in 24 h`
  ];
  return said.filter(Boolean).map((words) => ` · ${words}`);
}

/** Draw the one button that an agent's state asks for. */
export function decision(agent, done) {
  if (agent.status === "pending") return act("Approve", () => turn(agent, "approve", done), agent, "main");
  if (agent.status === "stopped") return act("Resume", () => turn(agent, "resume", done), agent);
  return act("Stop…", () => stop(agent, done), agent);
}

function act(words, run, { title }, kind = "") {
  return button(words, run, { kind, name: `${words.replace("…", "")} ${title}` });
}

const VERBS = { approve: "approved", resume: "let go on" };

async function turn({ id, title }, verb, done) {
  const told = { done: `${title} is ${VERBS[verb]}.`, failed: `${title} was not ${VERBS[verb]}` };
  await attempt(() => patch(`/agents/${encodeURIComponent(id)}/${verb}`), told);
  done();
}

/** Ask for a reason and stop an agent. */
export async function stop({ id, title }, done) {
  await askFor({
    title: `Stop ${title}?`,
    text: STOPPED,
    fields: [{ name: "reason", label: "Reason", most: REASON, hint: "For others who see it stopped, and for the agent." }],
    button: "Stop it",
    send: ({ reason }) => patch(`/agents/${encodeURIComponent(id)}/stop`, reason ? { reason } : {})
  });
  done();
}

/** Ask, and remove an agent; give whether it is gone. */
export function removeAgent({ id, title }) {
  const text =
    "Its cards are assigned to nobody, its questions are withdrawn; what it did stays in the history. It cannot be undone.";
  return removal(title, text, () => remove(`/agents/${encodeURIComponent(id)}`));
}
