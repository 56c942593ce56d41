// Agents: who works here and on what, who waits for approval; and the teams that they belong to.

import { get, patch, post, remove } from "../core/api.js";
import { fill, h, icon } from "../core/dom.js";
import { prose } from "../core/markdown.js";
import { organization, path } from "../core/organization.js";
import { count } from "../core/words.js";
import { openDialog } from "../parts/float.js";
import { agentMarks } from "../parts/face.js";
import { askFor, attempt, button, row, rows, section, switched } from "../parts/form.js";
import { agentRow, tickLane } from "../parts/lanes.js";
import { plainScreen, Resource, SHEETS as PLAIN } from "../parts/plainscreen.js";
import { change } from "../parts/refused.js";

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

// Teams of agents and people: what newcomers are told, who belongs to them.
const DOCUMENT_CHARACTERS_MAX = 10_000;
const NO_TEAMS = "No teams yet. A team has a text for newcomers, and keys may be for one team only.";

const address = ({ id }, rest = "") => path(`/teams/${encodeURIComponent(id)}${rest}`);

/** Draw the teams of the organization, with all that architects do with them. */
function teamsSection(teams, done) {
  const make = button("New team…", () => newTeam().then(done));
  const all = rows(teams.map((team) => teamRow(team, done)), NO_TEAMS, "Teams");
  return section("Teams", teams.length, all, make);
}

function teamRow(team, done) {
  const { id, name, memberCount, agentCount, onboardingDoc } = team;
  const belongs = `${count(agentCount, "agent")} · ${count(memberCount, "person", "people")}`;
  const act = (words, run) => button(words, () => run(team).then(done), { name: `${words.replace("…", "")}: ${name}` });
  return row({
    id,
    mark: h("span", { class: "mark" }, icon("person")),
    title: h("strong", null, name),
    text: `${belongs} · ${onboardingDoc ? "has a text for newcomers" : "no text for newcomers"}`,
    actions: [
      act("Text for newcomers…", onboarding),
      act("People…", people),
      act("Rename…", rename),
      act("Archive", archive),
    ],
  });
}

function newTeam() {
  const fields = [{ name: "name", label: "Name", required: true, most: 500 }];
  return askFor({ title: "New team", fields, button: "Make the team", send: (wanted) => post(path("/teams"), wanted) });
}

function rename(team) {
  const fields = [{ name: "name", label: "Name", value: team.name, required: true, most: 500 }];
  return askFor({ title: "Rename the team", fields, button: "Rename", send: (wanted) => patch(address(team), wanted) });
}

/** Edit what newcomers read, with a preview as they see it. */
function onboarding(team) {
  const preview = h("div", { class: "prose preview", role: "region", "aria-label": "Preview", tabindex: "0" });
  const show = (text) => fill(preview, text.trim() ? prose(text) : h("p", { class: "muted" }, "Nothing yet."));
  show(team.onboardingDoc ?? "");
  return askFor({
    title: `Text for newcomers of ${team.name}`,
    text: `Agents read it before they register, and anybody who knows its address: /teams/${team.id}/onboarding.`,
    fields: [
      {
        name: "content",
        label: "Text (Markdown)",
        kind: "textarea",
        rows: 10,
        value: team.onboardingDoc,
        most: DOCUMENT_CHARACTERS_MAX,
        on: { input: ({ target }) => show(target.value) },
      },
    ],
    below: h("div", { class: "labelled" }, h("span", null, "Preview"), preview),
    wide: true,
    button: "Save",
    send: ({ content }) => patch(address(team, "/onboarding"), { content: content ?? "" }),
  });
}

/** Say who of the organization belongs to a team; each switch holds at once. */
async function people(team) {
  const read = () => Promise.all([get(address(team)), get(path("/members"))]);
  const found = await attempt(read, { failed: "The people of the team cannot be shown" });
  if (!found) return;
  const [{ members }, everybody] = found;
  const has = new Set(members.map(({ id }) => id));
  const switches = everybody
    .filter(({ state }) => state === "active")
    .map(({ userId, fullName }) => switched(fullName, has.has(userId), (wanted) => belong(team, userId, fullName, wanted)));
  await new Promise((resolve) => {
    const close = h("button", { class: "button main", type: "button", on: { click: () => opened.close() } }, "Done");
    const head = h("h2", null, `People of ${team.name}`);
    const content = h("div", { class: "once" }, head, switches, h("div", { class: "row" }, close));
    const opened = openDialog({ label: `People of ${team.name}`, className: "ask", content, closed: () => void resolve() });
  });
}

function belong(team, userId, fullName, wanted) {
  const work = () =>
    wanted ? post(address(team, "/members"), { userId }) : remove(address(team, `/members/${encodeURIComponent(userId)}`));
  const done = `${fullName} ${wanted ? "belongs" : "no longer belongs"} to ${team.name}.`;
  return attempt(work, { done, failed: `${fullName} stays as it was` });
}

function archive(team) {
  const told = { says: `${team.name} is in the archive; its agents and keys go on`, failed: `${team.name} was not archived` };
  const back = async () => void (await post(`/archive/team/${encodeURIComponent(team.id)}/restore`));
  return change(() => remove(address(team)), { ...told, back });
}

/** Read the teams, if the caller may. */
function readTeams() {
  return organization.isArchitect ? get(path("/teams")) : Promise.resolve([]);
}
