// What agents and scripts come in with, and which other tools agents are told of.

import { get, now, patch, post, remove } from "../core/api.js";
import { h, mark } from "../core/dom.js";
import { organization, path } from "../core/organization.js";
import { age, moment } from "../core/words.js";
import { askFor, attempt, button, nameField, removal, row, sure, switched, wrong } from "../parts/form.js";
import { newKey, tellKey } from "../parts/once.js";
import { acting, listing, onlyArchitects, plainScreen } from "../parts/plainscreen.js";

const NO_KEYS = "No keys yet. An agent needs one to register; make one for each agent or each team.";
const keyAddress = ({ id }) => `/settings/api-keys/${encodeURIComponent(id)}`;

/** Show the one or the other, as the address says. */
export function show(host, { project }) {
  return project === "keys" ? agentKeys(host) : toolServers(host);
}

function agentKeys(host) {
  return plainScreen(host, {
    title: "Keys",
    isSetting: true,
    read,
    nouns: ["apiKey", "team", "agent"],
    tools: ({ teams }, done) => button("New key…", async () => (await newKey(teams)) && done(), { kind: "main" }),
    draw: ({ keys, teams }, done) => listing("Keys", keys.map((key) => keyRow(key, teams, done)), NO_KEYS)
  });
}

async function read() {
  const [keys, teams] = await Promise.all([get("/settings/api-keys"), get(path("/teams"))]);
  return { keys, teams };
}

function keyRow(key, teams, done) {
  const { id, name, prefix, enabled } = key;
  const act = acting(name, done);
  return row({
    id,
    idle: !enabled,
    mark: mark("key"),
    title: h("strong", name),
    note: h("span.code", `${prefix}…`),
    text: [about(key, teams), " · ", used(key)].flat(),
    actions: [
      switched("On", enabled, (wanted) => turnKey(key, wanted).finally(done), { name: `${name} may be used` }),
      act("Rename…", () => renameKey(key)),
      act("New secret…", () => rotate(key)),
      act("Remove…", () => removeKey(key))
    ]
  });
}

function about({ teamId, agentId, actsAsItself }, teams) {
  const team = teamId && (teams.find(({ id }) => id === teamId)?.name ?? "a team in the archive");
  const words = [agentId && `for the agent ${agentId}`, team && `for the team ${team}`, actsAsItself && "acts as itself"];
  return words.filter(Boolean).join(", ") || "for any agent";
}

function used({ lastUsedAt, expiresAt }) {
  const isOver = expiresAt && Date.parse(expiresAt) <= now();
  const until = expiresAt && ` · ${isOver ? "ran out" : "holds until"} ${moment(expiresAt)}`;
  const holds = until && h("span", { class: isOver ? "problem" : "" }, until);
  return [lastUsedAt ? `used ${age(lastUsedAt, now())}` : "never used", holds];
}

function turnKey(key, enabled) {
  const told = { done: `${key.name} is ${enabled ? "on" : "off"}.`, failed: `${key.name} stays as it was` };
  return attempt(() => patch(keyAddress(key), { enabled }), told);
}

function renameKey(key) {
  const send = (wanted) => patch(keyAddress(key), wanted);
  return askFor({ title: "Rename the key", fields: [nameField(key.name)], button: "Rename", send });
}

async function rotate(key) {
  const text = "The old secret holds no more from that moment on, and you are shown the new one.";
  const asked = { title: `A new secret for ${key.name}?`, text, button: "Make it" };
  const fresh = await sure(asked, () => post(`${keyAddress(key)}/rotate`), { failed: "The old secret goes on" });
  if (fresh) await tellKey(fresh);
}

function removeKey(key) {
  const text = "Whoever uses it is refused from that moment on, and it never comes back. To try that first, switch it off.";
  return removal(key.name, text, () => remove(keyAddress(key)));
}

// Tool servers: what is secret is written here and never shown again.
const NO_SERVERS = "No tool servers yet. Agents ask for this list (list_mcp_servers) and connect to what is switched on.";
const TRANSPORTS = [
  ["http", "By HTTP, at an address"],
  ["stdio", "As a program that the agent starts"]
];
const VARIABLE = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/;
const serverAddress = ({ id }) => `/mcp-servers/${encodeURIComponent(id)}`;

function toolServers(host) {
  return plainScreen(host, {
    title: "Tool servers",
    isSetting: true,
    read: () => get("/mcp-servers"),
    nouns: ["toolServer"],
    tools: (_, done) =>
      organization.isArchitect && button("New tool server…", () => newServer().then(done), { kind: "main" }),
    draw: (servers, done) => [
      onlyArchitects(),
      listing("Tool servers", servers.map((one) => serverRow(one, done)), NO_SERVERS)
    ]
  });
}

function serverRow(server, done) {
  const { id, name, command, url, enabled } = server;
  const act = acting(name, done);
  return row({
    id,
    idle: !enabled,
    mark: mark("parts"),
    title: h("strong", name),
    text: h("span.code", url ?? command),
    actions: organization.isArchitect
      ? [
          switched("On", enabled, (wanted) => turnServer(server, wanted).finally(done), { name: `Agents are told of ${name}` }),
          act("Edit…", () => editServer(server)),
          act("Remove…", () => removeServer(server))
        ]
      : [h("span.muted", enabled ? "on" : "off")]
  });
}

function turnServer(server, enabled) {
  const { name } = server;
  const done = enabled ? `Agents are told of ${name} now.` : `Agents are no longer told of ${name}.`;
  return attempt(() => patch(serverAddress(server), { enabled }), { done, failed: `${name} stays as it was` });
}

/** The serverFields that a server of a transport has; `before` is what is known of one that there is. */
function serverFields(before) {
  const is = (transport) => (values) => (before ?? values).transport === transport;
  const kept =
    before && "What is set is not shown; a name with nothing behind the = keeps its value, a line less removes it.";
  const token = before?.auth?.tokenSet
    ? "One is set and not shown. Left empty it stays."
    : "Left empty: none. It is not shown again.";
  return [
    nameField(before?.name),
    ...(before ? [] : [{ name: "transport", label: "How agents reach it", kind: "select", options: TRANSPORTS }]),
    { name: "url", label: "Address", value: before?.url, required: true, most: 2000, when: is("http") },
    { name: "token", label: "Token", kind: "password", most: 20_000, hint: token, when: is("http") },
    { name: "isBare", label: "Forget the token", kind: "switch", when: () => Boolean(before?.auth?.tokenSet) },
    { name: "command", label: "Program", value: before?.command, required: true, most: 2000, when: is("stdio") },
    { name: "args", label: "Arguments, one a line", kind: "lines", rows: 3, value: before?.args, when: is("stdio") },
    {
      name: "env",
      label: "Environment, NAME=value, one a line",
      kind: "lines",
      rows: 4,
      hint: kept ?? "Values are kept encrypted and not shown again.",
      value: Object.keys(before?.env ?? {}).map((name) => `${name}=`),
      when: is("stdio")
    }
  ];
}

/** Turn lines into variables; one without a value keeps what it had. */
function variables(lines, before) {
  const found = {};
  for (const line of lines) {
    const [, name, value] = VARIABLE.exec(line) ?? [];
    if (!name) throw wrong("env", `has a line that is not NAME=value: ${line.slice(0, 40)}`);
    found[name] = value || (before?.[name] ?? "");
  }
  return found;
}

function serverBody({ token, isBare, env, ...wanted }, before) {
  const auth = token ? { auth: { kind: "bearer", token } } : isBare ? { auth: null } : {};
  return { ...wanted, ...auth, ...(env ? { env: variables(env, before?.env) } : {}) };
}

function newServer() {
  const send = async (wanted) => post("/mcp-servers", serverBody(wanted));
  return askFor({ title: "New tool server", fields: serverFields(), button: "Make it", send });
}

async function editServer(server) {
  const before = await attempt(() => get(serverAddress(server)), { failed: `${server.name} cannot be shown` });
  if (!before) return null;
  const send = async (wanted) => patch(serverAddress(server), serverBody(wanted, before));
  return askFor({ title: `Edit ${before.name}`, fields: serverFields(before), button: "Save", send });
}

function removeServer(server) {
  const text = "Agents are no longer told of it, and its secrets are forgotten for good. To try that first, switch it off.";
  return removal(server.name, text, () => remove(serverAddress(server)));
}
