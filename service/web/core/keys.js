// Keyboard shortcuts by action: the defaults, a person's own instead of them, and who acts on them at the moment.

import { get, patch, post, remove } from "./api.js";
import { attribute } from "./dom.js";

/** The actions that keys can do: id, what it does in words, default bindings. */
export const ACTIONS = [
  ["palette.open", "Find a board, a card or an action", "ctrl+k"],
  ["go.now", "Go to Now", "g n"],
  ["go.boards", "Go to the boards", "g b"],
  ["go.agents", "Go to the agents", "g a"],
  ["go.figures", "Go to the figures", "g f"],
  ["go.search", "Search all boards", "g s"],
  ["board.search", "Filter the cards", "/"],
  ["filter.open", "More filters", "f"],
  ["filter.mine", "Only my cards", "q"],
  ["card.create", "Add a card", "c"],
  ["card.focus.up", "Card above", "arrowup", "k"],
  ["card.focus.down", "Card below", "arrowdown", "j"],
  ["card.focus.left", "Column to the left", "arrowleft", "h"],
  ["card.focus.right", "Column to the right", "arrowright", "l"],
  ["card.open", "Open the card", "enter"],
  ["card.move.menu", "Move to …", "m"],
  ["card.move.up", "Move the card up", "shift+arrowup"],
  ["card.move.down", "Move the card down", "shift+arrowdown"],
  ["card.move.left", "Move to the column on the left", "shift+arrowleft"],
  ["card.move.right", "Move to the column on the right", "shift+arrowright"],
  ["card.transition.next", "Move along the way forward", "]"],
  ["card.transition.previous", "Move along the way back", "["],
  ["card.assign.me", "Assign the card to me", "i"],
  ["card.priority", "Change the priority", "p"],
  ["card.due", "Change the due date", "d"],
  ["card.edit", "Change the title", "e"],
  ["card.archive", "Archive the card", "shift+e"],
  ["card.select", "Select the card, or no longer", "x"],
  ["select.none", "Deselect all cards", "escape"],
  ["undo", "Undo what was done last", "z"],
  ["request.approve", "Approve", "a"],
  ["request.reject", "Reject with a reason", "r"],
  ["comment.post", "Send the comment", "ctrl+enter"],
  ["agents.freeze", "Freeze all agents", "shift+f"],
  ["notice.last", "Show the last notice again", "shift+."],
  ["help", "Show these keys", "?"]
];
/** The words of each action by its id. */
export const WORDS = Object.fromEntries(ACTIONS);
const SEQUENCE_MILLISECONDS = 1200; // milliseconds within which the second key of a sequence comes

// What a binding can be: one press or two, each with modifiers; Tab and Space are the browser's.
const NAMED = String.raw`enter|escape|arrow(up|down|left|right)|home|end|page(up|down)|delete|insert|f\d\d?`;
const PRESS = String.raw`(ctrl\+)?(alt\+)?(shift\+)?(\S|${NAMED})`;
const BINDING = new RegExp(`^${PRESS}( ${PRESS})?$`, "u");

/** Tells `change` when the person has other keys than before. */
export const keys = new EventTarget();

const own = new Map(); // action -> {id, binding}, as the person set it
const scopes = []; // {actions, within}, the latest first
let bindings = new Map(); // binding -> [actions]
let begun = { key: null, at: 0 };
let held = 0; // how many things are being opened that will take what is typed

/** Take the person's own shortcuts; without them the defaults do. */
export async function load() {
  try {
    for (const one of await get("/settings/shortcuts")) take(one);
  } catch {
    // The defaults work, and the screens tell what is wrong with the connection.
  }
  arrange();
}

/** Take a shortcut as it is stored; what is no key that can be pressed does nothing. */
function take({ id, action, binding }) {
  const told = binding.toLowerCase().replace("meta+", "ctrl+");
  own.set(action, { id, binding: BINDING.test(told) ? told : null });
}

/** Have a key do an action, for this person wherever they sign in. */
export async function rebind(action, binding) {
  const id = own.get(action)?.id;
  const path = "/settings/shortcuts";
  take(await (id ? patch(`${path}/${encodeURIComponent(id)}`, { binding }) : post(path, { action, binding })));
  arrange();
}

/** Have an action on the keys with which it came. */
export async function unbind(action) {
  if (own.has(action)) await remove(`/settings/shortcuts/${encodeURIComponent(own.get(action).id)}`);
  own.delete(action);
  arrange();
}

/** Tell whether the person has set the key of an action. */
export function isOwn(action) {
  return own.has(action);
}

/** List the other actions that stand on some keys too, or on the first press of two. */
export function neighbours(action, wanted) {
  const meets = (one, other) => one === other || one.startsWith(`${other} `) || other.startsWith(`${one} `);
  const others = ACTIONS.map(([other]) => other).filter((other) => other !== action);
  return others.filter((other) => bindingsOf(other).some((one) => wanted.some((binding) => meets(one, binding))));
}

/** Write a binding as people read it. */
export function shownKey(binding) {
  return binding.replace(/arrow(up|down|left|right)/g, (_, way) => ({ up: "↑", down: "↓", left: "←", right: "→" })[way]);
}

/** Tell whether what was pressed stands for an action. */
export function isPressed(event, action) {
  return names(event).some((name) => bindingsOf(action).includes(name));
}

/** Listen on an element for the next keys, one press or two; null after Escape, or if there were none. */
export function record(element, tell) {
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
      const [name] = names(event);
      if (name === "escape" || !BINDING.test(name)) return done(null);
      if (first) return done(`${first} ${name}`);
      tell(`${shownKey((first = name))} …`);
      timer = setTimeout(() => done(first), SEQUENCE_MILLISECONDS);
    }
    element.addEventListener("keydown", heed);
    element.addEventListener("blur", gone);
  });
}

/** Give the attributes of an element that a key stands for too; they keep to the person's own. */
export function hinted(action) {
  return { "data-action": action, "aria-keyshortcuts": keyshortcuts(action) };
}

/** Give the bindings of an action. */
export function bindingsOf(action) {
  return own.has(action) ? [own.get(action).binding].filter(Boolean) : (ACTIONS.find(([id]) => id === action)?.slice(2) ?? []);
}

/** Give the bindings of an action as assistive technology names them; a sequence has no name there. */
function keyshortcuts(action) {
  const names = { ctrl: "Control", alt: "Alt", shift: "Shift", enter: "Enter", escape: "Escape" };
  const named = (part) => names[part] ?? part.replace(/^arrow(.)/, (_, letter) => `Arrow${letter.toUpperCase()}`);
  const single = bindingsOf(action).filter((binding) => !binding.includes(" "));
  return single.map((binding) => binding.split("+").map(named).join("+")).join(" ") || null;
}

function arrange() {
  bindings = new Map();
  for (const [action] of ACTIONS) {
    for (const binding of bindingsOf(action)) bindings.set(binding, [...(bindings.get(binding) ?? []), action]);
  }
  const hints = document.querySelectorAll("[data-action]");
  for (const one of hints) attribute(one, "aria-keyshortcuts", keyshortcuts(one.dataset.action));
  keys.dispatchEvent(new Event("change"));
}

/** Have keys do `actions` (id -> function; false: not now), inside a dialog if one is named. Give a way to end it. */
export function bind(actions, dialog = null) {
  const scope = { actions, dialog };
  scopes.unshift(scope);
  return () => scopes.splice(scopes.indexOf(scope), 1);
}

/** Have keys do nothing while something is being opened that will take what is typed. */
export async function hold(opening) {
  held++;
  try {
    await opening;
  } finally {
    held--;
  }
}

/** List the actions that keys could do now, where no dialog is open, by their ids. */
export function available() {
  const known = scopes.filter(({ dialog }) => dialog === null);
  return ACTIONS.map(([action]) => action).filter((action) => known.some(({ actions }) => action in actions));
}

/** Do an action as if its key had been pressed; tell whether anybody did it. */
export function perform(action) {
  return run(action, new Event(action));
}

/** Tell whether an element takes what is typed. */
export function isTyping(element) {
  const kinds = "input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable]";
  return element?.matches?.(kinds) ?? false;
}

/** Name what was pressed, each way in which a binding could name it. */
function names(event) {
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
  const pressed = names(event);
  const isSequence = begun.key && Date.now() - begun.at < SEQUENCE_MILLISECONDS;
  const tried = isSequence ? pressed.map((name) => `${begun.key} ${name}`) : pressed;
  begun = { key: null, at: 0 };
  if (isTyping(event.target)) return;
  if (held > 0) return event.preventDefault();
  for (const name of tried) {
    for (const action of bindings.get(name) ?? []) if (run(action, event)) return;
  }
  const begins = [...bindings.keys()].some((binding) => binding.startsWith(`${pressed[0]} `));
  if (begins && !isSequence) begun = { key: pressed[0], at: Date.now() };
});

function run(action, event) {
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

arrange();
