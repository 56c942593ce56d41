// Numbers as people type them, with the decimal sign of the browser's language.

import { toLatinDigits } from "./digits.js";
import { quote } from "./format.js";

const DECIMAL_SIGN = (1.5).toLocaleString().match(/[.,]/)?.[0] ?? ".";
const THOUSANDS = /^\d{1,3}([.,])(\d{2,3}\1)*\d{3}$/; // 1,234,567 or, in India, 12,34,567

/**
 * Return {number}, the meaning of a typed number as the service writes it (1234.5), or {problem}, a sentence. Point and comma
 * both count as the decimal sign, except where they can separate thousands and are not that of the language.
 */
export function parseNumber(typed) {
  const [, prefix, digits] = /^([+-]?)(.*)$/s.exec(normalize(typed));
  const { whole, sign, decimals } = splitDecimals(digits);
  const isWhole = /^\d*$/.test(whole) || THOUSANDS.test(whole);
  if (!isWhole || !(sign ? /^\d+$/.test(decimals) : whole))
    return { problem: `${quote(typed.trim())} is not a number. For example ${formatInput("12.5")}.` };
  if (sign && sign !== DECIMAL_SIGN && /^[1-9]\d{0,2}$/.test(whole) && decimals.length === 3) {
    const meanings = `${whole}${decimals} or ${whole}${DECIMAL_SIGN}${decimals}`;
    return { problem: `${quote(typed.trim())} can mean two numbers. Type ${meanings}.` };
  }
  return { number: prefix + (whole.replace(/[.,]/g, "") || "0") + (sign ? `.${decimals}` : "") };
}

/** Format a number of the service as a text that can be edited: 1234.5, or 1234,5. */
export function formatInput(number) {
  return String(number).replace(".", DECIMAL_SIGN);
}

/** Write digits and signs as in English, without blanks and apostrophes between thousands. */
function normalize(typed) {
  const latin = toLatinDigits(typed.normalize("NFKC").trim()).replace("−", "-").replace("٫", ".");
  return latin.replace(/(\d)[ '’٬](?=\d{3}(?!\d))/g, "$1");
}

/** Split a number at its last sign; one that repeats separates thousands. */
function splitDecimals(digits) {
  const signs = digits.match(/[.,]/g) ?? [];
  const isRepeated = signs.length > 1 && new Set(signs).size === 1;
  const at = signs.length && !isRepeated ? digits.lastIndexOf(signs.at(-1)) : digits.length;
  return { whole: digits.slice(0, at), sign: digits[at], decimals: digits.slice(at + 1) };
}
