// Menus without a text field. Typing shows the items that match.

import { h } from "../../core/dom.js";
import { quote } from "../../core/format.js";
import { suspendShortcuts } from "../../core/shortcuts.js";
import { groupItems, isLetter, Listbox } from "./listbox.js";
import { showPopup } from "./popup.js";

/** @import { Item } from "./listbox.js" */
/**
 * An item of a menu, or a head, which begins a group. A menu with a text field stays open if its items have `isChecked()`, so
 * that several can be chosen.
 * @typedef {Item & {head?: string, run?: () => unknown, isChecked?: () => boolean}} MenuItem
 */
/** @typedef {{label: string, items: MenuItem[], focus?: () => unknown}} MenuOptions */

const CHOICES_MAX = 8; // of a menu without a text field

let openPicker = null; // once it is loaded, a long menu takes the next key

/**
 * Open a menu beside an element. When it closes and had the focus, `focus()` gives that back.
 * @param {HTMLElement} anchor
 * @param {MenuOptions} options
 */
export function openMenu(anchor, options) {
  new Menu(options).show(anchor, options.focus);
}

/**
 * Open a menu of choices, which has a text field if it is long; `options` are those of openMenu.
 * @param {HTMLElement} anchor
 * @param {MenuOptions} options
 */
export async function openChoiceMenu(anchor, options) {
  if (options.items.filter(({ head }) => !head).length <= CHOICES_MAX) return openMenu(anchor, options);
  openPicker ??= (await suspendShortcuts(import("./picker.js").catch(() => null)))?.openPicker;
  (openPicker ?? openMenu)(anchor, options); // without a connection, a menu without a text field will do
}

/** Load what finds items by typed text; without it, typing finds nothing. */
const loadMatching = () => import("../../core/matching.js").catch(() => null);

class Menu {
  typed = "";
  matching = loadMatching();

  /** @param {MenuOptions} options */
  constructor({ label, items }) {
    this.groups = groupItems(items);
    this.items = this.groups.flatMap((group) => group.items);
    this.element = h("div.popup.menu", { role: "menu", "aria-label": label, popover: "auto", tabindex: "-1" });
    this.list = new Listbox(this.element, { take: (item) => this.take(item) });
    this.element.addEventListener("keydown", (event) => this.handleKey(event));
  }

  show(anchor, focus) {
    const place = showPopup(this.element, anchor, focus);
    this.list.draw(
      this.groups,
      Math.max(
        0,
        this.items.findIndex(({ disabled }) => !disabled)
      )
    );
    place();
  }

  take({ disabled, run }) {
    if (disabled) return;
    this.element.hidePopover();
    run?.();
  }

  handleKey(event) {
    const { key } = event;
    if (key === "Tab") this.element.hidePopover();
    else if (key === "Backspace") this.type(this.typed.slice(0, -1));
    else if (key === "Enter" && this.typed) this.takeCurrent();
    else if (isLetter(event) && (key !== " " || this.typed)) this.type(this.typed + key);
    else if (!this.list.walk(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Show the items that match a text. */
  type(text) {
    this.typed = text;
    this.matching = this.matching.then(async (loaded) => {
      const module = loaded ?? (await loadMatching());
      if (module && this.element.isConnected) this.showMatches(module.matchItems(this.typed, this.items));
      return module;
    });
  }

  showMatches(items) {
    this.list.draw(this.typed ? [{ items }] : this.groups);
    const message = items.length ? this.typed : `Nothing matches ${quote(this.typed)}.`;
    if (this.typed) this.element.prepend(h("p.typed", { role: "status" }, message));
    if (!items.length) this.element.focus();
  }

  /** Take the current item once all typed letters are taken into account. */
  async takeCurrent() {
    if ((await this.matching) && this.element.contains(document.activeElement)) this.list.takeAt();
  }
}
