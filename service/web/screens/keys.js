// Keys: with which agents and scripts come in; each is shown once, when it is made.

import { get, now, patch, post, remove } from "../core/api.js";
import { h, icon } from "../core/dom.js";
import { organization, path } from "../core/organization.js";
import { Resource } from "../core/resource.js";
import { age, moment } from "../core/words.js";
import { clientLines } from "../parts/clients.js";
import { askFor } from "../parts/form.js";
import { showOnce } from "../parts/once.js";
import { plainScreen, SHEETS } from "../parts/plainscreen.js";
import { attempt, button, row, rows, section, sure, switched } from "../parts/rows.js";
import { settingsNav } from "../parts/settingsnav.js";

export { SHEETS };

const EMPTY = "No keys yet. An agent needs one to register; make one for each agent or each team.";

export function show(host) {
  const resource = new Resource(read, ["apiKey", "team", "agent"]);
  const make = async () => (await newKey(resource.value.teams)) && resource.load();
  return plainScreen(host, {
    title: "Keys",
    nav: settingsNav(),
    resource,
    tools: () => button("New key…", make, { kind: "main" }),
    draw: ({ keys, teams }) => section("Keys", keys.length, rows(keys.map((key) => keyRow(key, teams, resource)), EMPTY, "Keys")),
  });
}

async function read() {
  const [keys, teams] = await Promise.all([get("/settings/api-keys"), get(path("/teams"))]);
  return { keys, teams };
}

function keyRow(key, teams, resource) {
  const { id, name, prefix, enabled } = key;
  const act = (words, run) => button(words, run, { name: `${words.replace("…", "")} ${name}` });
  return row({
    id,
    idle: !enabled,
    mark: h("span", { class: "mark" }, icon("key")),
    title: h("strong", null, name),
    note: h("span", { class: "code" }, `${prefix}…`),
    text: [about(key, teams), " · ", used(key)].flat(),
    actions: [
      switched("On", enabled, (wanted) => turn(key, wanted, resource), { name: `${name} may be used` }),
      act("Rename…", () => rename(key, resource)),
      act("New secret…", () => rotate(key, resource)),
      act("Remove…", () => dismiss(key, resource)),
    ],
  });
}

function about({ teamId, agentId, actsAsItself }, teams) {
  const team = teamId && (teams.find(({ id }) => id === teamId)?.name ?? "a team in the archive");
  const words = [agentId && `for the agent ${agentId}`, team && `for the team ${team}`, actsAsItself && "acts as itself"];
  return words.some(Boolean) ? words.filter(Boolean).join(", ") : "for any agent";
}

function used({ lastUsedAt, expiresAt }) {
  const isOver = expiresAt && Date.parse(expiresAt) <= now();
  const until = expiresAt && ` · ${isOver ? "ran out" : "holds until"} ${moment(expiresAt)}`;
  const holds = until && h("span", { class: isOver ? "problem" : "" }, until);
  return [lastUsedAt ? `used ${age(lastUsedAt, now())}` : "never used", holds];
}

const address = ({ id }) => `/settings/api-keys/${encodeURIComponent(id)}`;

async function turn(key, enabled, resource) {
  const told = { done: `${key.name} is ${enabled ? "on" : "off"}.`, failed: `${key.name} stays as it was` };
  const isDone = await attempt(() => patch(address(key), { enabled }), told);
  resource.load();
  return isDone;
}

async function rename(key, resource) {
  const fields = [{ name: "name", label: "Name", value: key.name, required: true, most: 500 }];
  await askFor({ title: "Rename the key", fields, button: "Rename", send: (wanted) => patch(address(key), wanted) });
  resource.load();
}

async function rotate(key, resource) {
  const text = "The old secret holds no more from that moment on, and you are shown the new one.";
  const asked = { title: `A new secret for ${key.name}?`, text, button: "Make it" };
  const fresh = await sure(asked, () => post(`${address(key)}/rotate`), { failed: "The old secret goes on" });
  if (fresh) await tell(fresh);
  resource.load();
}

async function dismiss(key, resource) {
  const text = "Whoever uses it is refused from that moment on. To try that first, switch it off.";
  const told = { done: `${key.name} is removed.`, failed: `${key.name} was not removed` };
  await sure({ title: `Remove ${key.name}?`, text, button: "Remove" }, () => remove(address(key)), told);
  resource.load();
}

/** Ask for what a key needs, make it and show it; give it, or null. */
async function newKey(teams) {
  const key = await askFor({
    title: "New key",
    text: "An agent registers with it and waits until an architect approves it.",
    fields: [
      { name: "name", label: "Name", required: true, most: 500, hint: "Who or what uses it." },
      { name: "teamId", label: "Team", kind: "select", options: [["", "Any team"], ...teams.map(({ id, name }) => [id, name])] },
      { name: "agentId", label: "Agent", most: 128, hint: "The id of the only agent that may use it; left empty: any." },
      { name: "expiresAt", label: "Holds until", kind: "datetime-local", hint: "Left empty: until you remove it." },
      {
        name: "actsAsItself",
        label: "For a script: works without registering, and without anybody's approval",
        kind: "switch",
      },
    ],
    button: "Make the key",
    send: (wanted) => post("/settings/api-keys", wanted),
  });
  if (key) await tell(key);
  return key;
}

function tell({ name, secret, actsAsItself }) {
  return showOnce({
    title: `The key ${name}`,
    text: `It is shown now and never again. ${organization.title} knows its fingerprint only.`,
    label: "Key",
    secret,
    below: actsAsItself ? null : clientLines(secret),
  });
}
