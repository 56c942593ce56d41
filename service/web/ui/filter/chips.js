// The chips of a filter: what cards are filtered by. Each removes its value.

import { h, replaceChildren } from "../../core/dom.js";
import { icon } from "../../core/icons.js";
import { organization } from "../../core/organization.js";
import { toggleFilter } from "./filter.js";
import { describeFilter } from "./choices.js";
import { announce } from "../toast.js";

/** Render the chips of the current filter, `get()`; `focus()` is called when no chip is left. */
export function renderFilterChips(host, board, { get, apply }, focus) {
  const choices = describeFilter(board, get() ?? {}, organization.me?.id);
  const shown = JSON.stringify(choices);
  if (host.shown === shown) return;
  host.shown = shown;
  const place = [...host.querySelectorAll("button")].indexOf(document.activeElement);
  const clear = h("button.button.small", { click: () => (apply(null), focus()) }, "Clear");
  replaceChildren(
    host,
    h(
      "ul.chip-list",
      choices.map((choice) => h("li", renderChip(choice)))
    ),
    clear
  );
  const buttons = [...host.querySelectorAll("button")];
  if (place >= 0) buttons[Math.min(place, buttons.length - 1)].focus();

  function renderChip({ name, value, label }) {
    const attributes = { "aria-label": `Remove ${label}`, title: `Remove ${label}`, click: () => remove() };
    return h("button.button.small", attributes, h("bdi", label), icon("close"));

    function remove() {
      const changed = toggleFilter(get(), name, value);
      announce(`Removed ${label}.`);
      apply(changed);
      if (!changed) focus();
    }
  }
}
