// Adding people: a new account with a password, or an invitation with a code, each shown once.

import { post } from "../core/api.js";
import { path } from "../core/organization.js";
import { askFor } from "./form.js";
import { showOnce } from "./once.js";

/** The roles: what the service calls them, and people. */
export const ROLES = [
  ["Member", "Member"],
  ["SolutionArchitect", "Solution Architect"],
];

/** Ask whom to add, and show what they need to come in; give whether somebody was added. */
export async function invite() {
  const answer = await askFor({
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
        hint: "Members move cards; architects design boards too.",
      },
    ],
    button: "Add",
    send: ({ fullName, ...rest }) => post(path("/members"), fullName ? { ...rest, fullName } : rest),
  });
  if (answer) await tellInvited(answer);
  return Boolean(answer);
}

/** Show what the person needs to come in: a password for a new account, a code for one that there is. */
export function tellInvited({ email, invitationCode, initialPassword }) {
  const { origin } = location;
  if (invitationCode) {
    const text = `They have an account already. Hand them this code; signed in at ${origin}, they join with it within 7 days.`;
    return showOnce({ title: `${email} is invited`, text, label: "Code", secret: invitationCode });
  }
  const text = `Hand them this password. They sign in with it at ${origin}.`;
  return showOnce({ title: `${email} has an account now`, text, label: "Password", secret: initialPassword });
}
