// Runs of combining marks: a browser takes quadratic time to lay one out, 96 s for 99,000 marks. So the page shows the first
// ones of a run, and a field shows a sign for the others, which stay in its text.

export const MARKS_MAX = 30; // in a run that is shown

const MARK = "[\\p{M}\\p{Grapheme_Extend}\\p{Emoji_Modifier}\\u200d]"; // what extends the character before it
const LONG_RUN = new RegExp(`(${MARK}{${MARKS_MAX}})(${MARK}+)`, "gu");
const LAST_RUN = new RegExp(`${MARK}*$`, "u");

/**
 * Return a text as it is shown: with at most 30 combining marks in a run.
 * @param {string} text
 */
export function limitMarks(text) {
  return text.length > MARKS_MAX ? text.replace(LONG_RUN, "$1") : text;
}

/**
 * Limit the marks in the texts inside an element, and return it. Runs that go across texts count as one, since the browser
 * lays them out together.
 * @template {Element} T
 * @param {T} element
 */
export function limitMarksWithin(element) {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let run = ""; // at the end of the texts before
  for (let node; (node = /** @type {Text | null} */ (texts.nextNode()));) {
    const text = limitMarks(run + node.data).slice(run.length);
    if (node.data !== text) node.data = text;
    run = LAST_RUN.exec(run + text)[0];
  }
  return element;
}

/** What stands for the marks that a field does not show, by field. @type {WeakMap<HTMLElement, Map<string, string>>} */
const hidden = new WeakMap();
const SIGN = /[\u{f0000}-\u{10fffd}]/gu; // characters that mean nothing by themselves
const FIRST_SIGN = 0xf0000;

/**
 * Show a text in a field, with a sign for the marks beyond 30 in a run: getFieldText returns them as long as the sign is there.
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 * @param {string} text
 */
export function setFieldText(field, text) {
  const own = new Set(text.match(SIGN)); // no signs here
  const marks = new Map();
  let code = FIRST_SIGN;
  const hide = (_, shown, rest) => {
    while (own.has(String.fromCodePoint(code))) code += 1;
    const sign = String.fromCodePoint(code++);
    marks.set(sign, rest);
    return shown + sign;
  };
  field.value = text.replace(LONG_RUN, hide);
  hidden.set(field, marks);
}

/**
 * Return the text of a field with the marks that it does not show.
 * @param {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} field
 */
export function getFieldText(field) {
  const marks = hidden.get(field);
  return marks?.size ? field.value.replace(SIGN, (sign) => marks.get(sign) ?? sign) : field.value;
}
