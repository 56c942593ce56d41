// The menu of labels: choose several, create one by typing, and change their colors.

import { h, replaceChildren, setAttribute } from "../core/dom.js";
import { foldName } from "../core/folding.js";
import { formatNumber, quote } from "../core/format.js";
import { matchItems } from "../core/matching.js";
import { findLabelField, labelChip, listKnownLabels } from "../ui/labels.js";
import { renderColorChoice } from "../ui/label-colors.js";
import { showMenu } from "../ui/menu.js";
import { createPicker, createPickerMenu, ITEMS_MAX } from "../ui/picker.js";
import { saveLabelColor } from "./label-fields.js";
import { renderMissingField } from "./missing-labels.js";

const LABEL_CHARACTERS_MAX = 200;

/**
 * Open the menu beside an element. `target` has `cards()`, which returns [{cardTypeId, values}], and `write(change)`,
 * which adds a label to some of them, or removes it: {label, isRemoved, takers: [{card, field, labels}]}, with the labels of
 * each card after it. `closed()` is called when the menu closes, if it had the focus.
 */
export function openLabelsMenu(anchor, board, target, closed) {
  const menu = createPickerMenu("Labels");
  const close = () => menu.hidePopover();
  let chooser = null;
  menu.classList.add("labels-menu");
  menu.addEventListener("toggle", ({ newState }) => newState === "closed" && board.removeEventListener("change", update));
  menu.addEventListener("keydown", handleEscape);
  board.addEventListener("change", update);
  const place = showMenu(menu, anchor, closed);
  update();

  /** Show the labels, or what to do if no card type has a label field. */
  function update() {
    const cards = target.cards();
    if (!cards.length) return close();
    const hasField = cards.some(({ cardTypeId }) => findLabelField(board.type(cardTypeId)));
    if (hasField && chooser) return chooser.update();
    if (hasField) return (chooser = createChooser(menu, board, target, place)).show();
    if (!menu.firstChild) replaceChildren(menu, renderMissingField(board, cards[0].cardTypeId, close));
    place();
    if (!menu.contains(document.activeElement)) menu.querySelector("button").focus();
  }

  function handleEscape(event) {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (!chooser?.goBack()) close();
  }
}

/** Create the field and the list of labels: {show(), update(), goBack()}. */
function createChooser(menu, board, target, place) {
  const colorsButton = h("button.button.small", { "aria-pressed": "false", click: toggleColors }, "Change colours");
  const picker = createPicker(menu, place, {
    label: "Labels",
    placeholder: "Find or create a label",
    maxLength: LABEL_CHARACTERS_MAX,
    isMultiple: true,
    list,
    take,
    below: board.isAllowed("update", "Field") && h("div.row", colorsButton)
  });
  let isColoring = false; // then an option opens the colors of its label
  let isChoosingColor = false;
  return { show, update, goBack };

  function show() {
    isChoosingColor = false;
    picker.show();
  }

  function update() {
    if (!isChoosingColor) picker.update();
  }

  /** Leave the colors of a label; return whether they were shown. */
  function goBack() {
    if (!isChoosingColor) return false;
    show();
    return true;
  }

  function toggleColors() {
    isColoring = !isColoring;
    setAttribute(colorsButton, "aria-pressed", String(isColoring));
    picker.draw();
    place();
    picker.focus();
  }

  function list(text) {
    const found = listItems(board, target, text, isColoring);
    const items = found.items.map((item) => describeItem(item, board, target));
    return { groups: [{ items }], hint: describe(text, items.length, found.total) };
  }

  function describe(text, shown, total) {
    const rest = total > ITEMS_MAX ? `The first ${ITEMS_MAX} of ${formatNumber(total)} labels. Type to find the others.` : "";
    if (shown) return isColoring ? `Choose the label whose colour you want to change. ${rest}` : rest;
    if (isColoring || !text) return "No labels yet.";
    return `Nothing matches ${quote(text)}. New options are added in Board settings.`;
  }

  function take(item) {
    if (!isColoring) return toggleLabel(board, target, item.label);
    chooseColor(item);
    return false;
  }

  function chooseColor({ label, field: labelField }) {
    isChoosingColor = true;
    const choose = (color) => (saveLabelColor(board, labelField, label, color), show());
    replaceChildren(menu, renderColorChoice(label, labelField.optionColors[label], choose));
    place();
    (menu.querySelector("[aria-pressed='true']") ?? menu.querySelector("button")).focus();
  }
}

/** Return the first labels that match a text, and last the one that it would create, with the number of all that match. */
function listItems(board, target, text, isColoring) {
  const fields = new Set(target.cards().map(({ cardTypeId }) => findLabelField(board.type(cardTypeId))));
  fields.delete(undefined);
  const known = new Map();
  for (const field of fields)
    for (const label of [...listKnownLabels(board, field), ...listOwnLabels(target, field)])
      if (!known.has(label)) known.set(label, field);
  const items = [...known].map(([label, field]) => ({ label, field, isNew: false }));
  const typed = text.trim().replace(/\s+/g, " ").normalize("NFC");
  const open = [...fields].find(({ options }) => options.length === 0);
  const isKnown = items.some(({ label }) => foldName(label) === foldName(typed));
  const isNew = typed && open && !isColoring && !isKnown;
  const matching = matchItems(typed, items);
  const created = isNew ? [{ label: typed, field: open, isNew }] : [];
  return { items: [...matching.slice(0, ITEMS_MAX), ...created], total: matching.length };
}

function listOwnLabels(target, field) {
  return target.cards().flatMap(({ values }) => values?.[field.id] ?? []);
}

/** Return the cards whose field takes a label, with their labels: [{card, field, labels}]. */
function listTakers(board, target, label) {
  return target.cards().flatMap((card) => {
    const field = findLabelField(board.type(card.cardTypeId));
    const labels = card.values?.[field?.id] ?? [];
    const takes = field && (field.options.length === 0 || field.options.includes(label) || labels.includes(label));
    return takes ? [{ card, field, labels }] : [];
  });
}

/** Return an item as the menu shows it: with how many of several cards have the label, unless all do. */
function describeItem(item, board, target) {
  const takers = listTakers(board, target, item.label);
  const count = takers.filter(({ labels }) => labels.includes(item.label)).length;
  const isChosen = count > 0 && count === takers.length;
  const share = count > 0 && !isChosen ? `${formatNumber(count)} of ${formatNumber(takers.length)}` : null;
  const color = item.field.optionColors[item.label];
  const content = [item.isNew && "Create ", labelChip(item.label, color)];
  return { ...item, id: item.label, color, content, isChosen, end: share };
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
