// An agent as a row of Home.

import { h } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { organization } from "../core/organization.js";
import { agentAvatar } from "../ui/avatar.js";
import { renderClaimRow } from "../ui/claim.js";
import { drawRows } from "../ui/list.js";
import { agentStatusText, stopAgent } from "../agents/store.js";

/** Render an agent with its claims. */
export function renderAgentRow(agent, context) {
  const { id, title, llmVersion, claims } = agent;
  const rows = drawRows(claims, renderClaimRow);
  const idle = h("div.small.muted", agentStatusText(agent, "idle"));
  const attributes = { class: "plain-button", "aria-label": `Stop ${title}`, title: `Stop ${title}` };
  const stop = h("button", { ...attributes, click: () => stopAgent(agent, context.done) }, icon("stop"));
  const mayStop = organization.isArchitect && agent.status !== "stopped";
  const name = h("div", h("strong", title), llmVersion && h("span.muted", ` · ${llmVersion}`));
  const face = agentAvatar(context.badges.get(id), title, true);
  const what = h("div.what", name, rows.length ? rows : idle);
  const leases = claims.map(({ expiresAt }) => expiresAt).join(" ");
  const about = { class: claims.length ? "item" : "item idle", "data-until": leases, "data-key": id };
  return h("li", about, face, what, mayStop && stop);
}
