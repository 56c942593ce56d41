// The ways between the settings of an organization: those that the caller may see.

import { attribute, fill, h } from "../core/dom.js";
import { organization } from "../core/organization.js";

/** The settings: address, words, whether they are for architects alone. */
const PLACES = [
  ["/settings/members", "Members", false],
  ["/settings/keys", "Keys", true],
  ["/settings/prompts", "Prompts", false],
  ["/settings/tools", "Tool servers", false],
  ["/settings/permissions", "Permissions", false],
  ["/settings/webhooks", "Webhooks", true],
  ["/settings/data", "Data", true],
];

/** Draw the ways; `draw` brings them up to date with the role of whoever looks. */
export function settingsNav() {
  const list = h("ul");
  const element = h("nav", { class: "places", "aria-label": "Settings" }, list);

  function draw() {
    const open = PLACES.filter(([, , isForArchitects]) => organization.isArchitect || !isForArchitects);
    if (list.children.length === open.length) return;
    fill(list, open.map(([href, words]) => h("li", null, link(href, words))));
  }

  draw();
  return { element, draw };
}

function link(href, words) {
  const element = h("a", { href }, words);
  attribute(element, "aria-current", location.pathname === href && "page");
  return element;
}

/** Say to others than architects that they may look only. */
export function onlyArchitects() {
  return organization.isArchitect ? null : h("p", { class: "small muted" }, "Only Solution Architects change this.");
}
