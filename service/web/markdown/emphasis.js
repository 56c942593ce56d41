// Emphasis in Markdown, by the delimiter algorithm of CommonMark.

import { h } from "../core/dom.js";
import { UNSPACED } from "../core/words.js";

const DEEPEST = 20; // nested emphasis; deeper ones become plain text
const SPACE = /\s/u;
const PUNCTUATION = /[\p{P}\p{S}]/u;
const APART = new RegExp(`[\\s\\p{P}\\p{S}${UNSPACED}]`, "u"); // **重要。**请看 has no blank behind the emphasis

/** Read a run of delimiters; `part` represents it until it is paired. */
export function addDelimiters(state, character, count, part) {
  const before = state.at ? [...state.text.slice(Math.max(0, state.at - 2), state.at)].pop() : " ";
  const after = String.fromCodePoint(state.text.codePointAt(state.at + count) ?? 32);
  const opens = !SPACE.test(after) && (!PUNCTUATION.test(after) || APART.test(before));
  const closes = !SPACE.test(before) && (!PUNCTUATION.test(before) || APART.test(after));
  const isWord = character === "_";
  const delimiter = {
    part,
    character,
    count,
    whole: count,
    opens: isWord ? opens && (!closes || PUNCTUATION.test(before)) : opens,
    closes: isWord ? closes && (!opens || PUNCTUATION.test(after)) : closes,
    previous: state.badges,
    next: null
  };
  if (state.badges) state.badges.next = delimiter;
  state.badges = delimiter;
}

/** Pair the delimiters above `bottom` (CommonMark, "process emphasis"). Failed searches are remembered, for linear time. */
export function resolveEmphasis(state, bottom) {
  if (state.badges === bottom) return;
  const floors = new Map();
  let closer = state.badges;
  while (closer && closer.previous !== bottom) closer = closer.previous;
  while (closer) {
    if (!closer.closes) {
      closer = closer.next;
      continue;
    }
    const kind = closer.character + (closer.opens ? 3 : 0) + (closer.whole % 3);
    const floor = floors.has(kind) ? floors.get(kind) : bottom;
    let opener = closer.previous;
    while (opener && opener !== bottom && opener !== floor && !fits(opener, closer)) opener = opener.previous;
    if (opener && opener !== bottom && opener !== floor) {
      closer = wrap(state, opener, closer);
    } else {
      floors.set(kind, closer.previous);
      const next = closer.next;
      if (!closer.opens) unlink(state, closer);
      closer = next;
    }
  }
  state.badges = bottom;
  if (bottom) bottom.next = null;
}

function fits(opener, closer) {
  if (opener.character !== closer.character || !opener.opens) return false;
  const isOdd = (closer.opens || opener.closes) && closer.whole % 3 !== 0 && (opener.whole + closer.whole) % 3 === 0;
  return closer.character === "~" || !isOdd;
}

function wrap(state, opener, closer) {
  const used = opener.count > 1 && closer.count > 1 ? 2 : 1;
  const name = closer.character === "~" ? "s" : used === 2 ? "strong" : "em";
  while (closer.previous !== opener) unlink(state, closer.previous);
  gather(state, opener.part, closer.part, name, closer.character.repeat(used));
  for (const side of [opener, closer]) {
    side.count -= used;
    side.part.text = side.character.repeat(side.count);
  }
  if (!opener.count) unlink(state, opener);
  if (closer.count) return closer;
  const next = closer.next;
  unlink(state, closer);
  return next;
}

/** Wrap the parts between two delimiters in an element, or make them plain text if the nesting is too deep. */
function gather(state, from, to, name, typed) {
  const inside = [];
  let depth = 0;
  for (let part = from.next; part !== to; part = part.next) {
    inside.push(part.node ?? part.text);
    depth = Math.max(depth, part.depth ?? 0);
  }
  const part = { depth: Math.min(depth + 1, DEEPEST), previous: from, next: to };
  if (depth < DEEPEST) part.node = h(name, null, inside);
  else part.text = inside.reduce((text, piece) => text + (piece.textContent ?? piece), typed) + typed;
  from.next = part;
  to.previous = part;
}

function unlink(state, delimiter) {
  if (delimiter.previous) delimiter.previous.next = delimiter.next;
  if (delimiter.next) delimiter.next.previous = delimiter.previous;
  else state.badges = delimiter.previous;
}
