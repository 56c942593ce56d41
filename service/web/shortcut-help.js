// The dialog that lists all keyboard shortcuts.

import { h } from "./core/dom.js";
import { ACTION_LABELS, ACTIONS } from "./core/shortcut-actions.js";
import { listConflicts } from "./core/shortcut-conflicts.js";
import { formatBinding, getBindings } from "./core/shortcuts.js";
import { openDialog } from "./ui/dialog.js";

/** Show all keyboard shortcuts, and conflicts between them. */
export function showShortcutHelp() {
  const withKeys = ACTIONS.filter(([action]) => getBindings(action).length > 0);
  const rows = withKeys.map(([action]) =>
    h(
      "tr",
      h("td", ACTION_LABELS.get(action)),
      h(
        "td",
        getBindings(action).map((binding) => [h("kbd", formatBinding(binding)), " "])
      )
    )
  );
  const other = (action) =>
    listConflicts(action, getBindings(action))
      .map((action) => ACTION_LABELS.get(action))
      .join(", ");
  const both = ACTIONS.map(([action]) => [action, other(action)]).filter(([, others]) => others);
  const twice = both.map(([action, others]) => h("p.problem", `${ACTION_LABELS.get(action)} has the same key as ${others}`));
  const content = h("div.shortcut-help", { tabindex: "0" }, h("h2", "Keyboard shortcuts"), twice, h("table", h("tbody", rows)));
  openDialog({ label: "Keyboard shortcuts", className: "form-dialog", content });
}
