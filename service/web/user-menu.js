// The menu of the signed-in user: organizations, theme, settings, sign-out.

import { pageUrl } from "./core/base-path.js";
import { errorText } from "./core/error-text.js";
import { organization, ROLE_NAMES, setTheme, THEMES } from "./core/organization.js";
import { navigate } from "./core/router.js";
import { getBindings } from "./core/shortcuts.js";
import { openMenu } from "./ui/menu.js";
import { signOut } from "./ui/sign-out.js";
import { switchOrganization } from "./ui/switch-organization.js";
import { showError } from "./ui/toast.js";
import { navigationItems } from "./navigation.js";
import { showShortcutHelp } from "./shortcut-help.js";

/** Open the user menu. */
export function openUserMenu(anchor) {
  const { me } = organization;
  if (!me) return;
  const memberships = me.organizations.map(({ id, title, role }) => ({
    label: title,
    why: ROLE_NAMES[role],
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
    { label: "Keyboard shortcuts", end: getBindings("help")[0], run: showShortcutHelp },
    ...listUserActions()
  ];
  openMenu(anchor, { label: "You", items });
}

/** Return the themes as menu items. */
export function listThemes() {
  const { theme: current } = organization.me;
  return THEMES.map(([theme, label]) => ({ label, checked: current === theme, run: () => chooseTheme(theme) }));
}

/** Return what the user can do on every page, as menu items. */
export function listUserActions() {
  const start = { label: "Get started", run: () => navigate(pageUrl("/?start=1")) };
  return [
    { label: "Your settings", run: () => navigate(pageUrl("/me")) },
    ...(organization.isArchitect ? [start] : []),
    { label: "API reference", run: () => location.assign(pageUrl("/api/docs")) },
    { label: "Sign out", run: signOut }
  ];
}

function hasSidebar() {
  return matchMedia("(min-width: 720px)").matches;
}

async function chooseTheme(theme) {
  try {
    await setTheme(theme);
  } catch (error) {
    showError("The theme is saved in this browser only", errorText(error), "theme");
  }
}
