// The right side of Now: agents at work, what they were refused, what is late.

import { now } from "../core/api.js";
import { h, icon, say } from "../core/dom.js";
import { organization } from "../core/organization.js";
import { rule } from "../core/refusals.js";
import { boardAddress } from "../core/route.js";
import { age, count, left, list, moment } from "../core/words.js";
import { agentFace, personFace } from "./face.js";
import { stopAgent } from "./waiting.js";

const STATES = { pending: "waits for approval", stopped: "stopped" };

/** Draw an agent with what it works on. */
export function lane(agent, context) {
  const { id, title, llmVersion, claims } = agent;
  const rows = claims.map((claim) => work(claim));
  const idle = h("div", { class: "small muted" }, state(agent));
  const named = { class: "plain", type: "button", "aria-label": `Stop ${title}`, title: `Stop ${title}` };
  const stop = h("button", { ...named, on: { click: () => stopAgent(agent, context) } }, icon("stop"));
  const mayStop = organization.isArchitect && agent.status !== "stopped";
  const name = h("div", null, h("strong", null, title), llmVersion && h("span", { class: "muted" }, ` · ${llmVersion}`));
  const face = agentFace(context.marks.get(id), title, true);
  const what = h("div", { class: "what" }, name, rows.length ? rows : idle);
  const leases = claims.map(({ expiresAt }) => expiresAt).join(" ");
  const about = { class: claims.length ? "item" : "item idle", "data-until": leases, "data-key": id };
  return h("li", about, face, what, mayStop && stop);
}

function state({ status, isOnline, lastSeenAt, stopReason }) {
  if (status !== "approved") return [STATES[status], stopReason && `: ${stopReason}`];
  const seen = lastSeenAt ? `seen ${age(lastSeenAt, now())}` : "never seen";
  return isOnline ? `idle · ${seen}` : `offline · ${seen}`;
}

/** Draw a card on which an agent works, with the time that is left to it. */
export function work(claim) {
  const time = h("span", { class: "number" });
  const bar = h("i");
  const link = h("a", { class: "title", href: boardAddress(claim.projectId, claim.cardKey) }, claim.title);
  const since = h("span", { class: "muted" }, ` · ${claim.column} · ${age(claim.claimedAt, now())}`);
  const words = h("div", { class: "small" }, link, since);
  const strip = h("div", { class: "work" }, words, time, h("span", { class: "lease" }, bar));
  return Object.assign(strip, { claim, time, bar });
}

/** Bring the time that an agent has left up to date. */
export function tickLane({ claim, time, bar }) {
  const rest = Date.parse(claim.expiresAt) - now();
  const whole = Date.parse(claim.expiresAt) - Date.parse(claim.renewedAt ?? claim.claimedAt);
  say(time, rest > 0 ? left(rest) : "over");
  bar.style.transform = `scaleX(${Math.max(0, Math.min(1, rest / whole))})`;
}

/** Draw what an agent was refused, and how often. */
export function refusedRow(refusal, { agents, names }) {
  const who = agents.find(({ id }) => id === refusal.agentId)?.title ?? refusal.agentId;
  const times = refusal.count > 1 ? `${refusal.count}× · ` : "";
  const to = refusal.toColumnId ? `→ ${names.column(refusal.toColumnId)}` : "";
  const about = [refusal.title ?? "", to].filter(Boolean).join(" ");
  const when = h("span", { class: "muted small number", title: moment(refusal.lastAt) }, `${times}${age(refusal.lastAt, now())}`);
  const words = h("div", null, h("strong", null, who), `: ${rule(refusal.code)}`);
  const what = h("div", { class: "what" }, words, h("div", { class: "small" }, about));
  return h("li", { class: "item" }, h("span", { class: "mark danger" }, icon("stop")), what, when);
}

/** Draw what is late, by board. */
export function lateRows(items) {
  const boards = Map.groupBy ? Map.groupBy(items, ({ card }) => card.projectId) : grouped(items);
  return [...boards].map(([projectId, late]) => {
    const title = organization.projects.find(({ id }) => id === projectId)?.title ?? "Another board";
    const link = h("a", { class: "title", href: `${boardAddress(projectId)}?due=late` }, title);
    const mark = h("span", { class: "mark danger" }, icon("clock"));
    const number = h("span", { class: "muted small" }, count(late.length, "card"));
    return h("li", { class: "item", "data-key": projectId }, mark, h("div", { class: "what" }, link), number);
  });
}

function grouped(items) {
  const boards = new Map();
  for (const item of items) boards.set(item.card.projectId, [...(boards.get(item.card.projectId) ?? []), item]);
  return boards;
}

/** Draw what others did to a card since the last look. */
export function caughtRow(entry, { marks }) {
  const { cardKey, title, projectId, by, lastAt } = entry;
  const [first] = by;
  const isAgent = first?.type === "Agent";
  const face = isAgent ? agentFace(marks.get(first.id), nameOf(first), true) : personFace(nameOf(first), true);
  const link = h("a", { class: "title", href: boardAddress(projectId, cardKey) }, title);
  const told = h("div", { class: "small" }, [...deeds(entry), `by ${list(by.map(nameOf))}`].join(" · "));
  const what = h("div", { class: "what" }, h("div", null, link, " ", h("span", { class: "key" }, cardKey)), told);
  return h("li", { class: "item" }, face, what, h("span", { class: "muted small" }, age(lastAt, now())));
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
    updated && count(updated, "change"),
  ].filter(Boolean);
}
