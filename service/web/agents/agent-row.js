// An agent as a row of a list.

import { pageUrl } from "../core/base-path.js";
import { h } from "../core/dom.js";
import { formatCount, phrase } from "../core/format.js";
import { organization } from "../core/organization.js";
import { agentAvatar } from "../ui/avatar.js";
import { renderClaimRow } from "../ui/claim.js";
import { smallButton } from "../ui/controls.js";
import { drawRows, listRow } from "../ui/list.js";
import { agentStatusText, setAgentStatus, stopAgent } from "./store.js";

/** Return the address of an agent's page. */
export function agentUrl(id) {
  return pageUrl(`/agents/${encodeURIComponent(id)}`);
}

/** Render an agent as a row of a list; `done` is called after a change. */
export function renderAgentRow(agent, badges, done) {
  const { id, title, llmVersion, claims } = agent;
  return listRow({
    id,
    idle: agent.status !== "approved",
    mark: agentAvatar(badges.get(id), title, true),
    title: h("a.title", { href: agentUrl(id) }, title),
    note: llmVersion,
    text: [agentStatusText(agent), agent.teamName && phrase` · ${agent.teamName}`, workloadTexts(agent)],
    below: drawRows(claims, renderClaimRow),
    actions: organization.isArchitect && [renderStatusButton(agent, done)]
  });
}

function workloadTexts({ assigned, openRequests, refusals24h }) {
  const texts = [
    assigned && `${formatCount(assigned, "open card")} assigned`,
    openRequests && `${formatCount(openRequests, "request")} open`,
    refusals24h && `${formatCount(refusals24h, "denied write")} in 24 h`
  ];
  return texts.filter(Boolean).map((text) => ` · ${text}`);
}

/** Render the main button for the state of an agent. */
export function renderStatusButton(agent, done) {
  if (agent.status === "pending") return agentButton("Approve", () => setAgentStatus(agent, "approve", done), agent, "main");
  if (agent.status === "stopped") return agentButton("Resume", () => setAgentStatus(agent, "resume", done), agent);
  return agentButton("Stop…", () => stopAgent(agent, done), agent);
}

function agentButton(label, run, { title }, kind = "") {
  return smallButton(label, run, { kind, name: `${label.replace("…", "")} ${title}` });
}
