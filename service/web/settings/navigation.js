// The navigation between the settings of the organization.

import { pageUrl } from "../core/base-path.js";
import { h, replaceChildren, setAttribute } from "../core/dom.js";
import { organization } from "../core/organization.js";

/** The settings: path, label, whether only architects see them. */
const SETTINGS_PAGES = [
  ["/settings/members", "Members", false],
  ["/settings/keys", "API keys", true],
  ["/settings/prompts", "Prompts", false],
  ["/settings/tools", "Tool servers", false],
  ["/settings/permissions", "Permissions", false],
  ["/settings/webhooks", "Webhooks", true],
  ["/settings/data", "Data", true]
];

/** Create the navigation; `draw()` updates it for the role of the user. */
export function createSettingsNavigation() {
  const list = h("ul");
  const element = h("nav.settings-nav", { "aria-label": "Settings" }, list);

  function draw() {
    const open = listSettingsPages();
    if (list.children.length === open.length) return;
    replaceChildren(
      list,
      open.map(([path, label]) => h("li", renderLink(path, label)))
    );
    requestAnimationFrame(() => list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" }));
  }

  draw();
  return { element, draw };
}

/** Return the settings that the user can open, as [path, label]. */
export function listSettingsPages() {
  return SETTINGS_PAGES.filter(([, , isForArchitects]) => organization.isArchitect || !isForArchitects);
}

function renderLink(path, label) {
  const element = h("a", { href: pageUrl(path) }, label);
  setAttribute(element, "aria-current", location.pathname === pageUrl(path) && "page");
  return element;
}
