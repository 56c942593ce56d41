// Changing the type of an open card.

import { joinNames, quote } from "../core/format.js";
import { promptDialog } from "../ui/dialog.js";
import { reportBatch } from "../board/store.js";

/** Change the type of a card, after asking if values would be dropped, and offer to undo it. */
export async function changeType(open, typeId, edit) {
  const { board, id } = open;
  const type = board.type(typeId);
  const dropped = listDroppedFields(open, type);
  if (dropped.length && !(await confirmChange(type, dropped))) return;
  await edit();
  const { updatedAt, key } = open.card;
  const text = dropped.length ? `Dropped: ${joinNames(dropped)}.` : undefined;
  reportBatch(board, [{ id, key, at: updatedAt }], text, () => `${key} is of the type ${quote(type.title)} now`);
}

async function confirmChange(type, dropped) {
  const title = `Change the type to ${quote(type.title)}?`;
  return (await promptDialog({ title, text: droppedText(type, dropped), button: "Change type" })) !== null;
}

/** Return a sentence that says which values a card loses with another type. */
export function droppedText(type, dropped) {
  const fields = joinNames(dropped.map(quote), dropped.length);
  return `The type ${quote(type.title)} does not take the values of ${fields}. Undo brings them back.`;
}

/** Return the labels of the fields whose values a card loses with another type; patterns of fields are not checked. */
export function listDroppedFields(open, type) {
  if (type.id === open.card.cardTypeId) return [];
  const isDropped = (field) => {
    const value = open.value(`field:${field.id}`);
    const target = type.fields.find(({ name, kind }) => name === field.name && kind === field.kind);
    return value !== null && !(target && accepts(target, value));
  };
  return open
    .fields()
    .filter(isDropped)
    .map(({ label }) => label);
}

function accepts({ kind, options, multiple }, value) {
  if (kind === "file") return multiple || value.length === 1;
  const isChoice = kind === "select" || (kind === "multiselect" && options.length > 0);
  return !isChoice || [value].flat().every((one) => options.includes(one));
}
