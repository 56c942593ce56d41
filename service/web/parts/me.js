// What is one's own: organization, theme, keys, signing out.

import { forget, keep, post } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { ACTIONS, bindingsOf, isOwn, keys, neighbours, rebind, record, shownKey, unbind, WORDS } from "../core/keys.js";
import { chooseTheme, organization } from "../core/organization.js";
import { boardAddress, go } from "../core/route.js";
import { quoted, refusal } from "../core/words.js";
import { notify, openDialog, openMenu } from "./float.js";
import { attempt, button } from "./form.js";
import { placeItems } from "./frame.js";

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

// The keys of the keyboard as the person has them: each is changed by pressing it, and what stands on two says so.
/** Draw the table of all keys. */
export function ownKeys() {
  const body = h("tbody");
  const all = button("Reset all", () => reset(ACTIONS.map(([action]) => action)));
  const head = h("tr", null, ["Action", "Key", "Change"].map((words) => h("th", { scope: "col" }, words)));
  const table = h("table", { class: "own-keys" }, h("thead", { class: "unseen" }, head), body);
  const rows = new Map(ACTIONS.map(([action]) => [action, row(action)]));
  let wish = null; // {action, binding} that is not saved, since another action has that key
  fill(body, [...rows.values()].map(({ element }) => element));
  keys.addEventListener("change", draw);
  draw();
  return [table, h("div", { class: "row" }, all)];

  function draw() {
    for (const [action, { update }] of rows) update(action);
    all.disabled = !ACTIONS.some(([action]) => isOwn(action));
  }

  function row(action) {
    const name = WORDS[action];
    const shown = h("td");
    const said = h("p", { class: "problem small", role: "status" });
    const acts = h("td", { class: "row wrap" });
    const press = button("Change…", () => listen(), { name: `Change the key of: ${name}` });
    const back = button("Reset", () => reset([action]), { name: `Reset the key of: ${name}` });
    const save = button("Save all the same", () => keep(wish.binding), { name: `Save all the same: ${name}` });
    const drop = button("Leave it", () => ((wish = null), draw(), press.focus()), { name: `Leave it: ${name}` });
    fill(acts, press, save, drop, back);
    const element = h("tr", null, h("th", { scope: "row" }, name, said), shown, acts);

    async function listen() {
      press.textContent = "Press keys…";
      const binding = await record(press, (so) => (press.textContent = so));
      press.textContent = "Change…";
      if (!binding) return;
      wish = null;
      if (!neighbours(action, [binding]).length) return keep(binding);
      wish = { action, binding };
      draw();
      save.focus();
    }

    async function keep(binding) {
      const hadFocus = acts.contains(document.activeElement);
      wish = null;
      await attempt(() => rebind(action, binding), { done: `${name}: ${shownKey(binding)}.`, failed: "The key stays as it was" });
      draw();
      if (hadFocus) press.focus();
    }

    /** Say what else stands on the keys of this action, or would. */
    function update() {
      const mine = wish?.action === action;
      const bindings = mine ? [wish.binding] : bindingsOf(action);
      const others = neighbours(action, bindings).map((other) => quoted(WORDS[other]));
      const wished = wish && !mine && neighbours(wish.action, [wish.binding]).includes(action);
      if (wished) others.push(quoted(WORDS[wish.action]));
      const verb = mine || wished ? "would be" : "is";
      fill(shown, bindings.map((binding) => [h("kbd", null, shownKey(binding)), " "]));
      fill(said, others.length ? `Conflict: the same key ${verb} ${others.join(" and ")} too.` : null);
      save.hidden = drop.hidden = !mine;
      press.hidden = mine;
      back.hidden = mine || !isOwn(action);
    }

    return { element, update };
  }

  async function reset(actions) {
    const work = async () => {
      for (const action of actions) await unbind(action);
    };
    await attempt(work, { done: "The keys are as they came.", failed: "Not all keys were reset" });
  }
}

// What stands where there is no screen to show: the ways to what there is.
/** Say that there is no such page. */
export function nowhere() {
  const boards = organization.projects.map(({ id, title }) =>
    h("li", null, h("a", { class: "link", href: boardAddress(id) }, title)),
  );
  const home = h("a", { class: "button", href: "/" }, "Go to Now");
  return h("div", { class: "alone" }, h("h1", null, "There is no such page"), home, h("ul", null, boards));
}

/** Say that the person is in this organization no more, and lead to others. */
export function homeless() {
  const others = organization.me.organizations.map(({ id, title }) =>
    h("button", { class: "button", type: "button", on: { click: () => switchTo(id) } }, `Go to ${title}`),
  );
  const words = others.length ? "Others of yours are still open to you." : "An architect can invite you again.";
  const title = h("h1", null, "You are no longer a member of this organization");
  return h("div", { class: "alone" }, title, h("p", null, words), others);
}
