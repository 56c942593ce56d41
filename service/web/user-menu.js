// The menu of the signed-in user: organizations, theme, settings, sign-out.

import { organization, ROLE_NAMES } from "./core/organization.js";
import { getBindings } from "./core/shortcuts.js";
import { openMenu } from "./ui/listbox/menu.js";
import { switchOrganization } from "./ui/switch-organization.js";
import { navigationItems } from "./navigation.js";
import { showShortcutHelp } from "./shortcut-help.js";
import { listThemes, listUserActions } from "./user-actions.js";

/** Open the user menu. */
export function openUserMenu(anchor) {
  const { me } = organization;
  if (!me) return;
  const memberships = me.organizations.map(({ id, title, role }) => ({
    label: title,
    why: ROLE_NAMES.get(role),
    checked: id === organization.id,
    run: () => id !== organization.id && switchOrganization(id)
  }));
  const items = [
    { head: me.email },
    ...memberships,
    ...(hasSidebar() ? [] : [{ head: organization.title }, ...navigationItems()]),
    { head: "Theme" },
    ...listThemes(),
    { head: "Page" },
    { label: "Find or do…", end: getBindings("palette.open")[0], run: openPalette },
    { label: "Keyboard shortcuts", end: getBindings("help")[0], run: showShortcutHelp },
    ...listUserActions()
  ];
  openMenu(anchor, { label: "You", items });
}

async function openPalette() {
  (await import("./command-palette.js")).openCommandPalette();
}

function hasSidebar() {
  return matchMedia("(min-width: 720px)").matches;
}
