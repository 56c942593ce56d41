// The dialog that adds a member.

import { post } from "../core/api.js";
import { orgPath, ROLES } from "../core/organization.js";
import { openForm } from "../ui/form.js";
import { showSecret } from "../ui/secret-dialog.js";

/** Ask whom to add, and show what they need to come in; give whether somebody was added. */
export async function inviteMember() {
  const answer = await openForm({
    title: "Add a person",
    text: "Whoever is new here gets an account with a password. Whoever has an account is invited, and joins with a code.",
    fields: [
      { name: "email", label: "E-mail", kind: "email", required: true, most: 320 },
      { name: "fullName", label: "Name", most: 500, hint: "For a new account; people can change theirs." },
      {
        name: "role",
        label: "Role",
        kind: "select",
        options: ROLES,
        hint: "Members move cards; architects design boards too."
      }
    ],
    button: "Add",
    send: ({ fullName, ...rest }) => post(orgPath("/members"), fullName ? { ...rest, fullName } : rest)
  });
  if (answer) await showInvitation(answer);
  return Boolean(answer);
}

/** Show what the person needs to come in: a password for a new account, a code for one that there is. */
export function showInvitation({ email, invitationCode, initialPassword }) {
  const { origin } = location;
  if (invitationCode) {
    const text = `They have an account already. Hand them this code; signed in at ${origin}, they join with it within 7 days.`;
    return showSecret({ title: `${email} is invited`, text, label: "Code", secret: invitationCode });
  }
  const text = `Hand them this password. They sign in with it at ${origin}.`;
  return showSecret({ title: `${email} has an account now`, text, label: "Password", secret: initialPassword });
}
