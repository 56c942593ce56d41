// Menus with a text field: a combobox whose list shows what matches the typed text. The field gets the focus, except on a touch
// screen, whose keyboard would cover the list: there a tap on the field brings it, or typing on a real keyboard.

import { h, replaceChildren, setText } from "../../core/dom.js";
import { formatNumber, quote } from "../../core/format.js";
import { matchItems } from "../../core/matching.js";
import { groupItems, isLetter, Listbox } from "./listbox.js";
import { showPopup } from "./popup.js";

/** @import { Child } from "../../core/dom.js" */
/** @import { Group } from "./listbox.js" */
/** @import { MenuOptions } from "./menu.js" */

/** How many items are shown at once; typing finds the others. */
export const ITEMS_MAX = 100;
const GROUP_ITEMS_MIN = 8; // of a group that has more

/**
 * Open a menu with a text field; see openMenu. With `isWide`, its groups stand side by side.
 * @param {HTMLElement} anchor
 * @param {MenuOptions & {isWide?: boolean}} options
 */
export function openPicker(anchor, options) {
  new Picker(options).show(anchor, options.focus);
}

/** A menu with a text field. */
export class Picker {
  drawn = null; // what the list shows
  isWalking = false; // with arrows, so that Space chooses; after a letter it is one, too
  /** @type {Child} */
  below = null; // what stands under the list

  /** @param {MenuOptions & {isWide?: boolean, placeholder?: string, maxLength?: number, isMultiple?: boolean}} options */
  constructor({ label, items, isWide = false, placeholder = "Type to find", maxLength, isMultiple }) {
    this.groups = groupItems(items.map((item, id) => ({ ...item, id })));
    this.items = this.groups.flatMap((group) => group.items);
    this.isMultiple = isMultiple ?? items.some(({ isChecked }) => isChecked);
    this.element = h("div.popup.menu.picker", { role: "dialog", "aria-label": label, popover: "auto", tabindex: "-1" });
    this.element.classList.toggle("in-columns", isWide);
    const attributes = { "aria-label": placeholder, placeholder, maxlength: maxLength, spellcheck: "false" };
    this.field = h("input.input", { ...attributes, input: () => this.draw() });
    this.hint = h("p.small.muted", { role: "status" });
    const options = h("div.options", { "aria-label": label, "aria-multiselectable": this.isMultiple && "true" });
    this.list = new Listbox(options, { field: this.field, take: (item) => this.choose(item) });
    this.element.addEventListener("keydown", (event) => this.handleKey(event));
  }

  show(anchor, focus) {
    this.place = showPopup(this.element, anchor, focus);
    this.fill();
  }

  fill() {
    replaceChildren(this.element, this.field, this.hint, this.list.element, this.below);
    this.update();
    this.place();
    this.focus();
  }

  focus() {
    (matchMedia("(pointer: coarse)").matches ? this.element : this.field).focus();
  }

  /** Show what matches the typed text; the best of it is the current item. */
  draw() {
    this.isWalking = false;
    this.drawFrom(null);
  }

  /** Show the items as they are now; the current one stays it. */
  update() {
    this.drawFrom(this.list.items[this.list.current]?.id);
  }

  drawFrom(currentId) {
    const { groups, bestId, hint } = this.find(this.field.value);
    setText(this.hint, hint);
    const content = JSON.stringify([this.field.value, groups]);
    if (this.drawn === content) return; // a press on an option goes on, and the list stays scrolled
    this.drawn = content;
    const at = groups.flatMap(({ items }) => items).findIndex(({ id }) => id === (currentId ?? bestId));
    this.list.draw(groups, Math.max(0, at));
  }

  /**
   * Return what is shown for a text. Of many items, each group has its first ones and those that are checked.
   * @param {string} text
   * @returns {{groups: Group[], bestId?: unknown, hint: string}}
   */
  find(text) {
    const check = (item) => item.isChecked?.() ?? item.checked ?? false;
    const found = matchItems(text, this.items).map((item) => ({ ...item, checked: check(item) }));
    const { size } = new Set(found.map(({ group }) => group));
    const share = found.length > ITEMS_MAX ? Math.max(GROUP_ITEMS_MIN, Math.floor(ITEMS_MAX / size)) : found.length;
    const ofGroup = (at) => found.filter(({ group }) => group === at);
    const groups = this.groups.map(({ head }, at) => shortenGroup(head, ofGroup(at), share));
    const bestId = found.find(({ disabled }) => !disabled)?.id;
    const hint = found.length ? "" : `Nothing matches ${quote(text)}.`;
    return { groups, bestId, hint };
  }

  handleKey(event) {
    const { key, target, shiftKey } = event;
    if (!this.field.isConnected || (target !== this.field && target.closest("button"))) return;
    if (!shiftKey && this.list.walk(event)) this.isWalking = true;
    else if (key === "Enter" || (key === " " && this.isWalking)) this.list.takeAt();
    else if (key === "Tab" && !this.element.querySelector("button")) this.element.hidePopover();
    else return this.typeFrom(event);
    event.preventDefault();
    event.stopPropagation();
  }

  /** Give the field the focus, and with it the letter that is being typed. */
  typeFrom(event) {
    if (event.target === this.field || !isLetter(event)) return;
    event.stopPropagation(); // it is no shortcut
    this.field.focus();
  }

  /** Choose an item. If several can be chosen, all are shown again, and it stays the current one. */
  choose(item) {
    if (this.take(item) === false || !this.isMultiple) return;
    this.field.value = "";
    this.drawFrom(item.id);
    this.place();
  }

  /**
   * Take an item; return false if the list then is as before.
   * @returns {false | void}
   */
  take({ disabled, run }) {
    if (disabled) return false;
    if (!this.isMultiple) this.element.hidePopover();
    run?.();
  }
}

/** Return the first items of a group, and the checked ones, with a note how many these are of all. */
function shortenGroup(head, all, count) {
  const items = all.filter(({ checked }, at) => at < count || checked);
  return { head, items, note: items.length < all.length && `${formatNumber(items.length)} of ${formatNumber(all.length)}` };
}
