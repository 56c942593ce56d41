// Keys: with which agents and scripts come in; each is shown once, when it is made.

import { get, now, patch, post, remove } from "../core/api.js";
import { h, icon } from "../core/dom.js";
import { path } from "../core/organization.js";
import { age, moment } from "../core/words.js";
import { askFor, attempt, button, row, rows, section, sure, switched } from "../parts/form.js";
import { newKey, tellKey } from "../parts/once.js";
import { plainScreen, Resource, settingsNav, SHEETS } from "../parts/plainscreen.js";

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
  if (fresh) await tellKey(fresh);
  resource.load();
}

async function dismiss(key, resource) {
  const text = "Whoever uses it is refused from that moment on, and it never comes back. To try that first, switch it off.";
  const told = { done: `${key.name} is removed.`, failed: `${key.name} was not removed` };
  await sure({ title: `Remove ${key.name}?`, text, button: "Remove" }, () => remove(address(key)), told);
  resource.load();
}
