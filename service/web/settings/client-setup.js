// The commands and settings that connect an agent's client, ready to copy.

import { SERVICE_URL } from "../core/base-path.js";
import { h, labelField, setText } from "../core/dom.js";
import { selectInput } from "../ui/controls.js";
import { copyBlock } from "../ui/copy.js";

const SERVER_NAME = "tandem";
const PROGRAM = "program";
const HTTP = "http";

/** The clients: their ids for `tandem connect`, and their names. */
const CLIENTS = [
  ["claude", "Claude Code"],
  ["cursor", "Cursor"],
  ["vscode", "VS Code"],
  ["codex", "Codex"],
  [PROGRAM, "Another client that starts processes"],
  [HTTP, "Another HTTP client"]
];

/** Render a select of clients and the lines that connect the chosen one with an API key. */
export function renderClientSetup(secret) {
  const [[first]] = CLIENTS;
  const lines = copyBlock("Client lines", setupText(first, secret));
  const about = h("p.small.muted", setupHint(first));
  const choose = (client) => (lines.write(setupText(client, secret)), setText(about, setupHint(client)));
  const select = selectInput(null, CLIENTS, first, choose, { class: "input" });
  const chosen = labelField("The agent's client", select);
  return h("div.clients", chosen, lines.element, about);
}

function setupText(client, secret) {
  const env = { SERVICE_API_URL: SERVICE_URL, SERVICE_API_KEY: secret };
  const whole = (entry) => JSON.stringify({ mcpServers: { [SERVER_NAME]: entry } }, null, 2);
  if (client === PROGRAM) return whole({ command: "tandem", args: ["mcp"], env });
  if (client === HTTP) return whole({ type: "http", url: `${SERVICE_URL}/mcp`, headers: { Authorization: `ApiKey ${secret}` } });
  return `SERVICE_API_URL=${SERVICE_URL} SERVICE_API_KEY=${secret} tandem connect ${client}`;
}

function setupHint(client) {
  if (client === PROGRAM) return "Use the full path of tandem on the agent's machine.";
  if (client === HTTP) return "The agent calls the tool register first; then you approve it.";
  return "In the folder of the project: it registers the agent, waits until you approve it, and writes the configuration.";
}
