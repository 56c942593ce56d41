// Members and invitations.

import { get, patch, post, remove } from "../core/api.js";
import { pageUrl, SERVICE_URL } from "../core/base-path.js";
import { serverNow } from "../core/clock.js";
import { h } from "../core/dom.js";
import { formatAge, formatCount, formatDateTime, phrase } from "../core/format.js";
import { markIcon } from "../core/icons.js";
import { matchItems } from "../core/matching.js";
import { organization, orgPath, ROLE_NAMES, ROLES } from "../core/organization.js";
import { userAvatar } from "../ui/avatar.js";
import { choiceButton } from "../ui/choice-button.js";
import { smallButton } from "../ui/controls.js";
import { promptDialog } from "../ui/dialog.js";
import { openForm } from "../ui/form.js";
import { drawRows, listRow, listSection } from "../ui/list.js";
import { architectsOnlyNote, createPage } from "../ui/page.js";
import { SEARCHABLE_ROWS, searchField } from "../ui/search-field.js";
import { confirmRequest, tryRequest } from "../ui/request.js";
import { announce } from "../ui/toast.js";
import { changeWithUndo, revertTo } from "../ui/undo.js";
import { inviteMember, showInvitation } from "./invite.js";
import { createSettingsNavigation } from "./navigation.js";
import { showSecret } from "./secret-dialog.js";

const CARDS_PER_BATCH = 100;

const memberPath = ({ userId }) => orgPath(`/members/${encodeURIComponent(userId)}`);

export function show(host) {
  let text = "";
  return createPage(host, {
    title: "Members",
    navigation: createSettingsNavigation(),
    read: () => get(orgPath("/members")),
    resources: ["member"],
    tools: (_, done) =>
      organization.isArchitect && smallButton("Add a person…", async () => (await inviteMember()) && done(), { kind: "main" }),
    draw: (everybody, done) => {
      const search = (typed) => ((text = typed), done());
      const field = everybody.length >= SEARCHABLE_ROWS && searchField("Search members", text, search);
      const texts = ({ fullName, email, handle }) => [fullName ?? "", email, `@${handle ?? ""}`];
      const found = new Set(field ? matchItems(text, everybody, texts) : everybody);
      const ofState = (state) => everybody.filter((member) => member.state === state && found.has(member));
      const [active, invited] = [ofState("active"), ofState("invited")];
      return [
        architectsOnlyNote(),
        listSection(
          "Members",
          drawRows(active, (member) => renderMember(member, done), { remove: (member) => removeMember(member, done) }),
          text ? "Nobody matches." : "Nobody.",
          field || null
        ),
        invited.length > 0 &&
          listSection(
            "Invited",
            drawRows(invited, (member) => renderInvitation(member, done), {
              remove: (member) => revokeInvitation(member).then(done)
            }),
            ""
          )
      ];
    }
  });
}

function renderMember(member, done) {
  const { userId, email, fullName, handle } = member;
  return listRow({
    id: userId,
    mark: userAvatar(fullName, true),
    title: h("strong", fullName),
    note: userId === organization.me.id && "you",
    text: [`@${handle} · `, email, ` · since ${formatDateTime(member.createdAt)}`],
    actions: forArchitects(member, done, [
      userId !== organization.me.id &&
        smallButton("New password…", () => resetPassword(member), { name: `New password for ${fullName}` }),
      smallButton("Remove…", () => removeMember(member, done), { name: `Remove ${fullName}` })
    ])
  });
}

function renderInvitation(member, done) {
  const { userId, email, createdAt } = member;
  return listRow({
    id: userId,
    mark: markIcon("clock", "warn"),
    title: h("strong", email),
    text: `has not used the code yet · invited ${formatAge(createdAt, serverNow())}`,
    actions: forArchitects(member, done, [
      smallButton("New code", () => renewInvitation(member).then(done), { name: `New code for ${email}` }),
      smallButton("Cancel invitation", () => revokeInvitation(member).then(done), { name: `Cancel the invitation of ${email}` })
    ])
  });
}

function forArchitects(member, done, buttons) {
  return organization.isArchitect ? [renderRole(member, done), buttons] : [h("span.muted", ROLE_NAMES.get(member.role))];
}

function renderRole(member, done) {
  const who = member.fullName ?? member.email;
  return choiceButton(`Role of ${who}`, ROLES, member.role, (role) => changeRole(member, role, done));
}

/** Change a role, after a question if it gives many rights or takes those of the user, who then cannot undo it. */
async function changeRole(member, role, done) {
  const who = member.fullName ?? member.email;
  const isMe = member.userId === organization.me.id;
  const question = describeRoleChange(who, isMe, role);
  if (question && (await promptDialog(question)) === null) return;
  const message = phrase`${who} is ${ROLE_NAMES.get(role)} now.`;
  const messages = { message, failed: phrase`The role of ${who} was not changed` };
  const paths = { list: orgPath("/members"), address: memberPath(member), id: "userId" };
  const undo = !isMe && revertTo(paths, member, { role });
  await changeWithUndo(() => patch(memberPath(member), { role }), { ...messages, undo }, done);
}

/** Return the question before a change of a role, or null if it needs none. */
function describeRoleChange(who, isMe, role) {
  if (role === "SolutionArchitect") {
    const text = "Solution Architects change board settings, members, permissions and API keys, and delete things for good.";
    return { title: phrase`Make ${who} a Solution Architect?`, text, button: "Change role" };
  }
  const text = "You can then no longer change settings, members and permissions. Only another Solution Architect can undo this.";
  return isMe ? { title: "Give up your own rights?", text, button: "Become a member" } : null;
}

/** Create a new password for somebody who has forgotten theirs, and show it once. */
async function resetPassword(member) {
  const { fullName, email } = member;
  const question = {
    title: phrase`New password for ${fullName}?`,
    text: "Their old password stops working, and they are signed out everywhere. At the next sign-in they see that you did this.",
    button: "Create password"
  };
  const failed = phrase`${fullName} keeps the old password`;
  const answer = await confirmRequest(question, () => post(`${memberPath(member)}/password`), { failed });
  if (!answer) return;
  const text = `Send it to ${email}. They sign in with it at ${SERVICE_URL} and should then choose one of their own.`;
  await showSecret({ title: phrase`${fullName} has a new password`, text, label: "Password", secret: answer.initialPassword });
}

/** Ask who gets the cards of a member, and remove the member. */
async function removeMember(member, done) {
  const isMe = member.userId === organization.me.id;
  const failed = phrase`${member.fullName} was not removed`;
  const found = await tryRequest(() => Promise.all([readCards(member, 1), get(orgPath("/members"))]), { failed });
  if (!found) return;
  const [{ total }, everybody] = found;
  const removed = await openForm({
    title: isMe ? "Leave this organization?" : phrase`Remove ${member.fullName}?`,
    text: "Their comments and history stay. To undo this, invite them again.",
    fields: total ? [heirField(member, total, everybody)] : [],
    button: isMe ? "Leave" : "Remove",
    isDangerous: true,
    send: async ({ heirId }) => {
      if (heirId) await giveCards(member, heirId);
      await remove(memberPath(member));
    }
  });
  if (!removed) return;
  announce(phrase`${member.fullName} is removed.`);
  if (isMe) location.assign(pageUrl("/"));
  else done();
}

function heirField(member, total, everybody) {
  const others = everybody.filter(({ userId, state }) => state === "active" && userId !== member.userId);
  const options = [["", "no one"], ...others.map(({ userId, fullName }) => [userId, fullName])];
  return { name: "heirId", label: `${formatCount(total, "card")} assigned to them: give them to`, kind: "select", options };
}

function readCards({ userId }, pageSize) {
  return get(orgPath(`/cards?assignedUserId=${encodeURIComponent(userId)}&pageSize=${pageSize}`));
}

/** Assign the cards of a member to somebody else, in batches; those that cannot be changed become unassigned afterwards. */
async function giveCards(member, assignedUserId) {
  for (;;) {
    const { items } = await readCards(member, CARDS_PER_BATCH);
    if (!items.length) return;
    const operations = items.map(({ id }) => ({ cardId: id, edit: { assignedUserId } }));
    const { results } = await post(orgPath("/cards/batch"), { operations });
    if (!results.some(({ card }) => card)) return;
  }
}

function revokeInvitation(member) {
  const messages = { done: "The invitation was cancelled.", failed: "The invitation was not cancelled" };
  const text = "Their code stops working; a new invitation gets a new code.";
  const confirmation = { title: `Cancel the invitation of ${member.email}?`, text, button: "Cancel invitation" };
  return confirmRequest(confirmation, () => remove(memberPath(member)), messages);
}

async function renewInvitation({ email, role }) {
  const answer = await tryRequest(() => post(orgPath("/members"), { email, role }), { failed: "No new code was created" });
  if (answer) await showInvitation(answer);
}
