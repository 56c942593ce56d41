// The permissions of each role.

import { get, patch } from "../core/api.js";
import { h } from "../core/dom.js";
import { drawPart } from "../core/guard.js";
import { organization } from "../core/organization.js";
import { renderSection } from "../ui/list.js";
import { architectsOnlyNote, createPage } from "../ui/page.js";
import { renderTable, scrollRegion } from "../ui/table.js";
import { changeWithUndo, revertTo } from "../ui/undo.js";
import { createSettingsNavigation } from "./navigation.js";

const ACTIONS = ["read", "create", "update", "delete", "transition", "comment"];
const ACTION_WORDS = {
  __proto__: null,
  read: "see",
  create: "create",
  update: "change",
  delete: "remove",
  transition: "move",
  comment: "comment"
};
const WHO = [
  ["Member", "Members"],
  ["SolutionArchitect", "Solution Architects"]
];
const RESOURCES = {
  __proto__: null,
  Card: "Cards",
  Project: "Boards",
  Column: "Columns",
  CardType: "Card types",
  Field: "Fields",
  Transition: "Transitions",
  Relationship: "Relations",
  File: "Files",
  Prompt: "Prompts",
  ToolServer: "Tool servers",
  Analytics: "Reports",
  Archive: "Archive"
};
/** The actions of each resource; other combinations have no effect. */
const KNOWN = {
  __proto__: null,
  Card: ACTIONS,
  File: ["read", "create", "delete"],
  Relationship: ["read", "create", "delete"],
  Analytics: ["read"],
  Archive: ["read", "update", "delete"]
};
/** The actions that only architects may perform, regardless of permissions. */
const ARCHITECTS_ONLY = {
  __proto__: null,
  Column: ["create", "update", "delete"],
  CardType: ["create", "update", "delete"],
  File: ["delete"],
  Prompt: ["create", "update", "delete"],
  ToolServer: ["create", "update", "delete"],
  Archive: ["delete"]
};

export function show(host) {
  const text = "Agent permissions are set per column in Board settings.";
  return createPage(host, {
    title: "Permissions",
    navigation: createSettingsNavigation(),
    read: () => get("/permissions"),
    resources: ["permission"],
    draw: (found, done) => [
      architectsOnlyNote(),
      h("p.small.muted", text),
      WHO.map(([role, roleName]) =>
        renderSection(
          roleName,
          null,
          drawPart(roleName, () => renderMatrix(role, roleName, found, done))
        )
      )
    ]
  });
}

function renderMatrix(role, roleName, found, done) {
  const lines = Object.keys(RESOURCES).map((resource) => {
    const permission = found.find((candidate) => candidate.role === role && candidate.resource === resource);
    return [RESOURCES[resource], ...ACTIONS.map((action) => permission && renderCell(permission, action, roleName, done))];
  });
  const heads = [null, ...ACTIONS.map((action) => ACTION_WORDS[action])];
  return scrollRegion("matrix-frame", `What ${roleName} may do`, renderTable("matrix permission-matrix", heads, lines));
}

function renderCell(permission, action, roleName, done) {
  const { resource, role, actions } = permission;
  if (!(KNOWN[resource] ?? ["read", "create", "update", "delete"]).includes(action)) return null;
  const isNever = role === "Member" && ARCHITECTS_ONLY[resource]?.includes(action);
  const label = `${roleName} may ${ACTION_WORDS[action]} ${RESOURCES[resource].toLowerCase()}`;
  if (isNever) return h("span.small.muted", { title: "Only Solution Architects, whatever is set here" }, "–");
  const box = h("input", { type: "checkbox", "aria-label": label, disabled: !organization.isArchitect });
  box.checked = actions.includes(action);
  box.addEventListener("change", async () => {
    const newActions = box.checked ? [...actions, action] : actions.filter((other) => other !== action);
    const message = box.checked ? `${label} now.` : `${label.replace(" may ", " may no longer ")}.`;
    const where = { list: "/permissions", address: `/permissions/${encodeURIComponent(permission.id)}` };
    const work = () => patch(where.address, { actions: newActions });
    const undo = async () => (await revertTo(where, permission, { actions: changed?.actions ?? newActions }))();
    box.disabled = true;
    const changed = await changeWithUndo(work, { message, failed: "Nothing was changed", undo }, done);
  });
  return h("label.box", box);
}
