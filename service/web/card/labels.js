// The labels of an open card: chips that remove them, and a button that opens the menu.

import { h, replaceChildren } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { EditConflict } from "../ui/inline-edit.js";
import { announce } from "../ui/toast.js";
import { findLabelField, labelChip } from "../ui/labels.js";
import { openLabelsMenu, showBoardError } from "../board/store.js";
import { lookUp } from "../core/lookup.js";

/** Create the row of labels of an open card: {label, field: {element, update, openMenu}}. */
export function createLabels(open, canEdit) {
  const labels = new CardLabels(open, canEdit);
  labels.update();
  return { label: labels.field?.label ?? "Labels", field: labels };
}

class CardLabels {
  /** @type {string[] | null} */
  shown = null; // the labels while changes are being saved
  saving = Promise.resolve();
  pending = 0; // the number of changes that are being saved
  chips = h("span.tags");

  constructor(open, canEdit) {
    this.open = open;
    this.canEdit = canEdit;
    this.addButton = h("button.button.small", { "aria-haspopup": "dialog", click: () => this.openMenu() }, "Add label");
    this.element = h("div.value.labels", this.chips, canEdit && this.addButton);
  }

  get field() {
    return findLabelField(this.open.board.type(this.open.card.cardTypeId));
  }

  get labels() {
    return this.shown ?? this.open.value(`field:${this.field.id}`) ?? [];
  }

  update() {
    const { field, chips, canEdit } = this;
    const at = [...chips.children].indexOf(document.activeElement);
    const all = field ? this.labels.map((label) => this.renderChip(label, lookUp(field.optionColors, label))) : [];
    replaceChildren(chips, all.length || canEdit ? all : h("span.muted", "None"));
    if (at >= 0) (all[Math.min(at, all.length - 1)] ?? this.addButton).focus();
  }

  renderChip(label, color) {
    const chip = labelChip(label, color);
    if (!this.canEdit) return chip;
    const attributes = { "aria-label": `Remove ${label}`, title: `Remove ${label}`, click: () => this.change(label, true) };
    chip.append(icon("close"));
    return h("button.label-chip", attributes, chip);
  }

  openMenu() {
    if (!this.canEdit) return false;
    const cards = () => {
      const { field } = this;
      return [{ cardTypeId: this.open.card.cardTypeId, values: field ? { [field.id]: this.labels } : {} }];
    };
    const write = ({ label, isRemoved }) => this.change(label, isRemoved);
    return void openLabelsMenu(this.addButton, this.open.board, { cards, write });
  }

  /** Add or remove a label at once, and save it after the changes before. */
  change(label, isRemoved) {
    const apply = (before) => [...before.filter((other) => other !== label), ...(isRemoved ? [] : [label])];
    this.shown = apply(this.labels);
    this.pending += 1;
    this.update();
    this.saving = this.saving.then(() => this.save(apply, `${label} ${isRemoved ? "removed" : "added"}.`));
  }

  async save(apply, message) {
    const { board } = this.open;
    try {
      await this.saveOnNewest(apply);
      announce(message);
    } catch (error) {
      showBoardError(board, "The labels were not changed", error);
    }
    this.pending -= 1;
    if (this.pending === 0) this.shown = null;
    this.update();
    board.emitChange({}); // an open menu shows what is saved
  }

  /** Save a change of the labels; if somebody else has changed them meanwhile, of the newest ones. */
  async saveOnNewest(apply) {
    const key = `field:${this.field.id}`;
    const before = this.open.value(key);
    const after = apply(before ?? []);
    try {
      await this.open.edit(key, after.length ? after : null, before);
    } catch (error) {
      if (!(error instanceof EditConflict)) throw error;
      await this.saveOnNewest(apply);
    }
  }
}
