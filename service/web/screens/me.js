// What is one's own: name, time zone, theme, password, organizations, signing out everywhere.

import { forget, get, keep, patch, post } from "../core/api.js";
import { fill, h, say } from "../core/dom.js";
import { ACTIONS, bindingsOf, isOwn, keys, neighbours, rebind, record, shownKey, unbind, WORDS } from "../core/keys.js";
import { chooseTheme, organization } from "../core/organization.js";
import { quoted } from "../core/words.js";
import { attempt, button, makeFields, row, rows, section, sure, wrong } from "../parts/form.js";
import { announce } from "../parts/float.js";
import { ROLES, switchTo, THEMES } from "../parts/me.js";
import { plainScreen } from "../parts/plainscreen.js";

const PASSWORD_BYTES_MAX = 72;

export function show(host) {
  const keyboard = ownKeys();
  return plainScreen(host, {
    title: "You",
    read: () => get("/auth/me"),
    nouns: ["member"],
    kind: "own",
    draw: (me, done) => [
      section("Profile", null, profile(me, done)),
      section("Theme", null, theme(me)),
      section("Password", null, password(me)),
      section("Organizations", me.organizations.length, [seats(me), join()]),
      section("Keys of the keyboard", null, keyboard),
      section("Sign out", null, signOut())
    ]
  });
}

function profile(me, done) {
  const zones = [...new Set([me.timezone, ...Intl.supportedValuesOf("timeZone"), "UTC"])].sort();
  return inlineForm({
    label: "Profile",
    text: `You sign in as ${me.email}.`,
    fields: [
      { name: "fullName", label: "Name", value: me.fullName, required: true, most: 500 },
      {
        name: "timezone",
        label: "Time zone",
        kind: "select",
        value: me.timezone,
        options: zones.map((zone) => [zone, zone.replaceAll("_", " ")]),
        hint: "Days of figures begin at your midnight."
      }
    ],
    button: "Save",
    done: "Saved.",
    send: async (wanted) => {
      const answer = await patch("/settings/profile", wanted);
      Object.assign(organization.me, { fullName: answer.fullName, timezone: answer.timezone });
      organization.dispatchEvent(new Event("change"));
      done();
    }
  });
}

function theme(me) {
  const choice = ([value, words]) => {
    const input = h("input", { type: "radio", name: "theme", value, change: () => wear(value) });
    input.checked = me.theme === value;
    return h("label.row", input, words);
  };
  return h("fieldset.themes.row.wrap", h("legend.unseen", "Theme"), THEMES.map(choice));
}

function wear(value) {
  return attempt(() => chooseTheme(value), {
    done: "The theme is yours everywhere.",
    failed: "The theme is kept in this browser only"
  });
}

function password({ email }) {
  const secret = (name, label, hint) => ({ name, label, kind: "password", required: true, most: PASSWORD_BYTES_MAX, hint });
  const send = async ({ currentPassword, newPassword, again }) => {
    if (newPassword !== again) throw wrong("again", "is not the same");
    await post("/settings/password", { currentPassword, newPassword });
    keep(await post("/auth/login", { email, password: newPassword })); // all earlier tokens have ended, this one's too
  };
  return inlineForm({
    label: "Password",
    text: "Wherever else you are signed in, you are asked for the new one.",
    fields: [
      secret("currentPassword", "Current password"),
      secret("newPassword", "New password", "8 characters or more."),
      secret("again", "The new one again")
    ],
    button: "Change the password",
    done: "Your password is changed.",
    send
  });
}

function seats({ organizations }) {
  const one = ({ id, title, role }) =>
    row({
      id,
      title: h("strong", title),
      note: ROLES[role],
      text: id === organization.id && "you are here",
      actions: id !== organization.id && [button("Go there", () => switchTo(id), { name: `Go to ${title}` })]
    });
  return rows(organizations.map(one), "You belong to none.", "Organizations");
}

function join() {
  const code = { name: "code", label: "Code of an invitation", required: true, most: 200, hint: "An architect hands it to you." };
  return inlineForm({
    label: "Join an organization",
    fields: [code],
    button: "Join",
    done: "You belong to it now.",
    send: async (wanted) => switchTo((await post("/auth/invitations/accept", wanted)).orgId)
  });
}

function signOut() {
  const here = () => (forget(), location.assign("/"));
  const everywhere = async () => {
    const asked = {
      title: "Sign out everywhere?",
      text: "On all devices and in all browsers you are asked to sign in again.",
      button: "Sign out everywhere"
    };
    if (await sure(asked, () => post("/auth/logout"), { failed: "You are still signed in" })) here();
  };
  return h("div.row.wrap", button("Sign out here", here), button("Sign out everywhere…", everywhere));
}

/** Draw a form that stands in a screen; `done` is said when `send` has taken what it holds. */
function inlineForm({ label, text, fields, button, send, done }) {
  const said = h("p.small.muted", { role: "status" });
  const work = async (values) => {
    await send(values);
    for (const { input } of made) if (input.type === "password") input.value = "";
    for (const { input } of made) input.defaultValue = input.value;
    say(said, done);
    announce(done);
  };
  const { made, elements, problem, submit, give } = makeFields(fields, button, work);
  const about = text && h("p.small.muted", text);
  const row = h("div.row", submit, said);
  const wishes = { class: "inline", novalidate: true, "aria-label": label };
  return h("form", { ...wishes, submit: (event) => (say(said, ""), give(event)) }, about, elements, problem, row);
}

// The keys of the keyboard as the person has them: each is changed by pressing it, and what stands on two says so.
/** Draw the table of all keys. */
function ownKeys() {
  const body = h("tbody");
  const all = button("Reset all", () => reset(ACTIONS.map(([action]) => action)));
  const head = h("tr", ["Action", "Key", "Change"].map((words) => h("th", { scope: "col" }, words)));
  const table = h("table.own-keys", h("thead.unseen", head), body);
  const rows = new Map(ACTIONS.map(([action]) => [action, keyRow(action)]));
  let wish = null; // {action, binding} that is not saved, since another action has that key
  fill(body, [...rows.values()].map(({ element }) => element));
  keys.addEventListener("change", draw);
  draw();
  return [table, h("div.row", all)];

  function draw() {
    for (const [action, { update }] of rows) update(action);
    all.disabled = !ACTIONS.some(([action]) => isOwn(action));
  }

  function keyRow(action) {
    const name = WORDS[action];
    const shown = h("td");
    const said = h("p.problem.small", { role: "status" });
    const acts = h("td.row.wrap");
    const press = button("Change…", () => listen(), { name: `Change the key of: ${name}` });
    const back = button("Reset", () => reset([action]), { name: `Reset the key of: ${name}` });
    const save = button("Save all the same", () => take(wish.binding), { name: `Save all the same: ${name}` });
    const drop = button("Leave it", () => ((wish = null), draw(), press.focus()), { name: `Leave it: ${name}` });
    fill(acts, press, save, drop, back);
    const element = h("tr", h("th", { scope: "row" }, name, said), shown, acts);

    async function listen() {
      press.textContent = "Press keys…";
      const binding = await record(press, (so) => (press.textContent = so));
      press.textContent = "Change…";
      if (!binding) return;
      wish = null;
      if (!neighbours(action, [binding]).length) return take(binding);
      wish = { action, binding };
      draw();
      save.focus();
    }

    async function take(binding) {
      const hadFocus = acts.contains(document.activeElement);
      wish = null;
      await attempt(() => rebind(action, binding), { done: `${name}: ${shownKey(binding)}.`, failed: "The key stays as it was" });
      draw();
      if (hadFocus) press.focus();
    }

    /** Say what else stands on the keys of this action, or would. */
    function update() {
      const mine = wish?.action === action;
      const bindings = mine ? [wish.binding] : bindingsOf(action);
      const others = neighbours(action, bindings).map((other) => quoted(WORDS[other]));
      const wished = wish && !mine && neighbours(wish.action, [wish.binding]).includes(action);
      if (wished) others.push(quoted(WORDS[wish.action]));
      const verb = mine || wished ? "would be" : "is";
      fill(shown, bindings.map((binding) => [h("kbd", shownKey(binding)), " "]));
      fill(said, others.length ? `Conflict: the same key ${verb} ${others.join(" and ")} too.` : null);
      save.hidden = drop.hidden = !mine;
      press.hidden = mine;
      back.hidden = mine || !isOwn(action);
    }

    return { element, update };
  }

  async function reset(actions) {
    const work = async () => {
      for (const action of actions) await unbind(action);
    };
    await attempt(work, { done: "The keys are as they came.", failed: "Not all keys were reset" });
  }
}
