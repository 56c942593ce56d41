// Ready-made lines for the clients of agents: what connects each of them to this service with a key.

import { h } from "../core/dom.js";
import { copiedLines } from "./once.js";

const NAME = "tandem";

/** The clients: what `run.py connect` calls them, their names. */
const CLIENTS = [
  ["claude", "Claude Code"],
  ["cursor", "Cursor"],
  ["vscode", "VS Code"],
  ["codex", "Codex"],
];
const PROGRAM = "program";
const HTTP = "http";

/** Draw the lines that connect a client with this key; which client is chosen there. */
export function clientLines(secret) {
  const select = h("select", { class: "input" });
  for (const [value, words] of CLIENTS) select.append(h("option", { value }, words));
  select.append(h("option", { value: PROGRAM }, "Another client that starts a program"));
  select.append(h("option", { value: HTTP }, "Another client that speaks HTTP"));
  const lines = copiedLines("Client lines", text(select.value, secret));
  const about = h("p", { class: "small muted" }, hint(select.value));
  select.addEventListener("change", () => {
    lines.write(text(select.value, secret));
    about.textContent = hint(select.value);
  });
  const chosen = h("label", { class: "labelled" }, h("span", null, "The agent's client"), select);
  return h("div", { class: "clients" }, chosen, lines.element, about);
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
