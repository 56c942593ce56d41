// Matching of labels with what is typed: the whole label first, then beginnings of words, then anywhere.

import { foldName } from "./folding.js";
import { WORD } from "./words.js";

const NO_MATCH = 3;
const IN_WORD = new RegExp(WORD, "u");

/** Return how well a label matches folded text: 0 is best, NO_MATCH is none. */
function rank(label, text) {
  const folded = foldName(label);
  if (folded === text) return 0;
  const words = text.split(" ");
  if (words.every((word) => hasWordStart(folded, word))) return 1;
  return words.every((word) => folded.includes(word)) ? 2 : NO_MATCH;
}

function hasWordStart(label, word) {
  for (let at = label.indexOf(word); at >= 0; at = label.indexOf(word, at + 1))
    if (at === 0 || !IN_WORD.test(label[at - 1])) return true;
  return false;
}

/**
 * Return the items whose label matches a text, best first; all of them if the text is empty. `labelOf` returns the label of
 * an item, or several; then the best match counts.
 * @template T
 * @param {string} text
 * @param {T[]} items
 * @param {(item: T) => string | string[]} [labelOf]
 */
export function matchItems(text, items, labelOf = (/** @type {any} */ { label }) => label) {
  const folded = foldName(text);
  const rankItem = (item) => Math.min(...[labelOf(item)].flat().map((label) => rank(label, folded)));
  const ranked = items.map((item) => ({ item, place: rankItem(item) }));
  const found = ranked.filter(({ place }) => place < NO_MATCH).sort((one, other) => one.place - other.place);
  return folded ? found.map(({ item }) => item) : items;
}
