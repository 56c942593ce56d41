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
  return new ShortcutTable().elements;
}

class ShortcutTable {
  /** @type {{action: string, binding: string} | null} */
  unsaved = null; // a binding that conflicts with another action
  resetAll = smallButton("Reset all", () => resetShortcuts(ACTIONS.map(([action]) => action)));

  constructor() {
    this.rows = ACTIONS.map(([action]) => new ShortcutRow(this, action));
    const cells = ["Action", "Key", "Change"].map((label) => h("th", { scope: "col" }, label));
    const body = this.rows.map(({ element }) => element);
    const table = h("table.shortcut-table", h("thead.visually-hidden", h("tr", cells)), h("tbody", body));
    this.elements = [table, h("div.row", this.resetAll)];
    shortcutEvents.addEventListener("change", () => this.draw());
    this.draw();
  }

  draw() {
    for (const row of this.rows) row.draw();
    this.resetAll.disabled = !ACTIONS.some(([action]) => isCustomShortcut(action));
  }
}

/** The row of an action: its bindings, the actions that have the same, and the buttons that change it. */
class ShortcutRow {
  bindings = h("td");
  conflict = h("p.problem.small", { role: "status" });

  /** @param {ShortcutTable} table */
  constructor(table, action) {
    this.table = table;
    this.action = action;
    this.name = ACTION_LABELS.get(action);
    this.changeButton = this.renderButton("Change…", "Change the key of", () => this.record());
    this.saveButton = this.renderButton("Save all the same", "Save all the same", () => this.save(table.unsaved.binding));
    this.discardButton = this.renderButton("Leave it", "Leave it", () => this.discard());
    this.resetButton = this.renderButton("Reset", "Reset the key of", () => resetShortcuts([action]));
    this.buttons = h("td.row.wrap", this.changeButton, this.saveButton, this.discardButton, this.resetButton);
    this.element = h("tr", h("th", { scope: "row" }, this.name, this.conflict), this.bindings, this.buttons);
  }

  renderButton(label, purpose, press) {
    return smallButton(label, press, { name: `${purpose}: ${this.name}` });
  }

  get isUnsaved() {
    return this.table.unsaved?.action === this.action;
  }

  async record() {
    const { table, action, changeButton } = this;
    setText(changeButton, "Press keys…");
    const binding = await recordBinding(changeButton, (text) => setText(changeButton, text));
    setText(changeButton, "Change…");
    if (!binding) return;
    table.unsaved = null;
    if (!listConflicts(action, [binding]).length) return this.save(binding);
    table.unsaved = { action, binding };
    table.draw();
    this.saveButton.focus();
  }

  async save(binding) {
    const hadFocus = this.buttons.contains(document.activeElement);
    this.table.unsaved = null;
    await tryRequest(() => setShortcut(this.action, binding), {
      done: `${this.name}: ${formatBinding(binding)}.`,
      failed: "The key stays as it was"
    });
    this.table.draw();
    if (hadFocus) this.changeButton.focus();
  }

  discard() {
    this.table.unsaved = null;
    this.table.draw();
    this.changeButton.focus();
  }

  /** Show the bindings of the action, or the unsaved one, and the actions that have the same. */
  draw() {
    const { action, isUnsaved } = this;
    const bindings = isUnsaved ? [this.table.unsaved.binding] : getBindings(action);
    const keys = bindings.map((binding) => [h("kbd", formatBinding(binding)), " "]);
    replaceChildren(this.bindings, keys);
    replaceChildren(this.conflict, this.describeConflict(bindings));
    this.saveButton.hidden = this.discardButton.hidden = !isUnsaved;
    this.changeButton.hidden = isUnsaved;
    this.resetButton.hidden = isUnsaved || !isCustomShortcut(action);
  }

  /** Return which actions have the same bindings, or would have them if the unsaved one were saved; null if none. */
  describeConflict(bindings) {
    const { action, isUnsaved } = this;
    const { unsaved } = this.table;
    const others = listConflicts(action, bindings);
    const isCandidate = unsaved && !isUnsaved && listConflicts(unsaved.action, [unsaved.binding]).includes(action);
    if (isCandidate) others.push(unsaved.action);
    const verb = isUnsaved || isCandidate ? "would be" : "is";
    const names = others.map((other) => quote(ACTION_LABELS.get(other)));
    return names.length ? `Conflict: the same key ${verb} ${names.join(" and ")} too.` : null;
  }
}

async function resetShortcuts(actions) {
  const work = async () => {
    for (const action of actions) await resetShortcut(action);
  };
  await tryRequest(work, { done: "The keys are as they came.", failed: "Not all keys were reset" });
}
