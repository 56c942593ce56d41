// Teams: members and onboarding document.

import { get, patch, post, remove } from "../core/api.js";
import { h, replaceChildren } from "../core/dom.js";
import { formatCount } from "../core/format.js";
import { markIcon } from "../core/icons.js";
import { organization, orgPath } from "../core/organization.js";
import { renderProse } from "../markdown/index.js";
import { smallButton, switchInput } from "../ui/controls.js";
import { openUntilClosed } from "../ui/dialog.js";
import { nameField, openForm } from "../ui/form.js";
import { listRow, listSection } from "../ui/list.js";
import { tryRequest } from "../ui/request.js";
import { scrollRegion } from "../ui/table.js";
import { changeWithUndo } from "../ui/undo.js";

const DOCUMENT_CHARACTERS_MAX = 10_000;
const NO_TEAMS = "No teams yet. A team has an onboarding document, and an API key can belong to one team.";

const teamPath = ({ id }, rest = "") => orgPath(`/teams/${encodeURIComponent(id)}${rest}`);

/** Render the teams of the organization, with actions for architects. */
export function renderTeams(teams, done) {
  const make = smallButton("New team…", () => newTeam().then(done));
  return listSection(
    "Teams",
    teams.map((team) => teamRow(team, done)),
    NO_TEAMS,
    make
  );
}

function teamRow(team, done) {
  const { id, name, memberCount, agentCount, onboardingDoc } = team;
  const belongs = `${formatCount(agentCount, "agent")} · ${formatCount(memberCount, "person", "people")}`;
  const act = (words, run) =>
    smallButton(words, () => run(team).then(done), { name: `${words.replace("…", "")}: ${name}` });
  return listRow({
    id,
    mark: markIcon("person"),
    title: h("strong", name),
    text: `${belongs} · ${onboardingDoc ? "has a text for newcomers" : "no text for newcomers"}`,
    actions: [
      act("Onboarding document…", editOnboarding),
      act("People…", openMembers),
      act("Rename…", rename),
      act("Archive", archive)
    ]
  });
}

function newTeam() {
  const send = (wanted) => post(orgPath("/teams"), wanted);
  return openForm({ title: "New team", fields: [nameField()], button: "Create team", send });
}

function rename(team) {
  const send = (wanted) => patch(teamPath(team), wanted);
  return openForm({ title: "Rename the team", fields: [nameField(team.name)], button: "Rename", send });
}

/** Edit the onboarding document of a team, with a preview. */
function editOnboarding(team) {
  const preview = scrollRegion("prose preview", "Preview");
  const show = (text) => replaceChildren(preview, text.trim() ? renderProse(text) : h("p.muted", "Nothing yet."));
  show(team.onboardingDoc ?? "");
  return openForm({
    title: `Onboarding document of ${team.name}`,
    text: `Public: agents read it before they register, at /teams/${team.id}/onboarding.`,
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
    send: ({ content }) => patch(teamPath(team, "/onboarding"), { content: content ?? "" })
  });
}

/** Choose the members of a team; each switch applies at once. */
async function openMembers(team) {
  const read = () => Promise.all([get(teamPath(team)), get(orgPath("/members"))]);
  const found = await tryRequest(read, { failed: "The members of the team could not be loaded" });
  if (!found) return;
  const [{ members }, everybody] = found;
  const has = new Set(members.map(({ id }) => id));
  const switches = everybody
    .filter(({ state }) => state === "active")
    .map(({ userId, fullName }) =>
      switchInput(fullName, has.has(userId), (wanted) => setMembership(team, userId, fullName, wanted))
    );
  await openUntilClosed(`People of ${team.name}`, switches, "form-dialog");
}

function setMembership(team, userId, fullName, wanted) {
  const work = () =>
    wanted
      ? post(teamPath(team, "/members"), { userId })
      : remove(teamPath(team, `/members/${encodeURIComponent(userId)}`));
  const done = `${fullName} ${wanted ? "belongs" : "no longer belongs"} to ${team.name}.`;
  return tryRequest(work, { done, failed: `${fullName} stays as it was` });
}

function archive(team) {
  const told = {
    says: `${team.name} is in the archive; its agents and keys go on`,
    failed: `${team.name} was not archived`
  };
  const back = async () => void (await post(`/archive/team/${encodeURIComponent(team.id)}/restore`));
  return changeWithUndo(() => remove(teamPath(team)), { ...told, back });
}

/** Load the teams, if the user may read them. */
export function loadTeams() {
  return organization.isArchitect ? get(orgPath("/teams")) : Promise.resolve([]);
}
