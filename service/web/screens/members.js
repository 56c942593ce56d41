// Who belongs to the organization, in which role, who is invited, and what each role may do.

import { get, now, patch, post, remove } from "../core/api.js";
import { h, mark } from "../core/dom.js";
import { organization, path } from "../core/organization.js";
import { age, moment } from "../core/words.js";
import { personFace } from "../parts/face.js";
import { attempt, button, choice, row, section, sure } from "../parts/form.js";
import { invite, ROLES, tellInvited } from "../parts/once.js";
import { listing, onlyArchitects, plainScreen, scrolled, table } from "../parts/plainscreen.js";
import { change, former } from "../parts/refused.js";

const WORDS = Object.fromEntries(ROLES);
const address = ({ userId }) => path(`/members/${encodeURIComponent(userId)}`);

/** Show the one or the other, as the address says. */
export function show(host, { project }) {
  return project === "members" ? members(host) : permissions(host);
}

function members(host) {
  return plainScreen(host, {
    title: "Members",
    isSetting: true,
    read: () => get(path("/members")),
    nouns: ["member"],
    tools: (_, done) =>
      organization.isArchitect && button("Add a person…", async () => (await invite()) && done(), { kind: "main" }),
    draw: (everybody, done) => {
      const [here, invited] = ["active", "invited"].map((state) => everybody.filter((one) => one.state === state));
      return [
        onlyArchitects(),
        listing("Members", here.map((one) => member(one, done)), "Nobody."),
        invited.length > 0 && listing("Invited", invited.map((one) => waits(one, done)), "")
      ];
    }
  });
}

function member(one, done) {
  const { userId, email, fullName } = one;
  return row({
    id: userId,
    mark: personFace(fullName, true),
    title: h("strong", fullName),
    note: userId === organization.me.id && "you",
    text: [email, ` · since ${moment(one.createdAt)}`],
    actions: forArchitects(one, done, [
      button("Remove…", () => dismiss(one, done), { name: `Remove ${fullName}` })
    ])
  });
}

function waits(one, done) {
  const { userId, email, createdAt } = one;
  return row({
    id: userId,
    mark: mark("clock", "warn"),
    title: h("strong", email),
    text: `has not used the code yet · invited ${age(createdAt, now())}`,
    actions: forArchitects(one, done, [
      button("New code", () => renew(one).then(done), { name: `New code for ${email}` }),
      button("Take back", () => takeBack(one).then(done), { name: `Take back the invitation of ${email}` })
    ])
  });
}

function forArchitects(one, done, buttons) {
  return organization.isArchitect ? [roleOf(one, done), buttons] : [h("span.muted", WORDS[one.role])];
}

function roleOf(one, done) {
  const who = one.fullName ?? one.email;
  const give = (role) => {
    const told = { says: `${who} is ${WORDS[role]} now.`, failed: `The role of ${who} stays as it was` };
    const back = former({ list: path("/members"), address: address(one), id: "userId" }, one, { role });
    return change(() => patch(address(one), { role }), { ...told, back }, done);
  };
  return choice(`Role of ${who}`, ROLES, one.role, give);
}

async function dismiss(one, done) {
  const isMe = one.userId === organization.me.id;
  const text =
    "What they wrote and did stays. Cards that are assigned to them are assigned to nobody then. To undo it, invite them again.";
  const asked = { title: isMe ? "Leave this organization?" : `Remove ${one.fullName}?`, text, button: isMe ? "Leave" : "Remove" };
  const told = { done: `${one.fullName} is removed.`, failed: `${one.fullName} was not removed` };
  if (!(await sure(asked, () => remove(address(one)), told))) return;
  if (isMe) location.assign("/");
  else done();
}

function takeBack(one) {
  const told = { done: "The invitation is taken back.", failed: "The invitation was not taken back" };
  const text = "Their code ends for good; a new invitation has another one.";
  const asked = { title: `Take back the invitation of ${one.email}?`, text, button: "Take it back" };
  return sure(asked, () => remove(address(one)), told);
}

async function renew({ email, role }) {
  const answer = await attempt(() => post(path("/members"), { email, role }), { failed: "There is no new code" });
  if (answer) await tellInvited(answer);
}

// Permissions: what each role may do, as a matrix; what the service grants to architects alone is not in it.
const ACTIONS = ["read", "create", "update", "delete", "transition", "comment"];
const ACTION_WORDS = {
  read: "see",
  create: "make",
  update: "change",
  delete: "remove",
  transition: "move",
  comment: "comment"
};
const WHO = [
  ["Member", "Members"],
  ["SolutionArchitect", "Solution Architects"]
];
const RESOURCES = {
  Card: "Cards",
  Project: "Boards",
  Column: "Columns",
  CardType: "Card types",
  Field: "Fields",
  Transition: "Ways",
  Relationship: "Relations",
  File: "Files",
  Prompt: "Prompts",
  ToolServer: "Tool servers",
  Analytics: "Figures",
  Archive: "Archive"
};
/** What each resource knows; the rest would change nothing. */
const KNOWN = {
  Card: ACTIONS,
  File: ["read", "create", "delete"],
  Relationship: ["read", "create", "delete"],
  Analytics: ["read"],
  Archive: ["read", "update", "delete"]
};
/** What only architects do, whatever stands here. */
const ARCHITECTS_ONLY = {
  Column: ["create", "update", "delete"],
  CardType: ["create", "update", "delete"],
  File: ["delete"],
  Prompt: ["create", "update", "delete"],
  ToolServer: ["create", "update", "delete"],
  Archive: ["delete"]
};

function permissions(host) {
  const text = "Agents are not in here: what they may do, the columns say, in the design of each board.";
  return plainScreen(host, {
    title: "Permissions",
    isSetting: true,
    read: () => get("/permissions"),
    nouns: ["permission"],
    draw: (found, done) => [
      onlyArchitects(),
      h("p.small.muted", text),
      WHO.map(([role, words]) => section(words, null, rights(role, words, found, done)))
    ]
  });
}

function rights(role, words, found, done) {
  const lines = Object.keys(RESOURCES).map((resource) => {
    const right = found.find((one) => one.role === role && one.resource === resource);
    return [RESOURCES[resource], ...ACTIONS.map((action) => right && cell(right, action, words, done))];
  });
  const heads = [null, ...ACTIONS.map((action) => ACTION_WORDS[action])];
  return scrolled("matrix-frame", `What ${words} may do`, table("matrix rights", heads, lines));
}

function cell(right, action, words, done) {
  const { resource, role, actions } = right;
  if (!(KNOWN[resource] ?? ["read", "create", "update", "delete"]).includes(action)) return null;
  const isNever = role === "Member" && ARCHITECTS_ONLY[resource]?.includes(action);
  const label = `${words} may ${ACTION_WORDS[action]} ${RESOURCES[resource].toLowerCase()}`;
  if (isNever) return h("span.small.muted", { title: "Only Solution Architects, whatever stands here" }, "–");
  const box = h("input", { type: "checkbox", "aria-label": label, disabled: !organization.isArchitect });
  box.checked = actions.includes(action);
  box.addEventListener("change", async () => {
    const wanted = box.checked ? [...actions, action] : actions.filter((one) => one !== action);
    const says = box.checked ? `${label} now.` : `${label.replace(" may ", " may no longer ")}.`;
    const where = { list: "/permissions", address: `/permissions/${encodeURIComponent(right.id)}` };
    const work = () => patch(where.address, { actions: wanted });
    const back = async () => (await former(where, right, { actions: set?.actions ?? wanted }))();
    box.disabled = true;
    const set = await change(work, { says, failed: "Nothing was changed", back }, done);
  });
  return h("label.box", box);
}
