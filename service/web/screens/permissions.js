// Permissions: what each role may do, as a matrix; what the service grants to architects alone is not in it.

import { get, patch } from "../core/api.js";
import { h } from "../core/dom.js";
import { organization } from "../core/organization.js";
import { onlyArchitects, plainScreen, Resource, settingsNav, SHEETS as PLAIN } from "../parts/plainscreen.js";
import { section } from "../parts/form.js";
import { change, former } from "../parts/refused.js";

export const SHEETS = [...PLAIN, "/css/design.css"];

const ACTIONS = ["read", "create", "update", "delete", "transition", "comment"];
const ACTION_WORDS = {
  read: "see",
  create: "make",
  update: "change",
  delete: "remove",
  transition: "move",
  comment: "comment",
};
const ROLES = [
  ["Member", "Members"],
  ["SolutionArchitect", "Solution Architects"],
];
const RESOURCES = {
  Card: "Cards",
  Project: "Boards",
  Column: "Columns",
  CardType: "Card types",
  Field: "Fields",
  Transition: "Ways",
  Relationship: "Relations",
  File: "Files",
  Prompt: "Prompts",
  ToolServer: "Tool servers",
  Analytics: "Figures",
  Archive: "Archive",
};
/** What each resource knows; the rest would change nothing. */
const KNOWN = {
  Card: ACTIONS,
  File: ["read", "create", "delete"],
  Relationship: ["read", "create", "delete"],
  Analytics: ["read"],
  Archive: ["read", "update", "delete"],
};
/** What only architects do, whatever stands here. */
const ARCHITECTS_ONLY = {
  Column: ["create", "update", "delete"],
  CardType: ["create", "update", "delete"],
  File: ["delete"],
  Prompt: ["create", "update", "delete"],
  ToolServer: ["create", "update", "delete"],
  Archive: ["delete"],
};

export function show(host) {
  const resource = new Resource(() => get("/permissions"), ["permission"]);
  const done = () => resource.load();
  const text = "Agents are not in here: what they may do, the columns say, in the design of each board.";
  return plainScreen(host, {
    title: "Permissions",
    nav: settingsNav(),
    resource,
    draw: (found) => [
      onlyArchitects(),
      h("p", { class: "small muted" }, text),
      ROLES.map(([role, words]) => section(words, null, matrix(role, words, found, done))),
    ],
  });
}

function matrix(role, words, found, done) {
  const head = h(
    "tr",
    null,
    h("td"),
    ACTIONS.map((action) => h("th", { scope: "col" }, ACTION_WORDS[action])),
  );
  const lines = Object.keys(RESOURCES).map((resource) => {
    const right = found.find((one) => one.role === role && one.resource === resource);
    const cells = ACTIONS.map((action) => h("td", null, right && cell(right, action, words, done)));
    return h("tr", null, h("th", { scope: "row" }, RESOURCES[resource]), cells);
  });
  const table = h("table", { class: "matrix rights" }, h("thead", null, head), h("tbody", null, lines));
  return h(
    "div",
    { class: "matrix-frame", tabindex: "0", role: "region", "aria-label": `What ${words} may do` },
    table,
  );
}

function cell(right, action, words, done) {
  const { resource, role, actions } = right;
  if (!(KNOWN[resource] ?? ["read", "create", "update", "delete"]).includes(action)) return null;
  const isNever = role === "Member" && ARCHITECTS_ONLY[resource]?.includes(action);
  const label = `${words} may ${ACTION_WORDS[action]} ${RESOURCES[resource].toLowerCase()}`;
  if (isNever) return h("span", { class: "small muted", title: "Only Solution Architects, whatever stands here" }, "–");
  const box = h("input", { type: "checkbox", "aria-label": label, disabled: !organization.isArchitect });
  box.checked = actions.includes(action);
  box.addEventListener("change", async () => {
    const wanted = box.checked ? [...actions, action] : actions.filter((one) => one !== action);
    const says = box.checked ? `${label} now.` : `${label.replace(" may ", " may no longer ")}.`;
    const where = { list: "/permissions", address: `/permissions/${encodeURIComponent(right.id)}` };
    const work = () => patch(where.address, { actions: wanted });
    const back = async () => (await former(where, right, { actions: set?.actions ?? wanted }))();
    box.disabled = true;
    const set = await change(work, { says, failed: "Nothing was changed", back }, done);
  });
  return h("label", { class: "box" }, box);
}
