// Agents: who works here and on what, who waits for approval; and the teams that they belong to.

import { get, patch, post, remove } from "../core/api.js";
import { fill, h, mark } from "../core/dom.js";
import { prose } from "../core/markdown.js";
import { organization, path } from "../core/organization.js";
import { count } from "../core/words.js";
import { agentMarks } from "../parts/face.js";
import { askFor, attempt, button, nameField, row, switched } from "../parts/form.js";
import { agentRow, ticking } from "../parts/lanes.js";
import { listing, plainScreen, scrolled, untilDone } from "../parts/plainscreen.js";
import { change } from "../parts/refused.js";

const EMPTY = "No agents yet. Make a key under Settings, hand it to an agent, and approve it here once it has registered.";

export function show(host) {
  const screen = plainScreen(host, {
    title: "Agents",
    read,
    nouns: ["agent", "card", "team", "member", "request", "moveRequest"],
    tools: () => organization.isArchitect && h("a.button.small", { href: "/settings/keys" }, "Keys"),
    draw: ({ agents, teams }, done) => {
      const marks = agentMarks(agents);
      const some = (title, list) => listing(title, list.map((agent) => agentRow(agent, marks, done)), EMPTY);
      const [waiting, others] = [agents.filter(isPending), agents.filter((agent) => !isPending(agent))];
      return [
        waiting.length > 0 && some("Wait for approval", waiting),
        some("Agents", others.sort(byWork)),
        organization.isArchitect && teamsSection(teams, done)
      ];
    }
  });
  return ticking(host, screen);
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
  return listing("Teams", teams.map((team) => teamRow(team, done)), NO_TEAMS, make);
}

function teamRow(team, done) {
  const { id, name, memberCount, agentCount, onboardingDoc } = team;
  const belongs = `${count(agentCount, "agent")} · ${count(memberCount, "person", "people")}`;
  const act = (words, run) => button(words, () => run(team).then(done), { name: `${words.replace("…", "")}: ${name}` });
  return row({
    id,
    mark: mark("person"),
    title: h("strong", name),
    text: `${belongs} · ${onboardingDoc ? "has a text for newcomers" : "no text for newcomers"}`,
    actions: [
      act("Text for newcomers…", onboarding),
      act("People…", people),
      act("Rename…", rename),
      act("Archive", archive)
    ]
  });
}

function newTeam() {
  const send = (wanted) => post(path("/teams"), wanted);
  return askFor({ title: "New team", fields: [nameField()], button: "Make the team", send });
}

function rename(team) {
  const send = (wanted) => patch(address(team), wanted);
  return askFor({ title: "Rename the team", fields: [nameField(team.name)], button: "Rename", send });
}

/** Edit what newcomers read, with a preview as they see it. */
function onboarding(team) {
  const preview = scrolled("prose preview", "Preview");
  const show = (text) => fill(preview, text.trim() ? prose(text) : h("p.muted", "Nothing yet."));
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
        typed: ({ target }) => show(target.value)
      }
    ],
    below: h("div.labelled", h("span", "Preview"), preview),
    wide: true,
    button: "Save",
    send: ({ content }) => patch(address(team, "/onboarding"), { content: content ?? "" })
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
  await untilDone(`People of ${team.name}`, switches, "ask");
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
