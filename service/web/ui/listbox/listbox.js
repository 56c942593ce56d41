// Lists of items of which one is current.

import { closest, h, replaceChildren, setAttribute } from "../../core/dom.js";
import { icon } from "../../core/icons.js";

/** @import { Child } from "../../core/dom.js" */
/**
 * An item: its label, or `content` in place of that, a note `why`, and what stands before and behind it. One that can be
 * chosen is `checked` or not. A disabled one can be the current one, so that its note can be read.
 * @typedef {{label?: string, content?: Child, why?: Child, mark?: Child, end?: Child, checked?: boolean,
 *   disabled?: boolean}} Item
 */
/** @typedef {{head?: string, note?: string | false, items: any[]}} Group */

let listCount = 0;

/**
 * A list of items of which one is current. With a text field it is a listbox: the field keeps the focus and names the current
 * option. Without one it is a menu, whose current item has the focus.
 */
export class Listbox {
  /** @type {any[]} */
  items = []; // that are shown
  /** @type {HTMLElement[]} */
  options = []; // their elements
  current = -1; // the place of the current item

  /**
   * `take(item)` is called for an item that is chosen. Unless `isPointed`, the pointer makes no item the current one.
   * @param {HTMLElement} element
   * @param {{field?: HTMLElement | null, take: (item: any) => unknown, isPointed?: boolean}} options
   */
  constructor(element, { field = null, take, isPointed = true }) {
    this.element = element;
    this.field = field;
    this.take = take;
    element.addEventListener("click", (event) => this.takeAt(this.placeOf(event)));
    if (isPointed) element.addEventListener("pointermove", (event) => this.point(this.placeOf(event)));
    if (field) this.serveField();
  }

  /** Make a field of one line a combobox; one of several lines stays a textbox. */
  serveField() {
    const { element, field } = this;
    element.id = `list-${++listCount}`;
    element.role = "listbox";
    element.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
    setAttribute(field, "autocomplete", "off");
    setAttribute(field, "aria-autocomplete", "list");
    if (field.localName === "input") field.role = "combobox";
    this.draw([]);
  }

  /**
   * Show items in groups; the one at a place is the current one.
   * @param {Group[]} groups
   */
  draw(groups, current = 0) {
    this.items = groups.flatMap(({ items }) => items);
    this.options = this.items.map((item, place) => this.renderItem(item, place));
    const rows = [...this.options];
    const shown = groups.map((group) => this.renderGroup(group, rows.splice(0, group.items.length)));
    replaceChildren(this.element, shown);
    if (this.field) this.showState();
    this.setCurrent(current);
  }

  showState() {
    const isEmpty = this.items.length === 0;
    this.element.hidden = isEmpty;
    setAttribute(this.field, "aria-controls", !isEmpty && this.element.id);
    if (this.field.role === "combobox") setAttribute(this.field, "aria-expanded", String(!isEmpty));
  }

  renderItem({ label, content = label, why, mark, end, checked, disabled }, place) {
    const state = checked === undefined ? null : String(checked);
    const [name, attributes] = this.field
      ? ["div.choice", { role: "option", id: `${this.element.id}-${place}` }]
      : ["button.choice", { role: state ? "menuitemradio" : "menuitem", "aria-checked": state }];
    const words = h("span.words", content, why && [" ", h("span.why", why)]);
    const ending = checked ? icon("check") : end;
    const isDisabled = disabled ? "true" : null;
    return h(name, { ...attributes, "aria-disabled": isDisabled }, mark, words, ending && h("span.end", ending));
  }

  renderGroup(group, rows) {
    const { head, note } = group;
    if (!head || !rows.length) return rows;
    const title = h("div.head", { role: "presentation" }, h("span", head), note && h("span.end", note));
    if (!this.field) return [title, rows];
    const attributes = { role: "group", "aria-label": note ? `${head}, ${note}` : head, tabindex: "0" }; // it may scroll
    return h("div.menu-group", attributes, title, rows);
  }

  /** Make the item at a place the current one, which is the selected option, too, unless options are checked; -1 is none. */
  setCurrent(place, isScrolling = true) {
    const option = this.options[place];
    this.current = place;
    if (!this.field) return option?.focus({ preventScroll: !isScrolling });
    this.options.forEach((one, at) => {
      one.classList.toggle("current", at === place);
      setAttribute(one, "aria-selected", String(this.items[at].checked ?? at === place));
    });
    setAttribute(this.field, "aria-activedescendant", option?.id);
    if (isScrolling) option?.scrollIntoView({ block: "nearest" });
  }

  /** Go to another item by its key; return whether it is one of those keys. */
  walk({ key }) {
    const { current, items } = this;
    const steps = { __proto__: null, ArrowDown: current + 1, ArrowUp: Math.max(0, current) - 1, Home: 0, End: -1 };
    if (key in steps && items.length) this.setCurrent((steps[key] + items.length) % items.length);
    return key in steps;
  }

  /** Take the item at a place, if there is one. */
  takeAt(place = this.current) {
    this.point(place);
    if (this.items[place]) this.take(this.items[place]);
  }

  point(place) {
    if (place >= 0 && place !== this.current) this.setCurrent(place, false);
  }

  placeOf({ target }) {
    return this.options.indexOf(closest(target, ".choice"));
  }
}

/** Return items in the groups that begin with a head; `group` of an item is the place of its group. */
export function groupItems(items) {
  /** @type {Group[]} */
  const groups = [];
  for (const { head, ...item } of items) {
    if (head || !groups.length) groups.push({ head, items: [] });
    if (!head) groups.at(-1).items.push({ ...item, group: groups.length - 1 });
  }
  return groups;
}

/** Return whether a key types a character. */
export function isLetter({ key, ctrlKey, metaKey, altKey }) {
  return key.length === 1 && !ctrlKey && !metaKey && !altKey;
}
