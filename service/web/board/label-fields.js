// Changes of label fields.

import { patch } from "../core/api.js";
import { phrase, quote } from "../core/format.js";
import { orgPath } from "../core/organization.js";
import { changeWithUndo, revertTo } from "../ui/undo.js";

/** Set the color of a label, or remove it with null, and offer to undo it. */
export function saveLabelColor(board, field, label, color) {
  const optionColors = { __proto__: null, ...field.optionColors, [label]: color };
  if (!color) delete optionColors[label];
  const list = orgPath(`/card-types/${encodeURIComponent(field.cardTypeId)}/fields`);
  const address = `${list}/${encodeURIComponent(field.id)}`;
  const undo = revertTo({ list, address }, field, { optionColors });
  const messages = { message: `${quote(label)} has another colour`, failed: "The colour was not changed" };
  return changeWithUndo(
    () => patch(address, { optionColors }),
    { ...messages, undo },
    () => board.refresh()
  );
}

/** Return what has happened to a card whose label was added or removed. */
export function labelChangeText(label, isRemoved) {
  return phrase`label ${label} ${isRemoved ? "removed" : "added"}`;
}
