// What is shown once and never again: a key, a code, a password, with all that one has to hand on.

import { post } from "../core/api.js";
import { h, labelled, say } from "../core/dom.js";
import { organization, path } from "../core/organization.js";
import { announce, openDialog } from "./float.js";
import { askFor, choice } from "./form.js";

/** Show a secret with Copy and, below it, lines that are ready to be used; it stays until the person says that they have it. */
export function showOnce({ title, text, label, secret, below = null }) {
  return new Promise((resolve) => {
    const hint = h("p.problem.small", { role: "alert" });
    let isDone = false;
    const done = h("button.button.main", { click: () => ((isDone = true), opened.close()) });
    done.append("I have it");
    const content = h(
      "div.once",
      h("h2", title),
      h("p", text),
      copied(label, secret),
      below,
      hint,
      h("div.row", done)
    );
    const leave = () => isDone || (say(hint, "It is shown only now. Copy it, then press “I have it”."), false);
    const opened = openDialog({ label: title, className: "ask broad", content, leave, closed: () => void resolve() });
    content.querySelector("input").select();
  });
}

/** Draw a line that can be copied. */
export function copied(label, value) {
  const field = h("input.input.code", { readonly: true, "aria-label": label, spellcheck: "false" });
  field.value = value;
  field.addEventListener("focus", () => field.select());
  const line = h("div.row", field, copyButton(label, () => value, field));
  return h("div.labelled", h("span", label), line);
}

/** Draw lines that can be copied; `write(text)` changes them. */
function copiedLines(label, value) {
  const block = h("pre.lines", { tabindex: "0", role: "region", "aria-label": label }, value);
  const button = copyButton(label, () => block.textContent, block);
  const head = h("div.row", h("span.small", label), button);
  return { element: h("div.labelled", head, block), write: (text) => say(block, text) };
}

function copyButton(label, value, place) {
  const button = h("button.button.small", { "aria-label": `Copy: ${label}` }, "Copy");
  button.addEventListener("click", async () => {
    const isCopied = await copy(value(), place);
    say(button, isCopied ? "Copied" : "Press Ctrl+C");
    announce(isCopied ? "Copied." : "It is selected; copy it with the keyboard.");
  });
  return button;
}

/** Copy a text; where the browser does not let a page do that, select it. */
async function copy(text, place) {
  try {
    await navigator.clipboard.writeText(text); // there only over https and on this machine
    return true;
  } catch {
    if (place.select) place.select();
    else getSelection().selectAllChildren(place);
    return false;
  }
}

// Making a key for an agent or a script, and showing it once.
/** Ask for what a key needs, make it and show it; give it, or null. */
export async function newKey(teams) {
  let isHomeless = teams.length === 0; // an agent registers with a team
  const make = async (wanted) => {
    if (isHomeless && !wanted.actsAsItself) await post(path("/teams"), { name: "Agents" });
    isHomeless = false;
    return post("/settings/api-keys", wanted);
  };
  const key = await askFor({
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
  if (key) await tellKey(key);
  return key;
}

/** Show a key, with the lines that connect a client with it. */
export function tellKey({ name, secret, actsAsItself }) {
  return showOnce({
    title: `The key ${name}`,
    text: `It is shown now and never again. ${organization.title} knows its fingerprint only.`,
    label: "Key",
    secret,
    below: actsAsItself ? null : clientLines(secret)
  });
}

// Adding people: a new account with a password, or an invitation with a code, each shown once.
/** The roles: what the service calls them, and people. */
export const ROLES = [
  ["Member", "Member"],
  ["SolutionArchitect", "Solution Architect"]
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
        hint: "Members move cards; architects design boards too."
      }
    ],
    button: "Add",
    send: ({ fullName, ...rest }) => post(path("/members"), fullName ? { ...rest, fullName } : rest)
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

// Ready-made lines for the clients of agents: what connects each of them to this service with a key.
const NAME = "tandem";
const PROGRAM = "program";
const HTTP = "http";

/** The clients: what `run.py connect` calls them, their names. */
const CLIENTS = [
  ["claude", "Claude Code"],
  ["cursor", "Cursor"],
  ["vscode", "VS Code"],
  ["codex", "Codex"],
  [PROGRAM, "Another client that starts a program"],
  [HTTP, "Another client that speaks HTTP"]
];

/** Draw the lines that connect a client with this key; which client is chosen there. */
function clientLines(secret) {
  const [[first]] = CLIENTS;
  const lines = copiedLines("Client lines", text(first, secret));
  const about = h("p.small.muted", hint(first));
  const choose = (client) => (lines.write(text(client, secret)), say(about, hint(client)));
  const select = choice(null, CLIENTS, first, choose, { class: "input" });
  const chosen = labelled("The agent's client", select);
  return h("div.clients", chosen, lines.element, about);
}

function text(client, secret) {
  const { origin } = location;
  const env = { SERVICE_API_URL: origin, SERVICE_API_KEY: secret };
  const whole = (entry) => JSON.stringify({ mcpServers: { [NAME]: entry } }, null, 2);
  if (client === PROGRAM) return whole({ command: "python", args: ["run.py", "mcp"], env });
  if (client === HTTP) return whole({ type: "http", url: `${origin}/mcp`, headers: { Authorization: `ApiKey ${secret}` } });
  return `SERVICE_API_URL=${origin} SERVICE_API_KEY=${secret} python run.py connect ${client}`;
}

function hint(client) {
  if (client === PROGRAM) return "Name the whole path of python and run.py on the machine of the agent.";
  if (client === HTTP) return "The agent calls the tool register first; then you approve it.";
  return "In the folder of the project: it registers the agent, waits until you approve it, and writes the configuration.";
}
