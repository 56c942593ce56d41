// Members: who belongs to the organization, in which role, and who is invited.

import { now, patch, post, get, remove } from "../core/api.js";
import { h, icon } from "../core/dom.js";
import { organization, path } from "../core/organization.js";
import { age, moment } from "../core/words.js";
import { personFace } from "../parts/face.js";
import { invite, ROLES, tellInvited } from "../parts/once.js";
import { onlyArchitects, plainScreen, Resource, settingsNav, SHEETS } from "../parts/plainscreen.js";
import { attempt, button, row, rows, section, sure } from "../parts/form.js";
import { change, former } from "../parts/refused.js";

export { SHEETS };

const WORDS = Object.fromEntries(ROLES);

export function show(host) {
  const resource = new Resource(() => get(path("/members")), ["member"]);
  const add = () => invite().then((isDone) => isDone && resource.load());
  return plainScreen(host, {
    title: "Members",
    nav: settingsNav(),
    resource,
    tools: () => organization.isArchitect && button("Add a person…", add, { kind: "main" }),
    draw: (members) => {
      const [here, invited] = ["active", "invited"].map((state) => members.filter((one) => one.state === state));
      const waiting = rows(invited.map((one) => waits(one, resource)), "Nobody is invited.", "Invited");
      return [
        onlyArchitects(),
        section("Members", here.length, rows(here.map((one) => member(one, resource)), "Nobody.", "Members")),
        invited.length > 0 && section("Invited", invited.length, waiting),
      ];
    },
  });
}

function member(one, resource) {
  const { userId, email, fullName, role } = one;
  const isMe = userId === organization.me.id;
  return row({
    id: userId,
    mark: personFace(fullName, true),
    title: h("strong", null, fullName),
    note: isMe && "you",
    text: [email, ` · since ${moment(one.createdAt)}`],
    actions: organization.isArchitect
      ? [roleOf(one, resource), button("Remove…", () => dismiss(one, resource), { name: `Remove ${fullName}` })]
      : [h("span", { class: "muted" }, WORDS[role])],
  });
}

function waits(one, resource) {
  const { userId, email, createdAt } = one;
  return row({
    id: userId,
    mark: h("span", { class: "mark warn" }, icon("clock")),
    title: h("strong", null, email),
    text: `has not used the code yet · invited ${age(createdAt, now())}`,
    actions: organization.isArchitect
      ? [
          roleOf(one, resource),
          button("New code", () => renew(one, resource), { name: `New code for ${email}` }),
          button("Take back", () => takeBack(one, resource), { name: `Take back the invitation of ${email}` }),
        ]
      : [h("span", { class: "muted" }, WORDS[one.role])],
  });
}

function roleOf(one, resource) {
  const who = one.fullName ?? one.email;
  const select = h("select", { class: "input small", "aria-label": `Role of ${who}` });
  for (const [value, words] of ROLES) select.append(h("option", { value }, words));
  select.value = one.role;
  select.addEventListener("change", async () => {
    const wanted = { role: select.value };
    const told = { says: `${who} is ${WORDS[select.value]} now.`, failed: `The role of ${who} stays as it was` };
    const back = former({ list: path("/members"), address: addressOf(one), id: "userId" }, one, wanted);
    await change(() => patch(addressOf(one), wanted), { ...told, back }, () => resource.load());
  });
  return select;
}

function addressOf({ userId }) {
  return path(`/members/${encodeURIComponent(userId)}`);
}

async function dismiss(one, resource) {
  const isMe = one.userId === organization.me.id;
  const text =
    "What they wrote and did stays. Cards that are assigned to them are assigned to nobody then. To undo it, invite them again.";
  const asked = { title: isMe ? "Leave this organization?" : `Remove ${one.fullName}?`, text, button: isMe ? "Leave" : "Remove" };
  const told = { done: `${one.fullName} is removed.`, failed: `${one.fullName} was not removed` };
  if (!(await sure(asked, () => remove(addressOf(one)), told))) return;
  if (isMe) location.assign("/");
  else resource.load();
}

async function takeBack(one, resource) {
  const told = { done: "The invitation is taken back.", failed: "The invitation was not taken back" };
  const text = "Their code ends for good; a new invitation has another one.";
  const asked = { title: `Take back the invitation of ${one.email}?`, text, button: "Take it back" };
  await sure(asked, () => remove(addressOf(one)), told);
  resource.load();
}

async function renew({ email, role }, resource) {
  const answer = await attempt(() => post(path("/members"), { email, role }), { failed: "There is no new code" });
  if (answer) await tellInvited(answer);
  resource.load();
}
