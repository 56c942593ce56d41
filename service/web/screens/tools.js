// Tool servers: which other tools agents are told of; what is secret is written here and never shown again.

import { get, patch, post, remove } from "../core/api.js";
import { h, icon } from "../core/dom.js";
import { organization } from "../core/organization.js";
import { askFor, attempt, button, row, rows, section, sure, switched } from "../parts/form.js";
import { onlyArchitects, plainScreen, Resource, settingsNav, SHEETS } from "../parts/plainscreen.js";

export { SHEETS };

const EMPTY = "No tool servers yet. Agents ask for this list (list_mcp_servers) and connect to what is switched on.";
const TRANSPORTS = [
  ["http", "By HTTP, at an address"],
  ["stdio", "As a program that the agent starts"],
];
const VARIABLE = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/;
const address = ({ id }) => `/mcp-servers/${encodeURIComponent(id)}`;

export function show(host) {
  const resource = new Resource(() => get("/mcp-servers"), ["toolServer"]);
  const done = () => resource.load();
  return plainScreen(host, {
    title: "Tool servers",
    nav: settingsNav(),
    resource,
    tools: () => organization.isArchitect && button("New tool server…", () => newServer().then(done), { kind: "main" }),
    draw: (servers) => [
      onlyArchitects(),
      section(
        "Tool servers",
        servers.length,
        rows(
          servers.map((one) => serverRow(one, done)),
          EMPTY,
          "Tool servers",
        ),
      ),
    ],
  });
}

function serverRow(server, done) {
  const { id, name, command, url, enabled } = server;
  const act = (words, run) =>
    button(words, () => run(server).then(done), { name: `${words.replace("…", "")} ${name}` });
  return row({
    id,
    idle: !enabled,
    mark: h("span", { class: "mark" }, icon("parts")),
    title: h("strong", null, name),
    text: h("span", { class: "code" }, url ?? command),
    actions: organization.isArchitect
      ? [
          switched("On", enabled, (wanted) => turn(server, wanted, done), { name: `Agents are told of ${name}` }),
          act("Edit…", edit),
          act("Remove…", dismiss),
        ]
      : [h("span", { class: "muted" }, enabled ? "on" : "off")],
  });
}

async function turn(server, enabled, done) {
  const told = {
    done: enabled ? `Agents are told of ${server.name} now.` : `Agents are no longer told of ${server.name}.`,
    failed: `${server.name} stays as it was`,
  };
  const isDone = await attempt(() => patch(address(server), { enabled }), told);
  done();
  return isDone;
}

/** The fields that a server of a transport has; `before` is what is known of one that there is. */
function fields(before) {
  const is = (transport) => (values) => (before ?? values).transport === transport;
  const kept =
    before && "What is set is not shown; a name with nothing behind the = keeps its value, a line less removes it.";
  const token = before?.auth?.tokenSet
    ? "One is set and not shown. Left empty it stays."
    : "Left empty: none. It is not shown again.";
  return [
    { name: "name", label: "Name", value: before?.name, required: true, most: 500 },
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
      when: is("stdio"),
    },
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

function wrong(path, message) {
  return Object.assign(new Error(message), {
    status: 400,
    code: "validation_failed",
    details: { fields: [{ path, message }] },
  });
}

function body({ token, isBare, env, ...wanted }, before) {
  const auth = token ? { auth: { kind: "bearer", token } } : isBare ? { auth: null } : {};
  return { ...wanted, ...auth, ...(env ? { env: variables(env, before?.env) } : {}) };
}

function newServer() {
  const send = async (wanted) => post("/mcp-servers", body(wanted));
  return askFor({ title: "New tool server", fields: fields(), button: "Make it", send });
}

async function edit(server) {
  const before = await attempt(() => get(address(server)), { failed: `${server.name} cannot be shown` });
  if (!before) return null;
  const send = async (wanted) => patch(address(server), body(wanted, before));
  return askFor({ title: `Edit ${before.name}`, fields: fields(before), button: "Save", send });
}

function dismiss(server) {
  const text = "Agents are no longer told of it, and its secrets are forgotten for good. To try that first, switch it off.";
  const told = { done: `${server.name} is removed.`, failed: `${server.name} was not removed` };
  return sure({ title: `Remove ${server.name}?`, text, button: "Remove" }, () => remove(address(server)), told);
}
