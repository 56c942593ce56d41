// Agents as rows and as their own page has them: how they are, what they have in hand, what can be done with them.

import { now, patch, remove } from "../core/api.js";
import { h } from "../core/dom.js";
import { organization } from "../core/organization.js";
import { age, count } from "../core/words.js";
import { askFor } from "./form.js";
import { agentFace } from "./face.js";
import { work } from "./lanes.js";
import { attempt, button, row, sure } from "./rows.js";

const REASON = 500; // characters

/** Give the address of an agent's page. */
export function agentAddress(id) {
  return `/agents/${encodeURIComponent(id)}`;
}

/** Draw an agent as a row of a list; `done` is told when it was changed. */
export function agentRow(agent, marks, done) {
  const { id, title, llmVersion, claims } = agent;
  return row({
    id,
    idle: agent.status !== "approved",
    mark: agentFace(marks.get(id), title, true),
    title: h("a", { class: "title", href: agentAddress(id) }, title),
    note: llmVersion,
    text: [state(agent), agent.teamName && ` · ${agent.teamName}`, hands(agent)],
    below: claims.map(work),
    actions: organization.isArchitect && [decision(agent, done)],
  });
}

/** Say how an agent is. */
export function state({ status, isOnline, lastSeenAt, stopReason }) {
  if (status === "pending") return "waits for approval";
  if (status === "stopped") return `stopped${stopReason ? ": " + stopReason : ""}`;
  const seen = lastSeenAt ? `seen ${age(lastSeenAt, now())}` : "never seen";
  return `${isOnline ? "online" : "offline"} · ${seen}`;
}

function hands({ assigned, openRequests, refusals24h }) {
  const said = [
    assigned && `${count(assigned, "card")} assigned`,
    openRequests && `${count(openRequests, "request")} open`,
    refusals24h && `${count(refusals24h, "refusal")} in 24 h`,
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
    text: "It may do nothing until somebody lets it work again, and the cards that it works on are free.",
    fields: [{ name: "reason", label: "Reason", most: REASON, hint: "For others who see it stopped, and for the agent." }],
    button: "Stop it",
    send: ({ reason }) => patch(`/agents/${encodeURIComponent(id)}/stop`, reason ? { reason } : {}),
  });
  done();
}

/** Ask, and remove an agent; give whether it is gone. */
export function removeAgent({ id, title }) {
  const text =
    "Its cards are assigned to nobody, its questions are withdrawn; what it did stays in the history. It cannot be undone.";
  const told = { done: `${title} is removed.`, failed: `${title} was not removed` };
  return sure({ title: `Remove ${title}?`, text, button: "Remove" }, () => remove(`/agents/${encodeURIComponent(id)}`), told);
}
