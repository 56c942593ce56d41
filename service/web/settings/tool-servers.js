// Tool servers that agents can use.

import { get, patch, post, remove } from "../core/api.js";
import { h } from "../core/dom.js";
import { phrase } from "../core/format.js";
import { markIcon } from "../core/icons.js";
import { lookUp } from "../core/lookup.js";
import { organization } from "../core/organization.js";
import { actionButtonFor, smallButton, switchInput } from "../ui/controls.js";
import { fieldError, nameField, openForm } from "../ui/form.js";
import { drawRows, listRow, listSection } from "../ui/list.js";
import { architectsOnlyNote, createPage } from "../ui/page.js";
import { confirmRemoval, tryRequest } from "../ui/request.js";
import { lostSecretNote, readWithLostSecrets } from "./lost-secrets.js";
import { createSettingsNavigation } from "./navigation.js";

const NO_SERVERS = "No tool servers yet. Agents read this list (list_mcp_servers) and connect to the enabled ones.";
const TRANSPORTS = [
  ["http", "By HTTP, at an address"],
  ["stdio", "As a process that the agent starts"]
];
const VARIABLE = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/;
const serverPath = ({ id }) => `/mcp-servers/${encodeURIComponent(id)}`;

export function show(host) {
  return createPage(host, {
    title: "Tool servers",
    navigation: createSettingsNavigation(),
    read: () => readWithLostSecrets("/mcp-servers"),
    resources: ["toolServer"],
    tools: (_, done) =>
      organization.isArchitect && smallButton("New tool server…", () => newServer().then(done), { kind: "main" }),
    draw: (servers, done) => [
      architectsOnlyNote(),
      listSection(
        "Tool servers",
        drawRows(servers, (server) => renderServerRow(server, done), { remove: (server) => removeServer(server).then(done) }),
        NO_SERVERS
      )
    ]
  });
}

function renderServerRow(server, done) {
  const { id, name, command, url, enabled } = server;
  const actionButton = actionButtonFor(name, done);
  return listRow({
    id,
    idle: !enabled,
    mark: markIcon("parts"),
    title: h("strong", name),
    text: h("span.code", url ?? command),
    below: lostSecretNote(server),
    actions: organization.isArchitect
      ? [
          switchInput("On", enabled, (isOn) => setServerEnabled(server, isOn).finally(done), {
            name: `Agents see ${name}`
          }),
          actionButton("Edit…", () => editServer(server)),
          actionButton("Remove…", () => removeServer(server))
        ]
      : [h("span.muted", enabled ? "on" : "off")]
  });
}

function setServerEnabled(server, enabled) {
  const { name } = server;
  const done = enabled ? phrase`Agents now see ${name}.` : phrase`Agents no longer see ${name}.`;
  return tryRequest(() => patch(serverPath(server), { enabled }), { done, failed: phrase`${name} stays as it was` });
}

/** Return the form fields for a server; `before` is the existing server, if any. */
function serverFields(before) {
  const is = (transport) => (values) => (before ?? values).transport === transport;
  const envHint = before && "Existing values are not shown: NAME= keeps the value, deleting the line removes it.";
  const token = before?.auth?.tokenSet
    ? "A token is set but not shown. Leave empty to keep it."
    : "Empty: none. It is not shown again.";
  return [
    nameField(before?.name),
    ...(before ? [] : [{ name: "transport", label: "How agents reach it", kind: "select", options: TRANSPORTS }]),
    { name: "url", label: "Address", value: before?.url, required: true, maxLength: 2000, when: is("http") },
    { name: "token", label: "Token", kind: "password", maxLength: 20_000, hint: token, when: is("http") },
    { name: "isBare", label: "Delete the token", kind: "switch", when: () => Boolean(before?.auth?.tokenSet) },
    { name: "command", label: "Program", value: before?.command, required: true, maxLength: 2000, when: is("stdio") },
    { name: "args", label: "Arguments, one per line", kind: "lines", rows: 3, value: before?.args, when: is("stdio") },
    {
      name: "env",
      label: "Environment variables, NAME=value, one per line",
      kind: "lines",
      rows: 4,
      hint: envHint ?? "Values are stored encrypted and not shown again.",
      value: Object.keys(before?.env ?? {}).map((name) => `${name}=`),
      secret: true,
      when: is("stdio")
    }
  ];
}

/** Parse lines into variables; one without a value keeps its previous value. */
function parseVariables(lines, before) {
  const found = { __proto__: null };
  for (const line of lines) {
    const [, name, value] = VARIABLE.exec(line) ?? [];
    if (!name) throw fieldError("env", `has a line that is not NAME=value: ${line.slice(0, 40)}`);
    found[name] = value || (lookUp(before, name) ?? "");
  }
  return found;
}

function serverBody({ token, isBare, env, ...values }, before) {
  const auth = token ? { auth: { kind: "bearer", token } } : isBare ? { auth: null } : {};
  return { ...values, ...auth, ...(env ? { env: parseVariables(env, before?.env) } : {}) };
}

function newServer() {
  const send = async (values) => post("/mcp-servers", serverBody(values));
  const item = `tool servers of ${organization.id}`;
  return openForm({ title: "New tool server", item, fields: serverFields(), button: "Create", send });
}

async function editServer(server) {
  const before = await tryRequest(() => get(serverPath(server)), { failed: phrase`${server.name} cannot be shown` });
  if (!before) return null;
  const send = async (values) => patch(serverPath(server), serverBody(values, before));
  return openForm({ title: phrase`Edit ${before.name}`, item: server.id, fields: serverFields(before), button: "Save", send });
}

function removeServer(server) {
  const text = "Agents no longer see it, and its secrets are deleted. To try that first, disable it.";
  return confirmRemoval(server.name, text, () => remove(serverPath(server)));
}
