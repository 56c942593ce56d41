// API keys.

import { get, patch, post, remove } from "../core/api.js";
import { serverNow } from "../core/clock.js";
import { h } from "../core/dom.js";
import { formatAge, formatDateTime, phrase } from "../core/format.js";
import { markIcon } from "../core/icons.js";
import { orgPath } from "../core/organization.js";
import { actionButtonFor, smallButton, switchInput } from "../ui/controls.js";
import { nameField, openForm } from "../ui/form.js";
import { drawRows, listRow, listSection } from "../ui/list.js";
import { createPage } from "../ui/page.js";
import { confirmRemoval, confirmRequest, tryRequest } from "../ui/request.js";
import { createApiKey, showApiKey } from "./new-key.js";
import { createSettingsNavigation } from "./navigation.js";

const NO_KEYS = "No API keys yet. An agent needs one to register; create one per agent or team.";
const keyPath = ({ id }) => `/settings/api-keys/${encodeURIComponent(id)}`;

export function show(host) {
  return createPage(host, {
    title: "API keys",
    navigation: createSettingsNavigation(),
    read: loadKeys,
    resources: ["apiKey", "team", "agent"],
    tools: ({ teams }, done) => smallButton("New API key…", async () => (await createApiKey(teams)) && done(), { kind: "main" }),
    draw: ({ keys, teams }, done) =>
      listSection(
        "API keys",
        drawRows(keys, (key) => renderKeyRow(key, teams, done), { remove: (key) => removeKey(key).then(done) }),
        NO_KEYS
      )
  });
}

async function loadKeys() {
  const [keys, teams] = await Promise.all([get("/settings/api-keys"), get(orgPath("/teams"))]);
  return { keys, teams };
}

function renderKeyRow(key, teams, done) {
  const { id, name, prefix, enabled } = key;
  const actionButton = actionButtonFor(name, done);
  return listRow({
    id,
    idle: !enabled,
    mark: markIcon("key"),
    title: h("strong", name),
    note: h("span.code", `${prefix}…`),
    text: [scopeText(key, teams), " · ", usageText(key)].flat(),
    actions: [
      switchInput("On", enabled, (isOn) => setKeyEnabled(key, isOn).finally(done), { name: `${name} may be used` }),
      actionButton("Rename…", () => renameKey(key)),
      actionButton("New secret…", () => rotateSecret(key)),
      actionButton("Remove…", () => removeKey(key))
    ]
  });
}

function scopeText({ teamId, agentId, actsAsItself }, teams) {
  const team = teamId && (teams.find(({ id }) => id === teamId)?.name ?? "a team in the archive");
  const words = [agentId && `for the agent ${agentId}`, team && `for the team ${team}`, actsAsItself && "acts as itself"];
  return words.filter(Boolean).join(", ") || "for any agent";
}

function usageText({ lastUsedAt, expiresAt }) {
  const isOver = expiresAt && Date.parse(expiresAt) <= serverNow();
  const until = expiresAt && ` · ${isOver ? "ran out" : "holds until"} ${formatDateTime(expiresAt)}`;
  const holds = until && h("span", { class: isOver ? "problem" : "" }, until);
  return [lastUsedAt ? `used ${formatAge(lastUsedAt, serverNow())}` : "never used", holds];
}

function setKeyEnabled(key, enabled) {
  const messages = { done: phrase`${key.name} is ${enabled ? "on" : "off"}.`, failed: phrase`${key.name} stays as it was` };
  return tryRequest(() => patch(keyPath(key), { enabled }), messages);
}

function renameKey(key) {
  const send = (values) => patch(keyPath(key), values);
  return openForm({ title: "Rename API key", fields: [nameField(key.name)], button: "Rename", send });
}

async function rotateSecret(key) {
  const text = "The old secret stops working at once, and the new one is shown.";
  const confirmation = { title: phrase`A new secret for ${key.name}?`, text, button: "Create" };
  const rotate = () => post(`${keyPath(key)}/rotate`);
  const rotated = await confirmRequest(confirmation, rotate, { failed: "The old secret keeps working" });
  if (rotated) await showApiKey(rotated);
}

function removeKey(key) {
  const text = "Requests with it are denied at once, and it cannot be restored. To try that first, disable it.";
  return confirmRemoval(key.name, text, () => remove(keyPath(key)));
}
