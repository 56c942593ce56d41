// Digits of other scripts.

/** Return a text with the digits 0 to 9 for Arabic and Persian ones. */
export function toLatinDigits(text) {
  return text.replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => digit.charCodeAt(0) & 15);
}
