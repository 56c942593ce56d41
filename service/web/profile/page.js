// The settings of the signed-in user.

import { get, patch, post, replaceSession } from "../core/api.js";
import { h, setText } from "../core/dom.js";
import { drawPart } from "../core/guard.js";
import { organization, ROLE_NAMES, setTheme, THEMES } from "../core/organization.js";
import { smallButton } from "../ui/controls.js";
import { createFields, fieldError } from "../ui/form.js";
import { drawRows, listRow, renderList, renderSection } from "../ui/list.js";
import { createPage } from "../ui/page.js";
import { tryRequest } from "../ui/request.js";
import { switchOrganization } from "../ui/switch-organization.js";
import { timeZoneField } from "../ui/inputs/time-zone.js";
import { announce } from "../ui/toast.js";
import { renderSessions } from "./sessions.js";
import { createShortcutTable } from "./shortcuts.js";

/** @import { Field } from "../ui/form.js" */

const PASSWORD_BYTES_MAX = 72;

export function show(host) {
  const keyboard = createShortcutTable();
  return createPage(host, {
    title: "You",
    read: () => Promise.all([get("/auth/me"), get("/settings/sessions")]),
    resources: ["member"],
    kind: "own",
    draw: ([me, sessions], done) => [
      renderSection(
        "Profile",
        null,
        drawPart("Your profile", () => renderProfile(me, done))
      ),
      renderSection("Theme", null, renderTheme(me)),
      renderSection("Password", null, renderPassword(me)),
      renderSection("Organizations", me.organizations.length, [
        drawPart("Your organizations", () => renderOrganizations(me)),
        renderJoinForm()
      ]),
      renderSection(
        "Sessions",
        sessions.length,
        drawPart("Your sessions", () => renderSessions(sessions, done))
      ),
      renderSection("Keyboard shortcuts", null, keyboard)
    ]
  });
}

function renderProfile(me, done) {
  return renderInlineForm({
    label: "Profile",
    text: `You sign in as ${me.email}.`,
    fields: [
      { name: "fullName", label: "Name", value: me.fullName, required: true, maxLength: 500 },
      {
        name: "handle",
        label: "Handle",
        value: me.handle,
        required: true,
        maxLength: 31,
        hint: `Others mention you as @${me.handle}. 2 to 31 of a–z, 0–9 and hyphens.`
      },
      timeZoneField(me.timezone, "Days in reports start at midnight in your time zone.")
    ],
    button: "Save",
    done: "Saved.",
    send: async (values) => {
      const { fullName, handle, timezone } = await patch("/settings/profile", values);
      Object.assign(organization.me, { fullName, handle, timezone });
      organization.dispatchEvent(new Event("change"));
      done();
    }
  });
}

function renderTheme(me) {
  const choice = ([value, label]) => {
    const input = h("input", { type: "radio", name: "theme", value, change: () => chooseTheme(value) });
    input.checked = me.theme === value;
    return h("label.row", input, label);
  };
  return h("fieldset.themes.row.wrap", h("legend.visually-hidden", "Theme"), THEMES.map(choice));
}

function chooseTheme(value) {
  return tryRequest(() => setTheme(value), {
    done: "The theme applies on all your devices.",
    failed: "The theme is saved in this browser only"
  });
}

function renderPassword({ email }) {
  const secret = (name, label, hint) => ({
    name,
    label,
    kind: "password",
    required: true,
    maxLength: PASSWORD_BYTES_MAX,
    hint
  });
  const send = async ({ currentPassword, newPassword, again }) => {
    if (newPassword !== again) throw fieldError("again", "does not match");
    await post("/settings/password", { currentPassword, newPassword });
    await replaceSession(post("/auth/login", { email, password: newPassword })); // the change has ended all sessions
  };
  return renderInlineForm({
    label: "Password",
    text: "Other devices will have to sign in with the new password.",
    fields: [
      secret("currentPassword", "Current password"),
      secret("newPassword", "New password", "8 characters or more."),
      secret("again", "New password (repeat)")
    ],
    button: "Change the password",
    done: "Your password was changed.",
    send
  });
}

function renderOrganizations({ organizations }) {
  const organizationRow = ({ id, title, role }) =>
    listRow({
      id,
      title: h("strong", title),
      note: ROLE_NAMES.get(role),
      text: id === organization.id && "you are here",
      actions: id !== organization.id && [smallButton("Open", () => switchOrganization(id), { name: `Go to ${title}` })]
    });
  return renderList(drawRows(organizations, organizationRow), "You do not belong to an organization.", "Organizations");
}

function renderJoinForm() {
  const code = {
    name: "code",
    label: "Code of an invitation",
    required: true,
    maxLength: 200,
    hint: "You get it from an architect."
  };
  return renderInlineForm({
    label: "Join an organization",
    fields: [code],
    button: "Join",
    done: "You joined the organization.",
    send: async (values) => switchOrganization((await post("/auth/invitations/accept", values)).orgId)
  });
}

/**
 * Render a form inside a page; `done` is announced after `send` succeeds.
 * @param {{label: string, text?: string, fields: Field[], button: string, send: (values: any) => Promise<unknown>,
 *   done: string}} form
 */
function renderInlineForm({ label, text, fields, button, send, done }) {
  const status = h("p.small.muted", { role: "status" });
  const work = async (values) => {
    await send(values);
    for (const { input } of inputs) if (input.type === "password") input.value = "";
    for (const { input } of inputs) if (input instanceof HTMLInputElement) input.defaultValue = input.value;
    setText(status, done);
    announce(done);
  };
  const { inputs, elements, problem, submit, handleSubmit } = createFields(fields, button, work);
  const about = text && h("p.small.muted", text);
  const row = h("div.row", submit, status);
  const attrs = { class: "inline", novalidate: true, "aria-label": label };
  return h("form", { ...attrs, submit: (event) => (setText(status, ""), handleSubmit(event)) }, about, elements, problem, row);
}
