// Teams: members and onboarding document.

import { get, patch, post, remove } from "../core/api.js";
import { h, replaceChildren } from "../core/dom.js";
import { formatCount, phrase } from "../core/format.js";
import { markIcon } from "../core/icons.js";
import { getFieldText } from "../core/marks.js";
import { organization, orgPath } from "../core/organization.js";
import { renderProse } from "../markdown/index.js";
import { smallButton, switchInput } from "../ui/controls.js";
import { openUntilClosed } from "../ui/dialog.js";
import { nameField, openForm } from "../ui/form.js";
import { drawRows, listRow, listSection } from "../ui/list.js";
import { tryRequest } from "../ui/request.js";
import { scrollRegion } from "../ui/table.js";
import { changeWithUndo } from "../ui/undo.js";

const DOCUMENT_CHARACTERS_MAX = 10_000;
const NO_TEAMS = "No teams yet. A team has an onboarding document, and an API key can belong to one team.";

const teamPath = ({ id }, rest = "") => orgPath(`/teams/${encodeURIComponent(id)}${rest}`);

/** Render the teams of the organization, with actions for architects. */
export function renderTeams(teams, done) {
  const createButton = smallButton("New team…", () => newTeam().then(done));
  return listSection(
    "Teams",
    drawRows(teams, (team) => teamRow(team, done)),
    NO_TEAMS,
    createButton
  );
}

function teamRow(team, done) {
  const { id, name, memberCount, agentCount, onboardingDoc } = team;
  const counts = `${formatCount(agentCount, "agent")} · ${formatCount(memberCount, "person", "people")}`;
  const actionButton = (label, run) =>
    smallButton(label, () => run(team).then(done), { name: `${label.replace("…", "")}: ${name}` });
  return listRow({
    id,
    mark: markIcon("person"),
    title: h("strong", name),
    text: `${counts} · ${onboardingDoc ? "has an" : "no"} onboarding document`,
    actions: [
      actionButton("Onboarding document…", editOnboarding),
      actionButton("People…", openMembers),
      actionButton("Rename…", rename),
      actionButton("Archive", archive)
    ]
  });
}

function newTeam() {
  const send = (values) => post(orgPath("/teams"), values);
  return openForm({ title: "New team", fields: [nameField()], button: "Create team", send });
}

function rename(team) {
  const send = (values) => patch(teamPath(team), values);
  return openForm({ title: "Rename the team", fields: [nameField(team.name)], button: "Rename", send });
}

/** Edit the onboarding document of a team, with a preview. */
function editOnboarding(team) {
  const preview = scrollRegion("prose preview", "Preview");
  const show = (text) => replaceChildren(preview, text.trim() ? renderProse(text) : h("p.muted", "Nothing yet."));
  show(team.onboardingDoc ?? "");
  return openForm({
    title: phrase`Onboarding document of ${team.name}`,
    item: team.id,
    text: `Public: agents read it before they register, at /teams/${team.id}/onboarding.`,
    fields: [
      {
        name: "content",
        label: "Text (Markdown)",
        kind: "textarea",
        rows: 10,
        value: team.onboardingDoc,
        maxLength: DOCUMENT_CHARACTERS_MAX,
        readSaved: async () => (await get(teamPath(team))).onboardingDoc,
        typed: ({ target }) => show(getFieldText(target))
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
  const [{ members }, people] = found;
  const memberIds = new Set(members.map(({ id }) => id));
  const switches = people
    .filter(({ state }) => state === "active")
    .map(({ userId, fullName }) =>
      switchInput(fullName, memberIds.has(userId), (isMember) => setMembership(team, userId, fullName, isMember))
    );
  await openUntilClosed(phrase`People of ${team.name}`, switches, "form-dialog");
}

function setMembership(team, userId, fullName, isMember) {
  const work = () =>
    isMember ? post(teamPath(team, "/members"), { userId }) : remove(teamPath(team, `/members/${encodeURIComponent(userId)}`));
  const done = phrase`${fullName} ${isMember ? "belongs" : "no longer belongs"} to ${team.name}.`;
  return tryRequest(work, { done, failed: phrase`${fullName} stays as it was` });
}

function archive(team) {
  const told = {
    message: phrase`${team.name} is in the archive; its agents and keys go on`,
    failed: phrase`${team.name} was not archived`
  };
  const back = async () => void (await post(`/archive/team/${encodeURIComponent(team.id)}/restore`));
  return changeWithUndo(() => remove(teamPath(team)), { ...told, undo: back, needs: [["update", "Archive"]] });
}

/** Load the teams, if the user may read them. */
export function loadTeams() {
  return organization.isArchitect ? get(orgPath("/teams")) : Promise.resolve([]);
}
