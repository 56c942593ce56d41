// What the signed-in user can do on every page, in the user menu and in the command palette.

import { pageUrl } from "./core/base-path.js";
import { errorText } from "./core/error-text.js";
import { organization, setTheme, THEMES } from "./core/organization.js";
import { navigate } from "./core/router.js";
import { signOut } from "./ui/sign-out.js";
import { showError } from "./ui/toast.js";

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

async function chooseTheme(theme) {
  try {
    await setTheme(theme);
  } catch (error) {
    showError("The theme is saved in this browser only", errorText(error), "theme");
  }
}
