// The table in which the user changes keyboard shortcuts.

import { h, replaceChildren, setText } from "../core/dom.js";
import { quote } from "../core/format.js";
import { ACTION_LABELS, ACTIONS } from "../core/shortcut-actions.js";
import { listConflicts } from "../core/shortcut-conflicts.js";
import {
  formatBinding,
  getBindings,
  isCustomShortcut,
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
  const resetAll = smallButton("Reset all", () => reset(ACTIONS.map(([action]) => action)));
  const head = h(
    "tr",
    ["Action", "Key", "Change"].map((label) => h("th", { scope: "col" }, label))
  );
  const table = h("table.shortcut-table", h("thead.visually-hidden", head), body);
  const rows = new Map(ACTIONS.map(([action]) => [action, keyRow(action)]));
  let unsaved = null; // {action, binding}: an unsaved binding that conflicts with another action
  replaceChildren(
    body,
    [...rows.values()].map(({ element }) => element)
  );
  shortcutEvents.addEventListener("change", draw);
  draw();
  return [table, h("div.row", resetAll)];

  function draw() {
    for (const { update } of rows.values()) update();
    resetAll.disabled = !ACTIONS.some(([action]) => isCustomShortcut(action));
  }

  function keyRow(action) {
    const name = ACTION_LABELS.get(action);
    const bindingsCell = h("td");
    const conflictText = h("p.problem.small", { role: "status" });
    const actionsCell = h("td.row.wrap");
    const changeButton = smallButton("Change…", () => record(), { name: `Change the key of: ${name}` });
    const resetButton = smallButton("Reset", () => reset([action]), { name: `Reset the key of: ${name}` });
    const saveButton = smallButton("Save all the same", () => saveBinding(unsaved.binding), {
      name: `Save all the same: ${name}`
    });
    const discard = () => ((unsaved = null), draw(), changeButton.focus());
    const discardButton = smallButton("Leave it", discard, { name: `Leave it: ${name}` });
    replaceChildren(actionsCell, changeButton, saveButton, discardButton, resetButton);
    const element = h("tr", h("th", { scope: "row" }, name, conflictText), bindingsCell, actionsCell);

    async function record() {
      setText(changeButton, "Press keys…");
      const binding = await recordBinding(changeButton, (text) => setText(changeButton, text));
      setText(changeButton, "Change…");
      if (!binding) return;
      unsaved = null;
      if (!listConflicts(action, [binding]).length) return saveBinding(binding);
      unsaved = { action, binding };
      draw();
      saveButton.focus();
    }

    async function saveBinding(binding) {
      const hadFocus = actionsCell.contains(document.activeElement);
      unsaved = null;
      await tryRequest(() => setShortcut(action, binding), {
        done: `${name}: ${formatBinding(binding)}.`,
        failed: "The key stays as it was"
      });
      draw();
      if (hadFocus) changeButton.focus();
    }

    /** Show the bindings of the action, or the unsaved one, and the actions that have the same. */
    function update() {
      const isUnsaved = unsaved?.action === action;
      const bindings = isUnsaved ? [unsaved.binding] : getBindings(action);
      const others = listConflicts(action, bindings).map((other) => quote(ACTION_LABELS.get(other)));
      const isCandidateConflict = unsaved && !isUnsaved && listConflicts(unsaved.action, [unsaved.binding]).includes(action);
      if (isCandidateConflict) others.push(quote(ACTION_LABELS.get(unsaved.action)));
      const verb = isUnsaved || isCandidateConflict ? "would be" : "is";
      replaceChildren(
        bindingsCell,
        bindings.map((binding) => [h("kbd", formatBinding(binding)), " "])
      );
      replaceChildren(conflictText, others.length ? `Conflict: the same key ${verb} ${others.join(" and ")} too.` : null);
      saveButton.hidden = discardButton.hidden = !isUnsaved;
      changeButton.hidden = isUnsaved;
      resetButton.hidden = isUnsaved || !isCustomShortcut(action);
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
