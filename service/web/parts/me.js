// What is one's own: organization, theme, keys, signing out.

import { forget, keep, post } from "../core/api.js";
import { h } from "../core/dom.js";
import { WORDS } from "../core/actionwords.js";
import { ACTIONS, bindingsOf, neighbours, shownKey } from "../core/keys.js";
import { chooseTheme, organization } from "../core/organization.js";
import { refusal } from "../core/words.js";
import { go } from "../core/route.js";
import { openDialog } from "./dialog.js";
import { openMenu } from "./menu.js";
import { notify } from "./notice.js";
import { placeItems } from "./places.js";

const THEMES = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
];

/** Open the menu of the person who is signed in. */
export function openMe(anchor) {
  const { me } = organization;
  if (!me) return;
  const seats = me.organizations.map(({ id, title, role }) => ({
    label: title,
    why: role === "SolutionArchitect" ? "Solution Architect" : "Member",
    checked: id === organization.id,
    run: () => id !== organization.id && switchTo(id),
  }));
  const themes = THEMES.map(([theme, label]) => ({ label, checked: me.theme === theme, run: () => wear(theme) }));
  const items = [
    { head: me.email },
    ...seats,
    ...(hasRail() ? [] : [{ head: organization.title }, ...placeItems()]),
    { head: "Theme" },
    ...themes,
    { head: "Page" },
    { label: "Your settings", run: () => go("/me") },
    { label: "Keys", end: bindingsOf("help")[0], run: showKeys },
    { label: "API reference", run: () => location.assign("/api/docs") },
    { label: "Sign out", run: signOut },
  ];
  openMenu(anchor, { label: "You", items });
}

function hasRail() {
  return matchMedia("(min-width: 720px)").matches;
}

async function wear(theme) {
  try {
    await chooseTheme(theme);
  } catch (error) {
    notify({ title: "The theme is kept in this browser only", text: refusal(error), kind: "refused", cause: "theme" });
  }
}

/** Go to another organization of the person; the page begins anew there, at an address or at its beginning. */
export async function switchTo(orgId, address = "/") {
  try {
    keep(await post("/auth/switch", { orgId }));
    location.assign(address);
  } catch (error) {
    notify({ title: "You are still here", text: refusal(error), kind: "refused", cause: "switch" });
  }
}

function signOut() {
  forget();
  location.assign("/");
}

/** Show all keys, and which of them stand for two things. */
export function showKeys() {
  const rows = ACTIONS.map(([action]) =>
    h(
      "tr",
      null,
      h("td", null, WORDS[action]),
      h(
        "td",
        null,
        bindingsOf(action).map((binding) => [h("kbd", null, shownKey(binding)), " "]),
      ),
    ),
  );
  const other = (action) => neighbours(action, bindingsOf(action)).map((one) => WORDS[one]).join(", ");
  const both = ACTIONS.map(([action]) => [action, other(action)]).filter(([, others]) => others);
  const twice = both.map(([action, others]) => h("p", { class: "problem" }, `${WORDS[action]} has the same key as ${others}`));
  const content = h(
    "div",
    { class: "keys", tabindex: "0" },
    h("h2", null, "Keys"),
    twice,
    h("table", null, h("tbody", null, rows)),
  );
  openDialog({ label: "Keys", className: "ask wide", content }).dialog.querySelector(".keys").focus();
}
