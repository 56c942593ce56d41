// The pages of the organization that the sidebar, the user menu and the command palette lead to.

import { pageUrl } from "./core/base-path.js";
import { icon } from "./core/icons.js";
import { organization } from "./core/organization.js";
import { boardUrl, navigate, parseAddress } from "./core/router.js";

const CHART_ICON = "M2.5 13.5h11M4 11V7.5M7 11V4M10 11V6M13 11V3";

/**
 * The pages: address, icon, label, whether the user has access, and the action that leads there, if any.
 * @type {[address: () => string, icon: string, label: string, isVisible: () => boolean, action?: string][]}
 */
const DESTINATIONS = [
  [boardSettingsUrl, "board", "Board settings", () => organization.projects.length > 0],
  [() => pageUrl("/reports"), CHART_ICON, "Reports", () => true, "go.figures"],
  [() => pageUrl("/archive"), "archive", "Archive", () => true],
  [() => pageUrl("/settings/members"), "settings", "Settings", () => true]
];

/** Return the address of the settings of the current board, or else of the first one. */
function boardSettingsUrl() {
  const { project } = parseAddress(location.href);
  const { id } = organization.projects.find((candidate) => candidate.id === project) ?? organization.projects[0];
  return `${boardUrl(id)}/design`;
}

/** Return the pages that the user has access to: [{href, mark, label, action}]. */
export function listDestinations() {
  if (!organization.me) return [];
  const visible = DESTINATIONS.filter(([, , , isVisible]) => isVisible());
  return visible.map(([address, mark, label, , action]) => ({ href: address(), mark, label, action }));
}

/** Return the pages of the organization as menu items. */
export function navigationItems() {
  return listDestinations().map(({ href, mark, label, action }) => {
    return { label, mark: icon(mark), action, run: () => navigate(href) };
  });
}
