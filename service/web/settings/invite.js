// The dialog that adds a member.

import { post } from "../core/api.js";
import { SERVICE_URL } from "../core/base-path.js";
import { orgPath, ROLES } from "../core/organization.js";
import { openForm } from "../ui/form.js";
import { showSecret } from "./secret-dialog.js";

/** Ask for a person, add or invite them, and show their credentials; return whether it was done. */
export async function inviteMember() {
  const answer = await openForm({
    title: "Add a person",
    text: "New people get an account and a password. People who already have an account get an invitation code.",
    fields: [
      { name: "email", label: "E-mail", kind: "email", required: true, maxLength: 320 },
      { name: "fullName", label: "Name", maxLength: 500, hint: "For a new account; it can be changed later." },
      {
        name: "role",
        label: "Role",
        kind: "select",
        options: ROLES,
        hint: "Members move cards; architects also change board settings."
      }
    ],
    button: "Add",
    send: ({ fullName, ...rest }) => post(orgPath("/members"), fullName ? { ...rest, fullName } : rest)
  });
  if (answer) await showInvitation(answer);
  return Boolean(answer);
}

/** Show the password of a new account, or the invitation code for an existing one. */
export function showInvitation({ email, invitationCode, initialPassword }) {
  if (invitationCode) {
    const how = `they sign in at ${SERVICE_URL} and join with it within 7 days.`;
    const text = `They already have an account. Send them this code; ${how}`;
    return showSecret({ title: `${email} is invited`, text, label: "Code", secret: invitationCode });
  }
  const text = `Send them this password. They sign in with it at ${SERVICE_URL}.`;
  return showSecret({ title: `${email} has an account now`, text, label: "Password", secret: initialPassword });
}
