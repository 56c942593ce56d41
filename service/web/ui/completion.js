// Completion in a text field: while a word that begins with a certain character is typed, a list offers its meanings.
//
// `attachCompletion(field, sources)` serves every textarea and one-line input; it returns a function that detaches it. Load
// this module with import() when the field gets the focus for the first time, so that it delays no page; what has been typed
// by then is completed, too.
//
// A source is {prefix, label, items, isMatched, isQuotable, isApart, choose}:
//   prefix     the first character of its words, such as "@"; it counts at the beginning of a word only. "" stands for the
//              whole text of a one-line field
//   label      the name of the list, such as "People and agents"
//   items      (text) => items, or a promise of them; `text` is what follows the prefix, "" at first
//   isMatched  whether `items` has already chosen and sorted them; otherwise they are matched with the text here
//   isQuotable whether its words may be several in quotation marks: #"two words"
//   isApart    whether its words begin after a blank only, not after a bracket either
//   choose     (item) => the text that replaces the word, "" to remove the word (default: `item.text` and a space)
// An item is {label, names, why, mark, text}: what is shown, other names that match, a note behind it, an element before it,
// and the text that replaces the word. Only ITEMS_MAX items are shown.
//
// Arrows choose, Enter, Tab and a click take, Escape closes the list and nothing else; it stays closed for that word. With
// `isEnterFree`, Enter takes only what an arrow has chosen, not what the pointer is on, and is otherwise left to the field. The
// keys of an input method reach no handler (core/shortcuts.js). A textarea stays a textbox, an input becomes a combobox.

import { createElement, h, replaceChildren, setAttribute } from "../core/dom.js";
import { matchItems } from "../core/matching.js";
import { replaceText } from "./replace-text.js";

const ITEMS_MAX = 8;
const WORD_CHARACTERS_MAX = 60;
const GAP = 4; // pixels between the line and the list
const MARGIN = 8; // pixels between the list and the edge of the window
// What decides where a character of a field stands.
const TEXT_STYLES = "font letter-spacing word-spacing text-indent text-align direction tab-size line-height padding";

let listCount = 0;

/** Offer completions in a field; return a function that removes them. The sources are described at the head of the module. */
export function attachCompletion(field, sources, { isEnterFree = false } = {}) {
  const list = h("ul.completion", { id: `completion-${++listCount}`, role: "listbox", popover: "manual" });
  const isLine = field.localName === "input";
  const listeners = [
    [field, "input", startUpdate],
    [field, "keydown", handleKey, true], // before the handlers of the field
    [field, "blur", close],
    [document, "selectionchange", handleSelection],
    [document, "scroll", place, true],
    [window, "resize", place]
  ];
  let items = [];
  let current = 0;
  let word = null; // {source, start, end, caret, text}: the word before the caret
  let dismissed = null; // the identity of the word whose list was closed
  let lastRequest = 0;
  let updating = null; // resolves when the list shows what matches the word

  for (const [target, ...listener] of listeners) target.addEventListener(...listener);
  setAttribute(field, "autocomplete", "off");
  setAttribute(field, "aria-autocomplete", "list");
  if (isLine) (setAttribute(field, "role", "combobox"), setAttribute(field, "aria-expanded", "false"));
  list.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
  startUpdate();
  return detach;

  function startUpdate() {
    updating = update();
  }

  async function update() {
    const found = document.activeElement === field ? findWord(field, sources) : null;
    if (found?.start !== word?.start) close();
    const request = ++lastRequest;
    word = found;
    if (!found || identify(found) !== dismissed) dismissed = null;
    if (!found || dismissed !== null) return;
    const matching = await findItems(found);
    if (request !== lastRequest) return;
    items = matching;
    if (items.length) open();
    else close();
  }

  function open() {
    replaceChildren(list, items.map(renderItem));
    if (!list.isConnected) {
      (field.closest("dialog, main") ?? document.body).append(list);
      list.showPopover();
    }
    setAttribute(list, "aria-label", word.source.label);
    setAttribute(field, "aria-controls", list.id);
    if (isLine) setAttribute(field, "aria-expanded", "true");
    place();
    if (isEnterFree) current = -1;
    else setCurrent(0);
  }

  function close() {
    lastRequest++;
    if (!list.isConnected) return;
    list.remove();
    for (const name of ["aria-controls", "aria-activedescendant"]) field.removeAttribute(name);
    if (isLine) setAttribute(field, "aria-expanded", "false");
  }

  function place() {
    if (list.isConnected) placeList(list, caretRectangle(field, word.start));
  }

  function renderItem(item, at) {
    const attributes = { id: `${list.id}-${at}`, role: "option", "aria-selected": "false" };
    const point = () => isEnterFree || at === current || setCurrent(at);
    const handlers = { click: () => take(item), pointermove: point };
    const why = item.why && h("span.muted.small", ` ${item.why}`);
    return h("li", { ...attributes, ...handlers }, item.mark, h("span.words", item.label, why));
  }

  function setCurrent(at) {
    const options = [...list.children];
    current = at < 0 ? options.length - 1 : at % options.length;
    options.forEach((option, index) => setAttribute(option, "aria-selected", String(index === current)));
    setAttribute(field, "aria-activedescendant", options[current].id);
    options[current].scrollIntoView({ block: "nearest" });
  }

  function handleKey(event) {
    if (!list.isConnected) return;
    const isModified = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    if (isModified && event.key === "Enter") close(); // the text may be sent, and the list would stay
    if (isModified) return;
    const steps = { __proto__: null, ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps) setCurrent(current < 0 && event.key === "ArrowUp" ? -1 : current + steps[event.key]);
    else if (event.key === "Enter" && current < 0) return close();
    else if (event.key === "Enter" || event.key === "Tab") takeCurrent();
    else if (event.key === "Escape") dismiss();
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** Take the current item of what matches the word, not of what is still listed for the letters before. */
  async function takeCurrent() {
    const pressed = updating;
    await pressed;
    if (pressed === updating && list.isConnected) take(items[Math.max(0, current)]);
  }

  function take(item) {
    const { source, start, end } = word;
    const text = source.choose ? source.choose(item) : `${item.text} `;
    dismiss({ ...word, text });
    const hasSpace = text.endsWith(" ") && field.value[end] === " "; // which is not doubled
    replaceText(field, start, hasSpace ? end + 1 : end, text);
  }

  function dismiss(chosen = word) {
    dismissed = identify(chosen);
    close();
  }

  /** Close the list once the caret is elsewhere, or the field is gone. */
  function handleSelection() {
    if (document.activeElement !== field || field.selectionEnd !== word?.caret) close();
  }

  function detach() {
    close();
    for (const [target, ...listener] of listeners) target.removeEventListener(...listener);
  }
}

/** Return what identifies a word while it is typed: its start, or the text if it is the whole one. */
function identify({ source, start, text }) {
  return source.prefix ? start : text;
}

/** Return the word {source, start, end, caret, text} of one of the sources that ends at the caret, or null. */
function findWord({ value, selectionStart, selectionEnd }, sources) {
  if (selectionStart !== selectionEnd) return null;
  const whole = sources.find(({ prefix }) => !prefix);
  if (whole) return { source: whole, start: 0, end: value.length, caret: selectionEnd, text: value };
  const before = value.slice(Math.max(0, selectionEnd - WORD_CHARACTERS_MAX), selectionEnd);
  const [quoted, sign, words] = /(?<!\S)([^\s"])"([^"\n]*)$/.exec(before) ?? [];
  const quotable = sources.find(({ prefix, isQuotable }) => isQuotable && prefix === sign);
  if (quotable) return wordOf(quotable, selectionEnd - quoted.length, selectionEnd, words);
  const [run] = /\S*$/.exec(before);
  const begin = selectionEnd - run.length;
  for (let at = 0; at < run.length; at++) {
    const source = sources.find(({ prefix }) => prefix === run[at]);
    const inside = source?.isApart ? /\S$/ : /[\p{L}\p{M}\p{N}.@]$/u;
    const isInside = inside.test(value.slice(Math.max(0, begin + at - 2), begin + at));
    if (source && !isInside) return wordOf(source, begin + at, selectionEnd, run.slice(at + 1));
  }
  return null;
}

function wordOf(source, start, end, text) {
  return { source, start, end, caret: end, text };
}

async function findItems({ source, text }) {
  try {
    const items = await source.items(text);
    const matching = source.isMatched ? items : matchItems(text, items, ({ label, names = [] }) => [label, ...names]);
    return matching.slice(0, ITEMS_MAX);
  } catch {
    return []; // the text can be typed without help
  }
}

/** Return where the character at a place of a field is in the window: {left, top, bottom}. */
function caretRectangle(field, at) {
  const style = getComputedStyle(field);
  const marker = createElement("span", "\u200b");
  const mirror = createElement("div.completion-mirror", { "aria-hidden": "true" }, field.value.slice(0, at), marker);
  for (const name of TEXT_STYLES.split(" ")) mirror.style.setProperty(name, style.getPropertyValue(name));
  mirror.style.setProperty("white-space", field.localName === "input" ? "pre" : "pre-wrap");
  mirror.style.setProperty("width", `${field.clientWidth}px`);
  document.body.append(mirror);
  const outer = mirror.getBoundingClientRect();
  const inner = marker.getBoundingClientRect();
  mirror.remove();
  const { left, top, right, bottom } = field.getBoundingClientRect();
  const x = left + field.clientLeft + inner.left - outer.left - field.scrollLeft;
  const isLine = field.localName === "input";
  const y = isLine ? top : Math.min(top + field.clientTop + inner.top - outer.top - field.scrollTop, bottom);
  return { left: Math.min(x, right), top: y, bottom: isLine ? bottom : Math.min(y + inner.height, bottom) };
}

/** Place the list below the line, or above it if there is no room, in the part of the window that a keyboard leaves. */
function placeList(list, { left, top, bottom }) {
  const { offsetTop, height: visible, width: across } = visualViewport;
  const { width, height } = list.getBoundingClientRect();
  const fits = bottom + GAP + height <= offsetTop + visible - MARGIN;
  const above = Math.min(top - GAP, offsetTop + visible - MARGIN) - height;
  const y = fits ? bottom + GAP : Math.max(offsetTop + MARGIN, above);
  list.style.left = `${Math.max(MARGIN, Math.min(left, across - MARGIN - width))}px`;
  list.style.top = `${y}px`;
}
