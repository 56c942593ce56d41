// Labels: the label field of a card type, and labels as colored chips; values of other fields that are chosen.

import { h } from "../core/dom.js";
import { compareNames } from "../core/format.js";
import { lookUp } from "../core/lookup.js";

/** Return the label field of a card type: its first multiselect field that cards show; undefined if it has none. */
export function findLabelField(type) {
  return type?.fields.find(({ kind, showOnCard }) => kind === "multiselect" && showOnCard);
}

/** Return the labels that a field knows: its options, else those with a color and those of the cards of the board. */
export function listKnownLabels(board, { id, options, optionColors }) {
  if (options.length) return options;
  const used = listUsedValues(board, id);
  return [...new Set([...Object.keys(optionColors), ...used])].sort(compareNames);
}

/** Return the values that the cards of a board have in a field, each once. */
export function listUsedValues(board, fieldId) {
  const ofCards = () => [...board.cards.values()].flatMap(({ values }) => lookUp(values, fieldId) ?? []);
  return [...new Set(board.usedValues ? board.usedValues.get(fieldId) : ofCards())];
}

/** Return a value of a field as people read it. */
export function formatChoice(board, kind, value) {
  if (kind === "checkbox") return value === "true" ? "yes" : "no";
  if (kind === "user") return board.person(value)?.name ?? "somebody who left";
  return kind === "agent" ? (board.agent(value)?.title ?? value) : value;
}

/** Return a text as a chip, with the color that its field gives it. */
export function labelChip(text, color) {
  const style = color && { background: color, color: readableOn(color) };
  return h("span.tag", { style, title: text }, text);
}

/** Return black or white, whichever is easier to read on a color: the contrast is at least 4.58. */
export function readableOn(color) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000" : "#fff";
}
