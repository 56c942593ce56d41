// The dialogs that create an API key and show it.

import { post } from "../core/api.js";
import { phrase } from "../core/format.js";
import { organization, orgPath } from "../core/organization.js";
import { openForm } from "../ui/form.js";
import { showSecret } from "./secret-dialog.js";
import { renderClientSetup } from "./client-setup.js";

/** Ask for the properties of an API key, create it and show it; return it, or null. */
export async function createApiKey(teams) {
  let isWithoutTeam = teams.length === 0; // an agent registers with a team
  const make = async (values) => {
    if (isWithoutTeam && !values.actsAsItself) await post(orgPath("/teams"), { name: "Agents" });
    isWithoutTeam = false;
    return post("/settings/api-keys", values);
  };
  const key = await openForm({
    title: "New API key",
    text: "An agent registers with it and waits for an architect's approval.",
    fields: [
      { name: "name", label: "Name", required: true, maxLength: 500, hint: "Who or what will use it." },
      {
        name: "teamId",
        label: "Team",
        kind: "select",
        options: [["", "Any team"], ...teams.map(({ id, name }) => [id, name])]
      },
      {
        name: "agentId",
        label: "Agent",
        maxLength: 128,
        hint: "Id of the only agent that may use it; empty: any."
      },
      { name: "expiresAt", label: "Expires", kind: "datetime-local", hint: "Empty: never." },
      {
        name: "actsAsItself",
        label: "For a script: works without registration or approval",
        kind: "switch"
      }
    ],
    button: "Create API key",
    send: make
  });
  if (key) await showApiKey(key);
  return key;
}

/** Show an API key once, with the lines that connect a client. */
export function showApiKey({ name, secret, actsAsItself }) {
  return showSecret({
    title: `API key ${name}`,
    text: phrase`It is shown only once. ${organization.title} stores only its hash.`,
    label: "Key",
    secret,
    below: actsAsItself ? null : renderClientSetup(secret)
  });
}
