// Keyboard shortcuts: bindings, the user's own instead of the defaults, and dispatch.

import { get, patch, post, remove } from "./api.js";
import { setAttribute } from "./dom.js";
import { ACTIONS } from "./shortcut-actions.js";

const SEQUENCE_MILLISECONDS = 1200; // milliseconds within which the second key of a sequence comes

// What a binding can be: one press or two, each with modifiers; Tab and Space are the browser's.
const NAMED = String.raw`enter|escape|arrow(up|down|left|right)|home|end|page(up|down)|delete|insert|f\d\d?`;
const PRESS = String.raw`(ctrl\+)?(alt\+)?(shift\+)?(\S|${NAMED})`;
const BINDING = new RegExp(`^${PRESS}( ${PRESS})?$`, "u");

/** Tells `change` when the person has other keys than before. */
export const shortcutEvents = new EventTarget();

const customBindings = new Map(); // action -> {id, binding}, as the person set it
const scopes = []; // {actions, within}, the latest first
let bindings = new Map(); // binding -> [actions]
let begun = { key: null, at: 0 };
let suspensions = 0; // how many things are being opened that will take what is typed

/** Take the person's own shortcuts; without them the defaults do. */
export async function loadShortcuts() {
  try {
    for (const one of await get("/settings/shortcuts")) storeShortcut(one);
  } catch {
    // The defaults work, and the screens tell what is wrong with the connection.
  }
  indexBindings();
}

/** Take a shortcut as it is stored; what is no key that can be pressed does nothing. */
function storeShortcut({ id, action, binding }) {
  const told = binding.toLowerCase().replace("meta+", "ctrl+");
  customBindings.set(action, { id, binding: BINDING.test(told) ? told : null });
}

/** Have a key do an action, for this person wherever they sign in. */
export async function setShortcut(action, binding) {
  const id = customBindings.get(action)?.id;
  const path = "/settings/shortcuts";
  storeShortcut(await (id ? patch(`${path}/${encodeURIComponent(id)}`, { binding }) : post(path, { action, binding })));
  indexBindings();
}

/** Have an action on the keys with which it came. */
export async function resetShortcut(action) {
  if (customBindings.has(action))
    await remove(`/settings/shortcuts/${encodeURIComponent(customBindings.get(action).id)}`);
  customBindings.delete(action);
  indexBindings();
}

/** Tell whether the person has set the key of an action. */
export function isCustomShortcut(action) {
  return customBindings.has(action);
}

/** List the other actions that stand on some keys too, or on the first press of two. */
export function listConflicts(action, wanted) {
  const meets = (one, other) => one === other || one.startsWith(`${other} `) || other.startsWith(`${one} `);
  const others = ACTIONS.map(([other]) => other).filter((other) => other !== action);
  return others.filter((other) => getBindings(other).some((one) => wanted.some((binding) => meets(one, binding))));
}

/** Write a binding as people read it. */
export function formatBinding(binding) {
  return binding.replace(
    /arrow(up|down|left|right)/g,
    (_, way) => ({ up: "↑", down: "↓", left: "←", right: "→" })[way]
  );
}

/** Tell whether what was pressed stands for an action. */
export function matchesShortcut(event, action) {
  return bindingNames(event).some((name) => getBindings(action).includes(name));
}

/** Listen on an element for the next keys, one press or two; null after Escape, or if there were none. */
export function recordBinding(element, tell) {
  return new Promise((resolve) => {
    const done = (binding) => {
      clearTimeout(timer);
      element.removeEventListener("keydown", heed);
      element.removeEventListener("blur", gone);
      resolve(binding && BINDING.test(binding) ? binding : null);
    };
    const gone = () => done(first);
    let [first, timer] = [null, null];
    function heed(event) {
      if (["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
      if (event.key === "Tab") return done(null);
      event.preventDefault();
      event.stopPropagation();
      const [name] = bindingNames(event);
      if (name === "escape" || !BINDING.test(name)) return done(null);
      if (first) return done(`${first} ${name}`);
      tell(`${formatBinding((first = name))} …`);
      timer = setTimeout(() => done(first), SEQUENCE_MILLISECONDS);
    }
    element.addEventListener("keydown", heed);
    element.addEventListener("blur", gone);
  });
}

/** Give the attributes of an element that a key stands for too; they keep to the person's own. */
export function shortcutAttributes(action) {
  return { "data-action": action, "aria-keyshortcuts": ariaShortcuts(action) };
}

/** Give the bindings of an action. */
export function getBindings(action) {
  return customBindings.has(action)
    ? [customBindings.get(action).binding].filter(Boolean)
    : (ACTIONS.find(([id]) => id === action)?.slice(2) ?? []);
}

/** Give the bindings of an action as assistive technology names them; a sequence has no name there. */
function ariaShortcuts(action) {
  const names = { ctrl: "Control", alt: "Alt", shift: "Shift", enter: "Enter", escape: "Escape" };
  const named = (part) => names[part] ?? part.replace(/^arrow(.)/, (_, letter) => `Arrow${letter.toUpperCase()}`);
  const single = getBindings(action).filter((binding) => !binding.includes(" "));
  return single.map((binding) => binding.split("+").map(named).join("+")).join(" ") || null;
}

function indexBindings() {
  bindings = new Map();
  for (const [action] of ACTIONS) {
    for (const binding of getBindings(action)) bindings.set(binding, [...(bindings.get(binding) ?? []), action]);
  }
  const hints = document.querySelectorAll("[data-action]");
  for (const one of hints) setAttribute(one, "aria-keyshortcuts", ariaShortcuts(one.dataset.action));
  shortcutEvents.dispatchEvent(new Event("change"));
}

/** Have keys do `actions` (id -> function; false: not now), inside a dialog if one is named. Give a way to end it. */
export function registerShortcuts(actions, dialog = null) {
  const scope = { actions, dialog };
  scopes.unshift(scope);
  return () => scopes.splice(scopes.indexOf(scope), 1);
}

/** Have keys do nothing while something is being opened that will take what is typed. */
export async function suspendShortcuts(opening) {
  suspensions++;
  try {
    await opening;
  } finally {
    suspensions--;
  }
}

/** List the actions that keys could do now, where no dialog is open, by their ids. */
export function listAvailableActions() {
  const known = scopes.filter(({ dialog }) => dialog === null);
  return ACTIONS.map(([action]) => action).filter((action) => known.some(({ actions }) => action in actions));
}

/** Do an action as if its key had been pressed; tell whether anybody did it. */
export function performAction(action) {
  return runAction(action, new Event(action));
}

/** Tell whether an element takes what is typed. */
export function isTextField(element) {
  const kinds = "input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable]";
  return element?.matches?.(kinds) ?? false;
}

/** Name what was pressed, each way in which a binding could name it. */
function bindingNames(event) {
  const modifiers = [event.ctrlKey || event.metaKey ? "ctrl" : "", event.altKey ? "alt" : ""].filter(Boolean);
  const key = event.key.toLowerCase();
  const isLetter = key.length > 1 || key.toUpperCase() !== key;
  const shift = event.shiftKey ? ["shift"] : [];
  const found = [[...modifiers, ...(isLetter ? shift : []), key].join("+")];
  // With shift another sign stands on the key, which one depends on the keyboard.
  if (event.shiftKey && event.code === "Period") found.push([...modifiers, "shift", "."].join("+"));
  return found;
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.key === "Shift") return;
  const pressed = bindingNames(event);
  const isSequence = begun.key && Date.now() - begun.at < SEQUENCE_MILLISECONDS;
  const tried = isSequence ? pressed.map((name) => `${begun.key} ${name}`) : pressed;
  begun = { key: null, at: 0 };
  if (isTextField(event.target)) return;
  if (suspensions > 0) return event.preventDefault();
  for (const name of tried) {
    for (const action of bindings.get(name) ?? []) if (runAction(action, event)) return;
  }
  const begins = [...bindings.keys()].some((binding) => binding.startsWith(`${pressed[0]} `));
  if (begins && !isSequence) begun = { key: pressed[0], at: Date.now() };
});

function runAction(action, event) {
  const dialog = [...document.querySelectorAll("dialog:modal")].pop() ?? null;
  for (const scope of scopes) {
    const isOpen = scope.dialog === dialog || (scope.dialog === "any" && dialog);
    if (isOpen && action in scope.actions && scope.actions[action](event) !== false) {
      event.preventDefault();
      return true;
    }
  }
  return false;
}

indexBindings();
