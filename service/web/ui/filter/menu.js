// The menu of all filters of a board or of the search. It stays open, so that several can be chosen.

import { colorSwatch } from "../../core/dom.js";
import { organization } from "../../core/organization.js";
import { foldName } from "../../core/folding.js";
import { hasFilterValue, toggleFilter } from "./filter.js";
import { listFilters } from "./choices.js";
import { openPicker } from "../listbox/picker.js";

/** Open the menu beside the button; `get()` returns the current filter, `apply(filter)` applies a changed one. */
export function openFilterMenu(button, board, { get, apply }) {
  const kinds = listFilters(board, organization.me?.id);
  const hasColors = (choices) => choices.some(({ color }) => color);
  const items = kinds.flatMap(({ name, label: head, choices }) => [
    { head },
    ...choices.map(({ value, label, color }) => ({
      label,
      mark: hasColors(choices) && colorSwatch(color ?? "var(--avatar)"),
      isChecked: () => hasFilterValue(get(), name, findWritten(get(), name, value)),
      run: () => apply(toggleFilter(get(), name, findWritten(get(), name, value)))
    }))
  ]);
  openPicker(button, { label: "Filter", items, isWide: true });
}

/** Return a value of a field as the filter has it, which an address may write in another case; others as they are. */
function findWritten(filter, name, value) {
  if (name !== "field") return value;
  return filter?.field?.find((one) => foldName(one) === foldName(value)) ?? value;
}
