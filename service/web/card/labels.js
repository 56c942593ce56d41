// The labels of an open card: chips that remove them, and a button that opens the menu.

import { h, replaceChildren } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { EditConflict } from "../ui/inline-edit.js";
import { announce } from "../ui/toast.js";
import { findLabelField, labelChip } from "../ui/labels.js";
import { openLabelsMenu, showBoardError } from "../board/store.js";

/** Create the row of labels of an open card: {label, field: {element, update, openMenu}}. */
export function createLabels(open, canEdit) {
  const { board } = open;
  const findField = () => findLabelField(board.type(open.card.cardTypeId));
  const keyOf = ({ id }) => `field:${id}`;
  const chips = h("span.tags");
  const addButton = h("button.button.small", { "aria-haspopup": "dialog", click: openMenu }, "Add label");
  const element = h("div.value.labels", chips, canEdit && addButton);
  let shown = null; // the labels while changes are being saved
  let saving = Promise.resolve();
  let pending = 0;
  const labels = () => shown ?? open.value(keyOf(findField())) ?? [];
  update();
  return { label: findField()?.label ?? "Labels", field: { element, update, openMenu } };

  function update() {
    const field = findField();
    const at = [...chips.children].indexOf(document.activeElement);
    const all = field ? labels().map((label) => renderChip(label, field.optionColors[label])) : [];
    replaceChildren(chips, all.length || canEdit ? all : h("span.muted", "None"));
    if (at >= 0) (all[Math.min(at, all.length - 1)] ?? addButton).focus();
  }

  function renderChip(label, color) {
    const chip = labelChip(label, color);
    if (!canEdit) return chip;
    const attributes = { "aria-label": `Remove ${label}`, title: `Remove ${label}`, click: () => change(label, true) };
    chip.append(icon("close"));
    return h("button.label-chip", attributes, chip);
  }

  function openMenu() {
    if (!canEdit) return false;
    const cards = () => {
      const field = findField();
      return [{ cardTypeId: open.card.cardTypeId, values: field ? { [field.id]: labels() } : {} }];
    };
    const write = ({ label, isRemoved }) => change(label, isRemoved);
    return void openLabelsMenu(addButton, board, { cards, write });
  }

  /** Add or remove a label at once, and save it after the changes before. */
  function change(label, isRemoved) {
    const apply = (before) => [...before.filter((other) => other !== label), ...(isRemoved ? [] : [label])];
    shown = apply(labels());
    pending += 1;
    update();
    saving = saving.then(() => save(apply, `${label} ${isRemoved ? "removed" : "added"}.`));
    return saving;
  }

  /** Save a change of the labels; if somebody else has changed them meanwhile, of the newest ones. */
  async function saveOnNewest(apply) {
    const key = keyOf(findField());
    const before = open.value(key);
    const after = apply(before ?? []);
    try {
      await open.edit(key, after.length ? after : null, before);
    } catch (error) {
      if (!(error instanceof EditConflict)) throw error;
      await saveOnNewest(apply);
    }
  }

  async function save(apply, message) {
    try {
      await saveOnNewest(apply);
      announce(message);
    } catch (error) {
      showBoardError(board, "The labels were not changed", error);
    }
    pending -= 1;
    if (pending === 0) shown = null;
    update();
    board.emitChange({}); // an open menu shows what is saved
  }
}
