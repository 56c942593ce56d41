// Keyboard shortcuts: bindings, the user's own instead of the defaults, and dispatch.

import { get, patch, post, remove } from "./api.js";
import { queryAll, setAttribute } from "./dom.js";
import { ACTIONS } from "./shortcut-actions.js";

/**
 * What a shortcut runs, with its KeyboardEvent, or with an Event if the command palette runs it.
 * @typedef {((event: any) => unknown) & {isAvailable?: () => boolean}} Handler
 */

/** Whether the keyboard has Command (⌘) in place of Ctrl. */
export const IS_MAC = /Mac|iP/.test(navigator.platform);
/** The keys that save a text of several lines, as they are printed on the keyboard. */
export const SAVE_KEYS = IS_MAC ? "⌘+Enter" : "Ctrl+Enter";

const SEQUENCE_MILLISECONDS = 1200; // between the two keys of a sequence

// A binding is one key press or a sequence of two, each with modifiers. Tab and Space belong to the browser.
const NAMED = String.raw`enter|escape|arrow(up|down|left|right)|home|end|page(up|down)|delete|insert|f\d\d?`;
const PRESS = String.raw`(ctrl\+)?(alt\+)?(shift\+)?(\S|${NAMED})`;
const ARROWS = { __proto__: null, up: "↑", down: "↓", left: "←", right: "→" };
const BINDING = new RegExp(`^${PRESS}( ${PRESS})?$`, "u");

/** Dispatches `change` when the user's bindings have changed. */
export const shortcutEvents = new EventTarget();

const customBindings = new Map(); // action -> {id, binding}, as the user set it
const scopes = []; // {actions, within}, the newest first
let bindings = new Map(); // binding -> [actions]
let sequence = { key: null, at: 0 };
let suspensions = 0; // how many dialogs and menus are being loaded
const typedAhead = []; // the keys pressed meanwhile

/** Load the user's own bindings; on failure the defaults apply. */
export async function loadShortcuts() {
  try {
    for (const shortcut of await get("/settings/shortcuts")) storeShortcut(shortcut);
  } catch {
    // The defaults apply; the pages report connection problems.
  }
  indexBindings();
}

/** Store a binding of the service. An invalid one disables the shortcut. */
function storeShortcut({ id, action, binding }) {
  const normalized = binding.toLowerCase().replace("meta+", "ctrl+");
  customBindings.set(action, { id, binding: BINDING.test(normalized) ? normalized : null });
}

/** Bind an action to a key, for the user in all browsers. */
export async function setShortcut(action, binding) {
  const id = customBindings.get(action)?.id;
  const path = "/settings/shortcuts";
  storeShortcut(await (id ? patch(`${path}/${encodeURIComponent(id)}`, { binding }) : post(path, { action, binding })));
  indexBindings();
}

/** Reset an action to its default bindings. */
export async function resetShortcut(action) {
  if (customBindings.has(action)) await remove(`/settings/shortcuts/${encodeURIComponent(customBindings.get(action).id)}`);
  customBindings.delete(action);
  indexBindings();
}

/** Return whether the user has changed the binding of an action. */
export function isCustomShortcut(action) {
  return customBindings.has(action);
}

/** Format a binding for display. */
export function formatBinding(binding) {
  return binding.replace(/arrow(up|down|left|right)/g, (_, way) => ARROWS[way]);
}

/** Return whether a key event matches an action. */
export function matchesShortcut(event, action) {
  return bindingNames(event).some((name) => getBindings(action).includes(name));
}

/** Record the next binding that is pressed on an element; resolve to null after Escape or on blur. */
export function recordBinding(element, showProgress) {
  return new Promise((resolve) => {
    const done = (binding) => {
      clearTimeout(timer);
      element.removeEventListener("keydown", handleKey);
      element.removeEventListener("blur", handleBlur);
      resolve(binding && BINDING.test(binding) ? binding : null);
    };
    const handleBlur = () => done(first);
    let [first, timer] = [null, null];
    function handleKey(event) {
      if (["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
      if (event.key === "Tab") return done(null);
      event.preventDefault();
      event.stopPropagation();
      const [name] = bindingNames(event);
      if (name === "escape" || !BINDING.test(name)) return done(null);
      if (first) return done(`${first} ${name}`);
      showProgress(`${formatBinding((first = name))} …`);
      timer = setTimeout(() => done(first), SEQUENCE_MILLISECONDS);
    }
    element.addEventListener("keydown", handleKey);
    element.addEventListener("blur", handleBlur);
  });
}

/** Return the attributes of an element that has a shortcut; they follow changes of the binding. */
export function shortcutAttributes(action) {
  return { "data-action": action, "aria-keyshortcuts": ariaShortcuts(action) };
}

/** Return the bindings of an action. */
export function getBindings(action) {
  return customBindings.has(action)
    ? [customBindings.get(action).binding].filter(Boolean)
    : (ACTIONS.find(([id]) => id === action)?.slice(2) ?? []);
}

/** Return the bindings of an action for aria-keyshortcuts, which has no notation for sequences. */
function ariaShortcuts(action) {
  const names = { __proto__: null, ctrl: "Control", alt: "Alt", shift: "Shift", enter: "Enter", escape: "Escape" };
  const ariaName = (part) => names[part] ?? part.replace(/^arrow(.)/, (_, letter) => `Arrow${letter.toUpperCase()}`);
  const single = getBindings(action).filter((binding) => !binding.includes(" "));
  return single.map((binding) => binding.split("+").map(ariaName).join("+")).join(" ") || null;
}

function indexBindings() {
  bindings = new Map();
  for (const [action] of ACTIONS) {
    for (const binding of getBindings(action)) bindings.set(binding, [...(bindings.get(binding) ?? []), action]);
  }
  for (const element of queryAll(document, "[data-action]"))
    setAttribute(element, "aria-keyshortcuts", ariaShortcuts(element.dataset.action));
  shortcutEvents.dispatchEvent(new Event("change"));
}

/**
 * Register handlers by action id; a handler returns false if it does not apply. With `dialog` they apply inside it ("any": in
 * every dialog). The command palette offers them there too, if `isAvailable()` of the handler allows it, and those of a
 * `global` scope everywhere. Return a function that unregisters them.
 * @param {Record<string, Handler>} actions
 * @param {Element | "any" | null} [dialog]
 * @param {{isGlobal?: boolean}} [options]
 */
export function registerShortcuts(actions, dialog = null, { isGlobal = false } = {}) {
  const scope = { actions, dialog, isGlobal };
  scopes.unshift(scope);
  return () => scopes.splice(scopes.indexOf(scope), 1);
}

/**
 * Keep the keys that are pressed while a dialog or menu is being loaded, and give them to it; resolve to what `opening`
 * resolves to.
 */
export async function suspendShortcuts(opening) {
  suspensions++;
  try {
    return await opening;
  } finally {
    Promise.resolve().then(() => queueMicrotask(resumeShortcuts)); // the caller opens it between the two, and no key comes before
  }
}

function resumeShortcuts() {
  if (--suspensions > 0) return;
  for (const pressed of typedAhead.splice(0)) {
    const target = document.activeElement;
    if (isTextField(target) && pressed.key.length === 1) typeInto(target, pressed.key);
    else if (isTextField(target) || target.closest("[role=menu]")) pressKey(target, pressed);
  }
}

function pressKey(target, { key, ctrlKey, metaKey }) {
  const options = { key, ctrlKey, metaKey, bubbles: true, cancelable: true };
  const isFree = target.dispatchEvent(new KeyboardEvent("keydown", options));
  if (!isFree || key !== "Enter" || ctrlKey || metaKey) return;
  if (target.matches("input")) target.form?.requestSubmit();
  else target.click();
}

function typeInto(field, text) {
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new InputEvent("input", { inputType: "insertText", data: text, bubbles: true }));
}

/**
 * Return a handler that applies while it is available.
 * @param {() => unknown} isAvailable
 * @param {() => unknown} run
 * @returns {Handler}
 */
export function handlerWhile(isAvailable, run) {
  return Object.assign(() => (isAvailable() ? void run() : false), { isAvailable: () => Boolean(isAvailable()) });
}

/** Return the modal dialog that takes the keyboard, or null. */
export function topDialog() {
  return [...document.querySelectorAll("dialog:modal")].pop() ?? null;
}

/**
 * Return the actions that can be performed in a dialog, or outside of dialogs, as [id, function that performs it].
 * @param {Element | null} dialog
 * @returns {[id: string, perform: () => void][]}
 */
export function listAvailableActions(dialog) {
  const available = scopes.filter((scope) => scope.isGlobal || isOpen(scope, dialog));
  return ACTIONS.flatMap(([action]) => {
    const handlers = available.map(({ actions }) => actions[action]).filter((run) => run && (run.isAvailable?.() ?? true));
    const perform = () => void handlers.some((run) => run(new Event(action)) !== false);
    return handlers.length > 0 ? [/** @type {[string, () => void]} */ ([action, perform])] : [];
  });
}

/**
 * Return whether an element takes text input.
 * @param {EventTarget | null} element
 * @returns {element is HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement}
 */
export function isTextField(element) {
  const kinds = "input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable]";
  return element instanceof Element && element.matches(kinds);
}

/** Return the notations of a key event in bindings. */
function bindingNames(event) {
  const modifiers = [event.ctrlKey || event.metaKey ? "ctrl" : "", event.altKey ? "alt" : ""].filter(Boolean);
  const key = event.key.toLowerCase();
  const isLetter = key.length > 1 || key.toUpperCase() !== key;
  const shift = event.shiftKey ? ["shift"] : [];
  const names = [[...modifiers, ...(isLetter ? shift : []), key].join("+")];
  // With Shift the key has another character, which depends on the keyboard layout.
  if (event.shiftKey && event.code === "Period") names.push([...modifiers, "shift", "."].join("+"));
  return names;
}

// A key of an input method (Chinese, Japanese, Korean …) reaches no handler: its Enter sends nothing, its Escape closes
// nothing. Safari reports the Enter that ends a composition afterwards, with key code 229.
addEventListener(
  "keydown",
  (event) => {
    if (!event.isComposing && event.keyCode !== 229) return;
    event.stopImmediatePropagation();
    if (event.key === "Enter" || event.key === "Escape") event.preventDefault(); // nor submits a form or closes a dialog
  },
  true
);

// What is typed while a dialog or menu is being loaded waits for it.
addEventListener(
  "keydown",
  (event) => {
    const isText = event.key.length === 1 || event.key === "Enter";
    if (suspensions === 0 || !isText || isTextField(event.target)) return;
    if (event.altKey || ((event.ctrlKey || event.metaKey) && event.key !== "Enter")) return; // Ctrl+Enter saves
    typedAhead.push(event);
    event.preventDefault();
    event.stopImmediatePropagation();
  },
  true
);

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.key === "Shift") return;
  const pressed = bindingNames(event);
  const isSequence = sequence.key && Date.now() - sequence.at < SEQUENCE_MILLISECONDS;
  const candidates = isSequence ? pressed.map((name) => `${sequence.key} ${name}`) : pressed;
  sequence = { key: null, at: 0 };
  if (isTextField(event.target) && !isPaletteInSearch(event)) return;
  if (suspensions > 0) return event.preventDefault();
  for (const name of candidates) {
    for (const action of bindings.get(name) ?? []) if (runAction(action, event)) return;
  }
  const begins = [...bindings.keys()].some((binding) => binding.startsWith(`${pressed[0]} `));
  if (begins && !isSequence) sequence = { key: pressed[0], at: Date.now() };
});

/** Return whether a key opens the palette, with Ctrl, in the field of a search, which has the focus on its page. */
function isPaletteInSearch(event) {
  return event.target.type === "search" && (event.ctrlKey || event.metaKey) && matchesShortcut(event, "palette.open");
}

/** Return whether the handlers of a scope apply in a dialog, or outside of dialogs. */
function isOpen(scope, dialog) {
  return scope.dialog === dialog || (scope.dialog === "any" && dialog !== null);
}

function runAction(action, event) {
  const dialog = topDialog();
  for (const scope of scopes) {
    if (isOpen(scope, dialog) && Object.hasOwn(scope.actions, action) && scope.actions[action](event) !== false) {
      event.preventDefault();
      return true;
    }
  }
  return false;
}

indexBindings();
