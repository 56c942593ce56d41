// What is one's own: name, time zone, theme, password, organizations, signing out everywhere.

import { forget, get, keep, patch, post } from "../core/api.js";
import { h, say } from "../core/dom.js";
import { chooseTheme, organization } from "../core/organization.js";
import { attempt, button, formField, row, rows, section, sentence, sure } from "../parts/form.js";
import { ownKeys, switchTo } from "../parts/me.js";
import { announce } from "../parts/float.js";
import { plainScreen, Resource, SHEETS } from "../parts/plainscreen.js";

export { SHEETS };

const ROLES = { SolutionArchitect: "Solution Architect", Member: "Member" };
const THEMES = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
];
const PASSWORD_BYTES_MAX = 72;

export function show(host) {
  const resource = new Resource(() => get("/auth/me"), ["member"]);
  const keys = ownKeys();
  return plainScreen(host, {
    title: "You",
    resource,
    kind: "own",
    draw: (me) => [
      section("Profile", null, profile(me, resource)),
      section("Theme", null, theme(me)),
      section("Password", null, password(me)),
      section("Organizations", me.organizations.length, [seats(me), join()]),
      section("Keys of the keyboard", null, keys),
      section("Sign out", null, signOut()),
    ],
  });
}

function profile(me, resource) {
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
        hint: "Days of figures begin at your midnight.",
      },
    ],
    button: "Save",
    done: "Saved.",
    send: async (wanted) => {
      const answer = await patch("/settings/profile", wanted);
      Object.assign(organization.me, { fullName: answer.fullName, timezone: answer.timezone });
      organization.dispatchEvent(new Event("change"));
      resource.load();
    },
  });
}

function theme(me) {
  const choice = ([value, words]) => {
    const input = h("input", { type: "radio", name: "theme", value, on: { change: () => wear(value) } });
    input.checked = me.theme === value;
    return h("label", { class: "row" }, input, words);
  };
  return h("fieldset", { class: "choices row wrap" }, h("legend", { class: "unseen" }, "Theme"), THEMES.map(choice));
}

function wear(value) {
  return attempt(() => chooseTheme(value), {
    done: "The theme is yours everywhere.",
    failed: "The theme is kept in this browser only",
  });
}

function password({ email }) {
  const secret = (name, label, hint) => ({
    name,
    label,
    kind: "password",
    required: true,
    most: PASSWORD_BYTES_MAX,
    hint,
  });
  const send = async ({ currentPassword, newPassword, again }, form) => {
    if (newPassword !== again) throw differs(form);
    await post("/settings/password", { currentPassword, newPassword });
    keep(await post("/auth/login", { email, password: newPassword })); // all earlier tokens have ended, this one's too
  };
  return inlineForm({
    label: "Password",
    text: "Wherever else you are signed in, you are asked for the new one.",
    fields: [
      secret("currentPassword", "Current password"),
      secret("newPassword", "New password", "8 characters or more."),
      secret("again", "The new one again"),
    ],
    button: "Change the password",
    done: "Your password is changed.",
    send,
  });
}

function differs() {
  const message = "is not the same";
  return Object.assign(new Error(message), {
    status: 400,
    code: "validation_failed",
    details: { fields: [{ path: "again", message }] },
  });
}

function seats({ organizations }) {
  const one = ({ id, title, role }) =>
    row({
      id,
      title: h("strong", null, title),
      note: ROLES[role],
      text: id === organization.id && "you are here",
      actions: id !== organization.id && [button("Go there", () => switchTo(id), { name: `Go to ${title}` })],
    });
  return rows(organizations.map(one), "You belong to none.", "Organizations");
}

function join() {
  return inlineForm({
    label: "Join an organization",
    fields: [
      {
        name: "code",
        label: "Code of an invitation",
        required: true,
        most: 200,
        hint: "An architect hands it to you.",
      },
    ],
    button: "Join",
    done: "You belong to it now.",
    send: async (wanted) => switchTo((await post("/auth/invitations/accept", wanted)).orgId),
  });
}

function signOut() {
  const here = () => (forget(), location.assign("/"));
  const everywhere = async () => {
    const asked = {
      title: "Sign out everywhere?",
      text: "On all devices and in all browsers you are asked to sign in again.",
      button: "Sign out everywhere",
    };
    if (await sure(asked, () => post("/auth/logout"), { failed: "You are still signed in" })) here();
  };
  return h("div", { class: "row wrap" }, button("Sign out here", here), button("Sign out everywhere…", everywhere));
}

// Forms that stand in a screen: what is refused is said beside its field, what is saved is said.
/** Draw a form of `fields` that `send` takes; `done` is what is said when it has. */
function inlineForm({ label, text, fields, button, send, done }) {
  const made = fields.map(formField);
  const problem = h("p", { class: "problem", role: "alert" });
  const said = h("p", { class: "small muted", role: "status" });
  const submit = h("button", { class: "button main", type: "submit" }, button);
  const form = h(
    "form",
    { class: "inline", novalidate: true, "aria-label": label },
    text && h("p", { class: "small muted" }, text),
    made.map(({ element }) => element),
    problem,
    h("div", { class: "row" }, submit, said),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    for (const place of [problem, said]) say(place, "");
    const wrong = made.filter(({ check }) => !check());
    if (wrong.length) return wrong[0].focus();
    submit.disabled = true;
    try {
      await send(Object.fromEntries(made.map(({ name, value }) => [name, value()])), form);
      for (const { input } of made) if (input.type === "password") input.value = "";
      for (const { input } of made) input.defaultValue = input.value;
      say(said, done);
      announce(done);
    } catch (error) {
      if (!("status" in error)) throw error;
      tell(error);
    } finally {
      submit.disabled = false;
    }
  });

  function tell(error) {
    const told = (error.details?.fields ?? []).filter(
      ({ path, message }) => made.find(({ name }) => name === path)?.refuse(message) ?? true,
    );
    const known = told.filter(({ path }) => made.some(({ name }) => name === path));
    if (known.length) made.find(({ isRefused }) => isRefused())?.focus();
    else say(problem, sentence(error));
  }

  return form;
}
