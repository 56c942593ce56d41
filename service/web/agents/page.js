// The list of agents and teams.

import { get } from "../core/api.js";
import { pageUrl } from "../core/base-path.js";
import { h } from "../core/dom.js";
import { organization, orgPath } from "../core/organization.js";
import { agentBadges } from "../ui/avatar.js";
import { keepClaimsCurrent } from "../ui/claim.js";
import { drawRows, listSection } from "../ui/list.js";
import { createPage } from "../ui/page.js";
import { agentUrl, renderAgentRow } from "./agent-row.js";
import { loadTeams, renderTeams } from "./teams.js";

const EMPTY = "No agents yet. An agent registers with an API key, and works once a Solution Architect has approved it.";

export function show(host) {
  const screen = createPage(host, {
    title: "Agents",
    read: loadPage,
    resources: ["agent", "card", "team", "member", "request", "moveRequest"],
    tools: () => organization.isArchitect && h("a.button.small", { href: pageUrl("/settings/keys") }, "API keys"),
    draw: ({ agents, teams }, done) => {
      const marks = agentBadges(agents);
      const some = (title, list) =>
        listSection(
          title,
          drawRows(list, (agent) => renderAgentRow(agent, marks, done), { open: ({ id }) => agentUrl(id) }),
          organization.isArchitect ? [EMPTY, " ", h("a.link", { href: pageUrl("/?start=1") }, "Connect an agent")] : EMPTY
        );
      const [waiting, others] = [agents.filter(isPending), agents.filter((agent) => !isPending(agent))];
      return [
        waiting.length > 0 && some("Waiting for approval", waiting),
        some("Agents", others.sort(byWork)),
        organization.isArchitect && renderTeams(teams, done)
      ];
    }
  });
  return keepClaimsCurrent(host, screen);
}

async function loadPage() {
  const [agents, teams] = await Promise.all([get(orgPath("/agents?include=work")), loadTeams()]);
  return { agents, teams };
}

const isPending = ({ status }) => status === "pending";

function byWork(first, second) {
  return second.claims.length - first.claims.length || Number(first.status === "stopped") - Number(second.status === "stopped");
}
