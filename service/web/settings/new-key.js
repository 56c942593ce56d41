// The dialogs that create an API key and show it.

import { post } from "../core/api.js";
import { organization, orgPath } from "../core/organization.js";
import { openForm } from "../ui/form.js";
import { showSecret } from "../ui/secret-dialog.js";
import { renderClientSetup } from "./client-setup.js";

/** Ask for what a key needs, make it and show it; give it, or null. */
export async function createApiKey(teams) {
  let isHomeless = teams.length === 0; // an agent registers with a team
  const make = async (wanted) => {
    if (isHomeless && !wanted.actsAsItself) await post(orgPath("/teams"), { name: "Agents" });
    isHomeless = false;
    return post("/settings/api-keys", wanted);
  };
  const key = await openForm({
    title: "New key",
    text: "An agent registers with it and waits until an architect approves it.",
    fields: [
      { name: "name", label: "Name", required: true, most: 500, hint: "Who or what uses it." },
      {
        name: "teamId",
        label: "Team",
        kind: "select",
        options: [["", "Any team"], ...teams.map(({ id, name }) => [id, name])]
      },
      {
        name: "agentId",
        label: "Agent",
        most: 128,
        hint: "The id of the only agent that may use it; left empty: any."
      },
      { name: "expiresAt", label: "Holds until", kind: "datetime-local", hint: "Left empty: until you remove it." },
      {
        name: "actsAsItself",
        label: "For a script: works without registering, and without anybody's approval",
        kind: "switch"
      }
    ],
    button: "Make the key",
    send: make
  });
  if (key) await showApiKey(key);
  return key;
}

/** Show a key, with the lines that connect a client with it. */
export function showApiKey({ name, secret, actsAsItself }) {
  return showSecret({
    title: `The key ${name}`,
    text: `It is shown now and never again. ${organization.title} knows its fingerprint only.`,
    label: "Key",
    secret,
    below: actsAsItself ? null : renderClientSetup(secret)
  });
}
