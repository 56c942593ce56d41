// The menu of labels: choose several, create one by typing, and change their colors.

import { h, query, replaceChildren, setAttribute } from "../core/dom.js";
import { foldName } from "../core/folding.js";
import { formatNumber, quote } from "../core/format.js";
import { lookUp } from "../core/lookup.js";
import { matchItems } from "../core/matching.js";
import { findLabelField, labelChip, listKnownLabels } from "../ui/labels.js";
import { renderColorChoice } from "../ui/label-colors.js";
import { ITEMS_MAX, Picker } from "../ui/listbox/picker.js";
import { saveLabelColor } from "./label-fields.js";
import { renderMissingField } from "./missing-labels.js";

const LABEL_CHARACTERS_MAX = 200;

/**
 * Open the menu beside an element. `target` has `cards()`, which returns [{cardTypeId, values}], and `write(change)`,
 * which adds a label to some of them, or removes it: {label, isRemoved, takers: [{card, field, labels}]}, with the labels of
 * each card after it. `closed()` is called when the menu closes, if it had the focus.
 */
export function openLabelsMenu(anchor, board, target, closed) {
  new LabelsMenu(board, target).show(anchor, closed);
}

/** The menu of labels, in turn with the colors of one of them; without a label field, what to do instead. */
class LabelsMenu extends Picker {
  isColoring = false; // then an option opens the colors of its label
  isChoosingColor = false;

  constructor(board, target) {
    const options = { placeholder: "Find or create a label", maxLength: LABEL_CHARACTERS_MAX, isMultiple: true };
    super({ label: "Labels", items: [], ...options });
    this.board = board;
    this.target = target;
    this.colorsButton = h("button.button.small", { "aria-pressed": "false", click: () => this.toggleColors() }, "Change colours");
    this.below = board.isAllowed("update", "Field") && h("div.row", this.colorsButton);
    this.element.classList.add("labels-menu");
    const fill = () => this.fill();
    board.addEventListener("change", fill);
    this.element.addEventListener("toggle", ({ newState }) => newState === "closed" && board.removeEventListener("change", fill));
    this.element.addEventListener("keydown", (event) => this.handleEscape(event));
  }

  /** @override Show the labels as they are now, or what to do if no card type has a label field. */
  fill() {
    const cards = this.target.cards();
    if (!cards.length) return this.element.hidePopover();
    if (this.isChoosingColor) return;
    if (cards.some(({ cardTypeId }) => findLabelField(this.board.type(cardTypeId))))
      return this.field.isConnected ? this.update() : super.fill();
    if (!this.element.firstChild)
      replaceChildren(
        this.element,
        renderMissingField(this.board, cards[0].cardTypeId, () => this.element.hidePopover())
      );
    this.place();
    if (!this.element.contains(document.activeElement)) query(this.element, "button").focus();
  }

  /** Leave the colors of a label, or else the menu. */
  handleEscape(event) {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (this.isChoosingColor) this.showLabels();
    else this.element.hidePopover();
  }

  showLabels() {
    this.isChoosingColor = false;
    this.fill();
  }

  toggleColors() {
    this.isColoring = !this.isColoring;
    setAttribute(this.colorsButton, "aria-pressed", String(this.isColoring));
    this.draw();
    this.place();
    this.focus();
  }

  /** @override */
  take(item) {
    if (!this.isColoring) return toggleLabel(this.board, this.target, item.label);
    this.chooseColor(item);
    return false;
  }

  chooseColor({ label, field }) {
    this.isChoosingColor = true;
    const choose = (color) => (saveLabelColor(this.board, field, label, color), this.showLabels());
    replaceChildren(this.element, renderColorChoice(label, lookUp(field.optionColors, label), choose));
    this.place();
    (query(this.element, "[aria-pressed='true']") ?? query(this.element, "button")).focus();
  }

  /** @override */
  find(text) {
    const { items, total } = listItems(this.board, this.target, text, this.isColoring);
    const described = items.map((item) => describeItem(item, this.board, this.target));
    return { groups: [{ items: described }], hint: this.describe(text, items.length, total) };
  }

  /** Say what is missing in the list, or what it is for. */
  describe(text, shown, total) {
    const rest = total > ITEMS_MAX ? `The first ${ITEMS_MAX} of ${formatNumber(total)} labels. Type to find the others.` : "";
    if (shown) return this.isColoring ? `Choose the label whose colour you want to change. ${rest}` : rest;
    if (this.isColoring || !text) return "No labels yet.";
    return `Nothing matches ${quote(text)}. New options are added in Board settings.`;
  }
}

/** Return the first labels that match a text, and last the one that it would create, with the number of all that match. */
function listItems(board, target, text, isColoring) {
  const fields = new Set(target.cards().map(({ cardTypeId }) => findLabelField(board.type(cardTypeId))));
  fields.delete(undefined);
  const known = new Map();
  for (const field of fields) {
    const own = target.cards().flatMap(({ values }) => lookUp(values, field.id) ?? []);
    for (const label of [...listKnownLabels(board, field), ...own]) if (!known.has(label)) known.set(label, field);
  }
  const items = [...known].map(([label, field]) => ({ label, field, isNew: false }));
  const typed = text.trim().replace(/\s+/g, " ").normalize("NFC");
  const open = [...fields].find(({ options }) => options.length === 0);
  const isKnown = items.some(({ label }) => foldName(label) === foldName(typed));
  const isNew = typed && open && !isColoring && !isKnown;
  const matching = matchItems(typed, items);
  const created = isNew ? [{ label: typed, field: open, isNew }] : [];
  return { items: [...matching.slice(0, ITEMS_MAX), ...created], total: matching.length };
}

/** Return the cards whose field takes a label, with their labels: [{card, field, labels}]. */
function listTakers(board, target, label) {
  return target.cards().flatMap((card) => {
    const field = findLabelField(board.type(card.cardTypeId));
    const labels = lookUp(card.values, field?.id) ?? [];
    const takes = field && (field.options.length === 0 || field.options.includes(label) || labels.includes(label));
    return takes ? [{ card, field, labels }] : [];
  });
}

/** Return an item as the menu shows it: with how many of several cards have the label, unless all do. */
function describeItem(item, board, target) {
  const takers = listTakers(board, target, item.label);
  const count = takers.filter(({ labels }) => labels.includes(item.label)).length;
  const checked = count > 0 && count === takers.length;
  const share = count > 0 && !checked ? `${formatNumber(count)} of ${formatNumber(takers.length)}` : null;
  const color = lookUp(item.field.optionColors, item.label);
  const content = [item.isNew && "Create ", labelChip(item.label, color)];
  return { ...item, id: item.label, color, content, checked, end: share };
}

/** Add a label to all cards that lack it; if none does, remove it from all. */
function toggleLabel(board, target, label) {
  const all = listTakers(board, target, label);
  const isRemoved = all.every(({ labels }) => labels.includes(label));
  const takers = all
    .filter(({ labels }) => labels.includes(label) === isRemoved)
    .map((taker) => {
      const labels = isRemoved ? taker.labels.filter((other) => other !== label) : [...taker.labels, label];
      return { ...taker, labels };
    });
  target.write({ label, isRemoved, takers });
}
