// Comparison of texts as the service does it (service/text/comparison.py): case and accents do not count.

import table from "./folding-table.js";

const [LETTER, MARK, SEPARATOR] = [table.letters, table.marks, table.separators].map((ranges) => `[${ranges.join("")}]`);
const MARKED = new RegExp(`(${table.kept}|${LETTER}(?=${MARK}))${MARK}*`, "g");
const REPLACED = new RegExp(`[${Object.keys(table.replaced).join("")}]`, "g");
const SEPARATORS = new RegExp(`${SEPARATOR}+`, "g");

/** Return the form in which texts are compared. */
export function foldText(text) {
  // First to upper case: that folds letters such as ß and ᾳ as Unicode case folding does, which JavaScript lacks.
  const folded = text.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKD");
  const bare = folded.replace(MARKED, "$1").normalize("NFC");
  return bare.replace(REPLACED, (letter) => table.replaced[letter]);
}

/** Return the form in which names of columns, types and fields are compared: blanks, `_` and `-` count alike. */
export function foldName(name) {
  return foldText(name).replace(SEPARATORS, " ").replace(/^ | $/g, "");
}
