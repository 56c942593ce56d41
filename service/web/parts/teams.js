// Teams of agents and people: what newcomers are told, who belongs to them.

import { get, patch, post, remove } from "../core/api.js";
import { fill, h, icon } from "../core/dom.js";
import { organization, path } from "../core/organization.js";
import { count } from "../core/words.js";
import { openDialog } from "./dialog.js";
import { askFor } from "./form.js";
import { prose } from "./prose.js";
import { attempt, button, row, rows, section, switched } from "./rows.js";
import { change } from "./undo.js";

const DOCUMENT_CHARACTERS_MAX = 10_000;
const EMPTY = "No teams yet. A team has a text for newcomers, and keys may be for one team only.";

const address = ({ id }, rest = "") => path(`/teams/${encodeURIComponent(id)}${rest}`);

/** Draw the teams of the organization, with all that architects do with them. */
export function teamsSection(teams, done) {
  const make = button("New team…", () => newTeam().then(done));
  const all = rows(teams.map((team) => teamRow(team, done)), EMPTY, "Teams");
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
export function readTeams() {
  return organization.isArchitect ? get(path("/teams")) : Promise.resolve([]);
}
