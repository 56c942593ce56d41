// The menu of labels: choose several, create one by typing, and change their colors.

import { createElement, h, replaceChildren, setAttribute, setText } from "../core/dom.js";
import { foldName } from "../core/folding.js";
import { formatNumber, quote } from "../core/format.js";
import { icon } from "../core/icons.js";
import { matchItems } from "../core/matching.js";
import { findLabelField, labelChip, listKnownLabels } from "../ui/labels.js";
import { keepPositioned } from "../ui/menu.js";
import { renderColorChoice } from "../ui/label-colors.js";
import { saveLabelColor } from "./label-fields.js";
import { renderMissingField } from "./missing-labels.js";

const LABEL_CHARACTERS_MAX = 200;
const ITEMS_MAX = 100; // shown at once; typing finds the others

/**
 * Open the menu beside an element. `target` has `cards()`, which returns [{cardTypeId, values}], and `write(change)`,
 * which adds a label to some of them, or removes it: {label, isRemoved, takers: [{card, field, labels}]}, with the labels of
 * each card after it. `closed()` is called when the menu closes, if it had the focus.
 */
export function openLabelsMenu(anchor, board, target, closed = () => anchor.focus({ preventScroll: true })) {
  const menu = h("div.menu.labels-menu", { role: "dialog", "aria-label": "Labels", popover: "auto" });
  const close = () => menu.hidePopover();
  document.querySelector(".menu")?.hidePopover();
  menu.addEventListener("toggle", ({ newState }) => newState === "closed" && leave());
  menu.addEventListener("keydown", handleEscape);
  board.addEventListener("change", update);
  (anchor.closest("dialog, nav, main") ?? document.body).append(menu);
  menu.showPopover();
  const place = keepPositioned(menu, anchor);
  let chooser = null;
  update();
  return menu;

  /** Show the labels, or what to do if no card type has a label field. */
  function update() {
    const cards = target.cards();
    if (!cards.length) return close();
    const hasField = cards.some(({ cardTypeId }) => findLabelField(board.type(cardTypeId)));
    if (hasField && chooser) return chooser.update();
    if (hasField) (chooser = createChooser(menu, board, target, place)).show();
    else if (!menu.firstChild) replaceChildren(menu, renderMissingField(board, cards[0].cardTypeId, close));
    place();
    if (!menu.contains(document.activeElement)) menu.querySelector("input, button")?.focus();
  }

  function handleEscape(event) {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (!chooser?.goBack()) close();
  }

  function leave() {
    const hadFocus = menu.contains(document.activeElement) || document.activeElement === document.body;
    board.removeEventListener("change", update);
    menu.remove();
    if (hadFocus) closed();
  }
}

/** Create the field and the list of labels: {show(), update(), goBack()}. */
function createChooser(menu, board, target, place) {
  const id = "labels-menu-list";
  const list = createElement("ul.options", { id, role: "listbox", "aria-label": "Labels", "aria-multiselectable": "true" });
  const attributes = { role: "combobox", "aria-label": "Find or create a label", "aria-controls": id };
  const more = { placeholder: "Find or create a label", autocomplete: "off", maxlength: LABEL_CHARACTERS_MAX };
  const field = h("input.input", { ...attributes, ...more, "aria-autocomplete": "list", input: () => draw(0) });
  const colorsButton = h("button.button.small", { "aria-pressed": "false", click: toggleColors }, "Change colours");
  const hint = h("p.small.muted", { role: "status" });
  let items = []; // [{label, field, isNew, color, isChosen, share}]
  let total = 0; // of the labels that match, also of those that are not shown
  let drawn = null; // what the list shows
  let current = 0;
  let isColoring = false; // then an option opens the colors of its label
  let isChoosingColor = false;

  field.addEventListener("keydown", handleKey);
  list.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
  return { show, update, goBack };

  function show() {
    isChoosingColor = false;
    const mayColor = board.isAllowed("update", "Field");
    replaceChildren(menu, field, hint, list, mayColor && h("div.row", colorsButton));
    draw(current);
    field.focus();
  }

  function update() {
    if (!isChoosingColor) draw(current);
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
    draw(0);
    field.focus();
  }

  function draw(at) {
    const found = listItems(board, target, field.value, isColoring);
    total = found.total;
    items = found.items.map((item) => describeItem(item, board, target));
    const content = JSON.stringify([isColoring, field.value, items]);
    if (drawn !== content) replaceChildren(list, items.map(renderOption)); // else a press on an option goes on
    drawn = content;
    list.hidden = items.length === 0;
    setAttribute(field, "aria-expanded", String(!list.hidden));
    setText(hint, describe());
    setCurrent(Math.min(at, items.length - 1));
    place();
  }

  function describe() {
    const rest = total > ITEMS_MAX ? `The first ${ITEMS_MAX} of ${formatNumber(total)} labels. Type to find the others.` : "";
    if (items.length) return isColoring ? `Choose the label whose colour you want to change. ${rest}` : rest;
    if (isColoring || !field.value) return "No labels yet.";
    return `Nothing matches ${quote(field.value)}. New options are added in Board settings.`;
  }

  function renderOption({ label, isNew, color, isChosen, share }, index) {
    const options = { id: `${id}-${index}`, role: "option", "aria-selected": String(isChosen) };
    const handlers = { click: () => take(index), pointermove: () => index !== current && setCurrent(index) };
    const chip = labelChip(label, color);
    const end = isChosen ? icon("check") : share;
    return h("li", { ...options, ...handlers }, isNew && "Create ", chip, end && h("span.end", end));
  }

  function setCurrent(at) {
    current = Math.max(at, 0);
    [...list.children].forEach((option, index) => option.classList.toggle("current", index === current));
    setAttribute(field, "aria-activedescendant", list.children[current]?.id);
    list.children[current]?.scrollIntoView({ block: "nearest" });
  }

  function handleKey(event) {
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps && items.length) setCurrent((current + steps[event.key] + items.length) % items.length);
    else if (event.key === "Enter") take(current);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function take(index) {
    const item = items[index];
    if (!item) return;
    if (isColoring) return chooseColor(item);
    toggleLabel(board, target, item.label);
    field.value = "";
    const all = listItems(board, target, "", false).items;
    draw(item.isNew ? 0 : Math.max(0, all.findIndex(({ label }) => label === item.label)));
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

/** Return an item with its color, and how many of several cards have the label (`share`) unless all do (`isChosen`). */
function describeItem(item, board, target) {
  const takers = listTakers(board, target, item.label);
  const count = takers.filter(({ labels }) => labels.includes(item.label)).length;
  const isChosen = count > 0 && count === takers.length;
  const share = count > 0 && !isChosen ? `${formatNumber(count)} of ${formatNumber(takers.length)}` : null;
  return { ...item, color: item.field.optionColors[item.label], isChosen, share };
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
