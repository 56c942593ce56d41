// Borders of words, as the service has them (service/text/word_borders.py): Chinese, Japanese, Korean, Thai, Lao, Khmer and
// Burmese letters join no word beside them.

// Letters and signs beside which a word can begin and end without a blank. The service reads this table, so it is JSON.
// `letters` are those of scripts without blanks between words, which the search indexes one by one; changing them needs a new
// index. `others` are further ones, and marks that choose the form of a sign. `signs` are the punctuation of these scripts.
// prettier-ignore
const TABLE = {
  "letters": [
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc",
    "\ud840\udc00-\ud8bf\udfff"
  ],
  "others": [
    "\u1100-\u11ff\u19e0-\u19ff\ua000-\ua4cf\ua960-\ua97f\ua9e0-\ua9ff\uaa60-\uaa7f",
    "\u20d0-\u20ff\ufe00-\ufe0f\ud82b\udff0-\ud82c\udd6f\udb40\udd00-\udb40\uddef"
  ],
  "signs": [
    "\u3001-\u3003\u3008-\u3011\u3014-\u301f\u30fb\uff01-\uff0f\uff1a-\uff20",
    "\uff3b-\uff40\uff5b-\uff65\uffe0-\uffee"
  ]
};

/** What these are in the brackets of a pattern with the flag u. */
export const UNSPACED = [...TABLE.letters, ...TABLE.others].join("");
export const SIGNS = TABLE.signs.join(""); // punctuation of these scripts

/** A pattern, with the flag u, for a letter, mark or digit that continues the word beside it. */
export const WORD = `(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])`;

// eslint-disable-next-line no-misleading-character-class -- it takes the limits of ranges for characters
const APART = new RegExp(`(?:^|[\\s${UNSPACED}${SIGNS}])$`, "u");

/** Return whether a text ends where a word that begins with a sign can follow: its beginning, a blank, or such a letter. */
export function endsApart(text) {
  return APART.test(text.slice(-2));
}
