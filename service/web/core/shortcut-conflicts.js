// Conflicts of keyboard shortcuts: two actions of one place that have the same binding.

import { ACTIONS } from "./shortcut-actions.js";
import { getBindings } from "./shortcuts.js";

// Where actions apply: on a board, in the lists of Home and My cards, on all other screens, in an open card, and
// in the field of a comment, which takes all other keys as text.
/** @type {[places: string[], actions: string][]} */
const PLACES = [
  [["board"], "board.search filter.open filter.mine card.create card.focus.left card.focus.right card.select select.none"],
  [["board"], "column.create"],
  [["board"], "card.move.up card.move.down card.move.left card.move.right card.transition.next card.transition.previous"],
  [["board", "lists"], "card.focus.up card.focus.down card.open"],
  [["board", "lists", "card"], "request.approve request.reject"],
  [["board", "card"], "card.move.menu card.assign card.assign.me card.labels card.priority card.due card.edit card.archive"],
  [["card"], "card.duplicate card.relate card.split card.transfer card.watch claim.end card.previous card.next card.copy"],
  [["card"], "checklist.tick comment.write"],
  [["comment"], "comment.post"],
  [["lists"], "home.seen"],
  [["board", "lists", "others", "card"], "palette.open undo"]
];
const SCREENS = ["board", "lists", "others"]; // where the other actions apply
const PLACES_BY_ACTION = new Map(PLACES.flatMap(([places, actions]) => actions.split(" ").map((action) => [action, places])));

/** Return the other actions that conflict with an action if it has the bindings `candidates`, or their first key. */
export function listConflicts(action, candidates) {
  const overlap = (first, second) => first === second || first.startsWith(`${second} `) || second.startsWith(`${first} `);
  const isTaken = (own) => candidates.some((binding) => overlap(own, binding));
  const meet = (other) => placesOf(other).some((place) => placesOf(action).includes(place));
  const others = ACTIONS.map(([other]) => other).filter((other) => other !== action && meet(other));
  return others.filter((other) => getBindings(other).some(isTaken));
}

function placesOf(action) {
  return PLACES_BY_ACTION.get(action) ?? SCREENS;
}
