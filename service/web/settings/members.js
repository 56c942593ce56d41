// Members and invitations.

import { get, patch, post, remove } from "../core/api.js";
import { serverNow } from "../core/clock.js";
import { h } from "../core/dom.js";
import { formatAge, formatDateTime } from "../core/format.js";
import { markIcon } from "../core/icons.js";
import { organization, orgPath, ROLE_NAMES, ROLES } from "../core/organization.js";
import { userAvatar } from "../ui/avatar.js";
import { selectInput, smallButton } from "../ui/controls.js";
import { listRow, listSection } from "../ui/list.js";
import { architectsOnlyNote, createPage } from "../ui/page.js";
import { confirmRequest, tryRequest } from "../ui/request.js";
import { changeWithUndo, revertTo } from "../ui/undo.js";
import { inviteMember, showInvitation } from "./invite.js";
import { createSettingsNavigation } from "./navigation.js";

const memberPath = ({ userId }) => orgPath(`/members/${encodeURIComponent(userId)}`);

export function show(host) {
  return createPage(host, {
    title: "Members",
    navigation: createSettingsNavigation(),
    read: () => get(orgPath("/members")),
    nouns: ["member"],
    tools: (_, done) =>
      organization.isArchitect &&
      smallButton("Add a person…", async () => (await inviteMember()) && done(), { kind: "main" }),
    draw: (everybody, done) => {
      const [here, invited] = ["active", "invited"].map((state) => everybody.filter((one) => one.state === state));
      return [
        architectsOnlyNote(),
        listSection(
          "Members",
          here.map((one) => renderMember(one, done)),
          "Nobody."
        ),
        invited.length > 0 &&
          listSection(
            "Invited",
            invited.map((one) => renderInvitation(one, done)),
            ""
          )
      ];
    }
  });
}

function renderMember(one, done) {
  const { userId, email, fullName } = one;
  return listRow({
    id: userId,
    mark: userAvatar(fullName, true),
    title: h("strong", fullName),
    note: userId === organization.me.id && "you",
    text: [email, ` · since ${formatDateTime(one.createdAt)}`],
    actions: forArchitects(one, done, [
      smallButton("Remove…", () => removeMember(one, done), { name: `Remove ${fullName}` })
    ])
  });
}

function renderInvitation(one, done) {
  const { userId, email, createdAt } = one;
  return listRow({
    id: userId,
    mark: markIcon("clock", "warn"),
    title: h("strong", email),
    text: `has not used the code yet · invited ${formatAge(createdAt, serverNow())}`,
    actions: forArchitects(one, done, [
      smallButton("New code", () => renewInvitation(one).then(done), { name: `New code for ${email}` }),
      smallButton("Cancel invitation", () => revokeInvitation(one).then(done), { name: `Cancel the invitation of ${email}` })
    ])
  });
}

function forArchitects(one, done, buttons) {
  return organization.isArchitect ? [renderRole(one, done), buttons] : [h("span.muted", ROLE_NAMES[one.role])];
}

function renderRole(one, done) {
  const who = one.fullName ?? one.email;
  const give = (role) => {
    const messages = { message: `${who} is ${ROLE_NAMES[role]} now.`, failed: `The role of ${who} was not changed` };
    const undo = revertTo({ list: orgPath("/members"), address: memberPath(one), id: "userId" }, one, { role });
    return changeWithUndo(() => patch(memberPath(one), { role }), { ...messages, undo }, done);
  };
  return selectInput(`Role of ${who}`, ROLES, one.role, give);
}

async function removeMember(one, done) {
  const isMe = one.userId === organization.me.id;
  const text =
    "Their comments and history stay. Cards assigned to them become unassigned. To undo this, invite them again.";
  const asked = {
    title: isMe ? "Leave this organization?" : `Remove ${one.fullName}?`,
    text,
    button: isMe ? "Leave" : "Remove"
  };
  const messages = { done: `${one.fullName} is removed.`, failed: `${one.fullName} was not removed` };
  if (!(await confirmRequest(asked, () => remove(memberPath(one)), messages))) return;
  if (isMe) location.assign("/");
  else done();
}

function revokeInvitation(one) {
  const messages = { done: "The invitation was cancelled.", failed: "The invitation was not cancelled" };
  const text = "Their code stops working; a new invitation gets a new code.";
  const asked = { title: `Cancel the invitation of ${one.email}?`, text, button: "Cancel invitation" };
  return confirmRequest(asked, () => remove(memberPath(one)), messages);
}

async function renewInvitation({ email, role }) {
  const answer = await tryRequest(() => post(orgPath("/members"), { email, role }), { failed: "No new code was created" });
  if (answer) await showInvitation(answer);
}
