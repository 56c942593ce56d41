// The table in which the user changes keyboard shortcuts.

import { h, replaceChildren } from "../core/dom.js";
import { quote } from "../core/format.js";
import { ACTION_LABELS, ACTIONS } from "../core/shortcut-actions.js";
import {
  formatBinding,
  getBindings,
  isCustomShortcut,
  listConflicts,
  recordBinding,
  resetShortcut,
  setShortcut,
  shortcutEvents
} from "../core/shortcuts.js";
import { smallButton } from "../ui/controls.js";
import { tryRequest } from "../ui/request.js";

/** Render the table of all keyboard shortcuts. */
export function createShortcutTable() {
  const body = h("tbody");
  const all = smallButton("Reset all", () => reset(ACTIONS.map(([action]) => action)));
  const head = h(
    "tr",
    ["Action", "Key", "Change"].map((words) => h("th", { scope: "col" }, words))
  );
  const table = h("table.shortcut-table", h("thead.visually-hidden", head), body);
  const rows = new Map(ACTIONS.map(([action]) => [action, keyRow(action)]));
  let wish = null; // {action, binding}: an unsaved binding that conflicts with another action
  replaceChildren(
    body,
    [...rows.values()].map(({ element }) => element)
  );
  shortcutEvents.addEventListener("change", draw);
  draw();
  return [table, h("div.row", all)];

  function draw() {
    for (const [action, { update }] of rows) update(action);
    all.disabled = !ACTIONS.some(([action]) => isCustomShortcut(action));
  }

  function keyRow(action) {
    const name = ACTION_LABELS[action];
    const shown = h("td");
    const said = h("p.problem.small", { role: "status" });
    const acts = h("td.row.wrap");
    const press = smallButton("Change…", () => listen(), { name: `Change the key of: ${name}` });
    const back = smallButton("Reset", () => reset([action]), { name: `Reset the key of: ${name}` });
    const save = smallButton("Save all the same", () => take(wish.binding), { name: `Save all the same: ${name}` });
    const drop = smallButton("Leave it", () => ((wish = null), draw(), press.focus()), { name: `Leave it: ${name}` });
    replaceChildren(acts, press, save, drop, back);
    const element = h("tr", h("th", { scope: "row" }, name, said), shown, acts);

    async function listen() {
      press.textContent = "Press keys…";
      const binding = await recordBinding(press, (so) => (press.textContent = so));
      press.textContent = "Change…";
      if (!binding) return;
      wish = null;
      if (!listConflicts(action, [binding]).length) return take(binding);
      wish = { action, binding };
      draw();
      save.focus();
    }

    async function take(binding) {
      const hadFocus = acts.contains(document.activeElement);
      wish = null;
      await tryRequest(() => setShortcut(action, binding), {
        done: `${name}: ${formatBinding(binding)}.`,
        failed: "The key stays as it was"
      });
      draw();
      if (hadFocus) press.focus();
    }

    /** Return the conflicts of the bindings of an action, or of the unsaved one. */
    function update() {
      const mine = wish?.action === action;
      const bindings = mine ? [wish.binding] : getBindings(action);
      const others = listConflicts(action, bindings).map((other) => quote(ACTION_LABELS[other]));
      const wished = wish && !mine && listConflicts(wish.action, [wish.binding]).includes(action);
      if (wished) others.push(quote(ACTION_LABELS[wish.action]));
      const verb = mine || wished ? "would be" : "is";
      replaceChildren(
        shown,
        bindings.map((binding) => [h("kbd", formatBinding(binding)), " "])
      );
      replaceChildren(said, others.length ? `Conflict: the same key ${verb} ${others.join(" and ")} too.` : null);
      save.hidden = drop.hidden = !mine;
      press.hidden = mine;
      back.hidden = mine || !isCustomShortcut(action);
    }

    return { element, update };
  }

  async function reset(actions) {
    const work = async () => {
      for (const action of actions) await resetShortcut(action);
    };
    await tryRequest(work, { done: "The keys are as they came.", failed: "Not all keys were reset" });
  }
}
