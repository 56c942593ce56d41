// Keyboard shortcuts by action: the defaults, a person's own instead of them, and who acts on them at the moment.

import { get } from "./api.js";

/** The actions that keys can do: id, words, default bindings. */
export const ACTIONS = [
  ["go.now", "Go to Now", "g n"],
  ["go.boards", "Go to the boards", "g b"],
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
  ["undo", "Undo the last archiving", "z"],
  ["request.approve", "Approve", "a"],
  ["request.reject", "Reject with a reason", "r"],
  ["comment.post", "Send the comment", "ctrl+enter"],
  ["agents.freeze", "Freeze all agents", "shift+f"],
  ["notice.last", "Show the last notice again", "shift+."],
  ["help", "Show these keys", "?"],
];
const SEQUENCE_MILLISECONDS = 1200; // milliseconds within which the second key of a sequence comes

const own = new Map(); // action -> binding, as the person set it
const scopes = []; // {actions, within}, the latest first
let bindings = new Map(); // binding -> [actions]
let begun = { key: null, at: 0 };

/** Take the person's own shortcuts; without them the defaults do. */
export async function load() {
  try {
    for (const { action, binding } of await get("/settings/shortcuts")) own.set(action, binding.toLowerCase());
  } catch {
    // The defaults work, and the screens tell what is wrong with the connection.
  }
  arrange();
}

/** Give the bindings of an action. */
export function bindingsOf(action) {
  return own.has(action) ? [own.get(action)] : (ACTIONS.find(([id]) => id === action)?.slice(2) ?? []);
}

/** List the bindings that stand for more than one action, as [binding, actions]. */
export function conflicts() {
  return [...bindings].filter(([, actions]) => actions.length > 1);
}

function arrange() {
  bindings = new Map();
  for (const [action] of ACTIONS) {
    for (const binding of bindingsOf(action)) bindings.set(binding, [...(bindings.get(binding) ?? []), action]);
  }
}

/** Have keys do `actions` (id -> function; false: not now), inside a dialog if one is named. Give a way to end it. */
export function bind(actions, dialog = null) {
  const scope = { actions, dialog };
  scopes.unshift(scope);
  return () => scopes.splice(scopes.indexOf(scope), 1);
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
