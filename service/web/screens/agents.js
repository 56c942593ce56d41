// Agents: who works here and on what, who waits for approval; and the teams that they belong to.

import { get } from "../core/api.js";
import { h } from "../core/dom.js";
import { organization, path } from "../core/organization.js";
import { Resource } from "../core/resource.js";
import { agentRow } from "../parts/agentrows.js";
import { agentMarks } from "../parts/face.js";
import { tickLane } from "../parts/lanes.js";
import { plainScreen, SHEETS as PLAIN } from "../parts/plainscreen.js";
import { rows, section } from "../parts/rows.js";
import { readTeams, teamsSection } from "../parts/teams.js";

export const SHEETS = [...PLAIN, "/css/prose.css"];

const EMPTY = "No agents yet. Make a key under Settings, hand it to an agent, and approve it here once it has registered.";

export function show(host) {
  const resource = new Resource(read, ["agent", "card", "team", "member", "request", "moveRequest"]);
  const done = () => resource.load();
  const screen = plainScreen(host, {
    title: "Agents",
    resource,
    tools: () => organization.isArchitect && h("a", { class: "button small", href: "/settings/keys" }, "Keys"),
    draw: ({ agents, teams }) => {
      const marks = agentMarks(agents);
      const some = (list) => rows(list.map((agent) => agentRow(agent, marks, done)), EMPTY, "Agents");
      const [waiting, others] = [agents.filter(isPending), agents.filter((agent) => !isPending(agent))];
      return [
        waiting.length > 0 && section("Wait for approval", waiting.length, some(waiting)),
        section("Agents", others.length, some([...others].sort(byWork))),
        organization.isArchitect && teamsSection(teams, done),
      ];
    },
  });
  const ticking = setInterval(() => document.hidden || host.querySelectorAll(".work").forEach(tickLane), 1000);
  return { ...screen, leave: () => (clearInterval(ticking), screen.leave()) };
}

async function read() {
  const [agents, teams] = await Promise.all([get(path("/agents?include=work")), readTeams()]);
  return { agents, teams };
}

const isPending = ({ status }) => status === "pending";

function byWork(one, two) {
  return two.claims.length - one.claims.length || (one.status === "stopped") - (two.status === "stopped");
}
