// Menus with a text field: a combobox whose list shows what matches the typed text. The field gets the focus, except on a touch
// screen, whose keyboard would cover the list: there a tap on the field brings it, or typing on a real keyboard.

import { createElement, h, replaceChildren, setAttribute, setText } from "../core/dom.js";
import { formatNumber, quote } from "../core/format.js";
import { icon } from "../core/icons.js";
import { matchItems } from "../core/matching.js";
import { isLetter, showMenu } from "./menu.js";

/**
 * @import { Child } from "../core/dom.js"
 * @import { MenuOptions } from "./menu.js"
 */
/** @typedef {{groups: {head?: string, note?: string | null, items: any[]}[], bestId?: unknown, hint: string}} Listed */

/** How many items are shown at once; typing finds the others. */
export const ITEMS_MAX = 100;
const GROUP_ITEMS_MIN = 8; // of a group that has more

/**
 * Open a menu of {label, why, end, mark, checked, disabled, run} and {head}, which begins a group. It stays open if its items
 * have `isChecked()`, so that several can be chosen. With `isWide`, groups stand side by side. `focus()` is
 * called as by showMenu.
 * @param {HTMLElement} anchor
 * @param {MenuOptions & {isWide?: boolean}} options
 */
export function openPicker(anchor, { label, items, focus, isWide = false }) {
  const groups = groupItems(items);
  const isMultiple = items.some(({ isChecked }) => isChecked);
  const menu = createPickerMenu(label);
  menu.classList.toggle("in-columns", isWide);
  const place = showMenu(menu, anchor, focus);
  const list = (text) => listMatches(groups, text);
  createPicker(menu, place, { label, placeholder: "Type to find", isMultiple, list, take }).show();

  function take({ isDisabled, run }) {
    if (isDisabled) return false;
    if (!isMultiple) menu.hidePopover();
    run?.();
  }
}

/** Create the element of a menu with a text field, which showMenu shows. */
export function createPickerMenu(label) {
  return h("div.menu.picker", { role: "dialog", "aria-label": label, popover: "auto", tabindex: "-1" });
}

/** Return items in the groups that begin with a head: [{head, items}]. */
function groupItems(items) {
  const groups = [];
  items.forEach(({ head, disabled: isDisabled, ...item }, id) => {
    if (head || !groups.length) groups.push({ head, items: [] });
    if (!head) groups.at(-1).items.push({ ...item, id, isDisabled, group: groups.length - 1 });
  });
  return groups.filter((group) => group.items.length);
}

/** Return what a menu shows for a text. Of many items, each group has its first ones and those that are chosen. */
function listMatches(groups, text) {
  const all = groups.flatMap(({ items }) => items);
  const found = matchItems(text, all).map((item) => ({ ...item, isChosen: item.isChecked?.() ?? item.checked ?? false }));
  const { size } = new Set(found.map(({ group }) => group));
  const share = found.length > ITEMS_MAX ? Math.max(GROUP_ITEMS_MIN, Math.floor(ITEMS_MAX / size)) : found.length;
  const shown = groups.map(({ head, items: [{ group }] }) => {
    const matching = found.filter((item) => item.group === group);
    const items = matching.filter(({ isChosen }, at) => at < share || isChosen);
    const isAll = items.length === matching.length;
    return { head, items, note: isAll ? null : `${formatNumber(items.length)} of ${formatNumber(matching.length)}` };
  });
  const bestId = found.find(({ isDisabled }) => !isDisabled)?.id;
  const hint = found.length ? "" : `Nothing matches ${quote(text)}.`;
  return { groups: shown, bestId, hint };
}

/**
 * Create the text field and the list of a menu: {show(), draw(), update(), focus()}. `list(text)` returns what it shows:
 * {groups: [{head, note, items: [{id, label, content, mark, why, end, isChosen, isDisabled}]}], bestId, hint}. `take(item)`
 * chooses an item; it returns false if the menu then is as before. `place()` places the menu, `below` is shown under it.
 * @param {HTMLElement} menu
 * @param {() => void} place
 * @param {{label: string, placeholder: string, maxLength?: number, isMultiple: boolean, list: (text: string) => Listed,
 *   take: (item: any) => boolean | void, below?: Child}} options
 */
export function createPicker(menu, place, { label, placeholder, maxLength, isMultiple, list, take, below }) {
  const id = "picker-list";
  const listbox = createElement("div.options", { id, role: "listbox", "aria-label": label });
  setAttribute(listbox, "aria-multiselectable", isMultiple && "true");
  const attributes = { role: "combobox", "aria-label": placeholder, "aria-controls": id, "aria-autocomplete": "list" };
  const more = { placeholder, maxlength: maxLength, autocomplete: "off", spellcheck: "false", input: draw };
  const field = h("input.input", { ...attributes, ...more });
  const hint = h("p.small.muted", { role: "status" });
  let items = []; // that are shown, in their order
  let options = []; // their elements
  let drawn = null; // what the list shows
  let current = 0;
  let isWalking = false; // with arrows, so that Space chooses; after a letter it is one, too

  menu.addEventListener("keydown", handleKey);
  listbox.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
  return { show, draw, update, focus };

  function show() {
    replaceChildren(menu, field, hint, listbox, below);
    update();
    place();
    focus();
  }

  function focus() {
    (matchMedia("(pointer: coarse)").matches ? menu : field).focus();
  }

  /** Show what matches the typed text; the best of it is the current item. */
  function draw() {
    isWalking = false;
    drawFrom(null);
  }

  /** Show the items as they are now; the current one stays it. */
  function update() {
    drawFrom(items[current]?.id);
  }

  function drawFrom(currentId) {
    const found = list(field.value);
    items = found.groups.flatMap((group) => group.items);
    setText(hint, found.hint);
    const content = JSON.stringify([field.value, found.groups]);
    if (drawn === content) return; // a press on an option goes on, and the list stays scrolled
    drawn = content;
    drawOptions(found.groups);
    listbox.hidden = items.length === 0;
    setAttribute(field, "aria-expanded", String(!listbox.hidden));
    const at = items.findIndex((item) => item.id === (currentId ?? found.bestId));
    setCurrent(Math.max(0, at));
  }

  function drawOptions(groups) {
    options = items.map(renderOption);
    const rows = groups.map((group) => group.items.map((item) => options[items.indexOf(item)]));
    replaceChildren(
      listbox,
      groups.map((group, at) => (group.head ? renderGroup(group, rows[at]) : rows[at]))
    );
  }

  function renderOption({ label: text, content = text, mark, why, end, isChosen, isDisabled }, at) {
    const states = { "aria-selected": String(isChosen), "aria-disabled": isDisabled ? "true" : null };
    const handlers = { click: () => takeAt(at), pointermove: () => at !== current && setCurrent(at, false) };
    const ending = isChosen ? icon("check") : end;
    const words = h("span.words", content, why && h("span.why", why));
    return h("div", { id: `${id}-${at}`, role: "option", ...states, ...handlers }, mark, words, ending && h("span.end", ending));
  }

  function setCurrent(at, isScrolling = true) {
    options[current]?.classList.remove("current");
    current = at;
    options[at]?.classList.add("current");
    setAttribute(field, "aria-activedescendant", options[at]?.id);
    if (isScrolling) options[at]?.scrollIntoView({ block: "nearest" });
  }

  function handleKey(event) {
    const { key, target } = event;
    if (!field.isConnected || (target !== field && target.closest("button"))) return;
    const steps = { __proto__: null, ArrowDown: current + 1, ArrowUp: current - 1, Home: 0, End: -1 };
    if (key in steps && !event.shiftKey) walk(steps[key]);
    else if (key === "Enter" || (key === " " && isWalking)) takeAt(current);
    else if (key === "Tab" && !menu.querySelector("button")) menu.hidePopover();
    else return typeFrom(event);
    event.preventDefault();
    event.stopPropagation();
  }

  function walk(to) {
    isWalking = true;
    if (items.length) setCurrent((to + items.length) % items.length);
  }

  /** Give the field the focus, and with it the letter that is being typed. */
  function typeFrom(event) {
    if (event.target === field || !isLetter(event)) return;
    event.stopPropagation(); // it is no shortcut
    field.focus();
  }

  /** Choose an item. If several can be chosen, all are shown again, and it stays the current one. */
  function takeAt(at) {
    const item = items[at];
    if (item) setCurrent(at, false);
    if (!item || take(item) === false || !isMultiple) return;
    field.value = "";
    drawFrom(item.id);
    place();
  }
}

function renderGroup({ head, note, items }, rows) {
  if (!items.length) return null;
  const title = h("div.head", { role: "presentation" }, h("span", head), note && h("span.end", note));
  const attributes = { role: "group", "aria-label": note ? `${head}, ${note}` : head, tabindex: "0" }; // it may scroll
  return h("div.menu-group", attributes, title, rows);
}
