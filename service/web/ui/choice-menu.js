// Menus of choices: a long one has a text field.

import { suspendShortcuts } from "../core/shortcuts.js";
import { openMenu } from "./menu.js";

/** @import { MenuOptions } from "./menu.js" */

const ITEMS_MAX = 8; // of a menu without a text field

let openPicker = null; // once it is loaded, a long menu takes the next key

/**
 * Open a menu of choices beside an element; `options` are those of openMenu.
 * @param {HTMLElement} anchor
 * @param {MenuOptions} options
 */
export async function openChoiceMenu(anchor, options) {
  if (options.items.filter(({ head }) => !head).length <= ITEMS_MAX) return openMenu(anchor, options);
  openPicker ??= (await suspendShortcuts(import("./picker.js").catch(() => null)))?.openPicker;
  (openPicker ?? openMenu)(anchor, options); // without a connection, a menu without a text field will do
}
