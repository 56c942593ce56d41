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
//   isApart    whether its words begin only where `endsApart` (core/words.js) says so, not after a bracket
//   choose     (item) => the text that replaces the word, "" to remove the word (default: `item.text` and a space)
// An item is {label, names, why, mark, text}: what is shown, other names that match, a note behind it, an element before it,
// and the text that replaces the word. Only ITEMS_MAX items are shown.
//
// Arrows choose, Enter, Tab and a click take, Escape closes the list and nothing else; it stays closed for that word. With
// `isEnterFree`, Enter takes only what an arrow has chosen, not what the pointer is on, and is otherwise left to the field. The
// keys of an input method reach no handler (core/shortcuts.js). A textarea stays a textbox, an input becomes a combobox.

import { createElement, h, setAttribute } from "../../core/dom.js";
import { matchItems } from "../../core/matching.js";
import { endsApart, WORD } from "../../core/words.js";
import { replaceText } from "../replace-text.js";
import { Listbox } from "./listbox.js";
import { placeBeside } from "./popup.js";

const ITEMS_MAX = 8;
const WORD_CHARACTERS_MAX = 60;
const IN_WORD = new RegExp(`(?:${WORD}|[.@＠])$`, "u");
// What decides where a character of a field stands.
const TEXT_STYLES = "font letter-spacing word-spacing text-indent text-align direction tab-size line-height padding";

/** Offer completions in a field; return a function that removes them. The sources are described at the head of the module. */
export function attachCompletion(field, sources, { isEnterFree = false } = {}) {
  const completion = new Completion(field, sources, isEnterFree);
  return () => completion.detach();
}

class Completion {
  word = null; // {source, start, end, caret, text}: the word before the caret
  dismissed = null; // the identity of the word whose list was closed
  lastRequest = 0;
  /** @type {Promise<void> | null} */
  updating = null; // resolves when the list shows what matches the word

  constructor(field, sources, isEnterFree) {
    this.field = field;
    this.sources = sources;
    this.isEnterFree = isEnterFree;
    this.element = h("div.popup.completion", { popover: "manual" });
    this.list = new Listbox(this.element, { field, take: (item) => this.take(item), isPointed: !isEnterFree });
    this.listeners = [
      [field, "input", () => this.startUpdate()],
      [field, "keydown", (event) => this.handleKey(event), true], // before the handlers of the field
      [field, "blur", () => this.close()],
      [document, "selectionchange", () => this.handleSelection()],
      [document, "scroll", () => this.place(), true],
      [window, "resize", () => this.place()]
    ];
    for (const [target, ...listener] of this.listeners) target.addEventListener(...listener);
    this.startUpdate();
  }

  detach() {
    this.close();
    for (const [target, ...listener] of this.listeners) target.removeEventListener(...listener);
  }

  startUpdate() {
    this.updating = this.update();
  }

  /** Show what matches the word before the caret. */
  async update() {
    const found = document.activeElement === this.field ? findWord(this.field, this.sources) : null;
    if (found?.start !== this.word?.start) this.close();
    const request = ++this.lastRequest;
    this.word = found;
    if (!found || identify(found) !== this.dismissed) this.dismissed = null;
    if (!found || this.dismissed !== null) return;
    const items = await findItems(found);
    if (request !== this.lastRequest) return;
    if (items.length) this.open(items);
    else this.close();
  }

  open(items) {
    const { field, element, word } = this;
    setAttribute(element, "aria-label", word.source.label);
    if (!element.isConnected) {
      (field.closest("dialog, main") ?? document.body).append(element);
      element.showPopover();
    }
    this.list.draw([{ items }], this.isEnterFree ? -1 : 0);
    this.place();
  }

  close() {
    this.lastRequest++;
    if (!this.element.isConnected) return;
    this.element.remove();
    this.list.draw([]);
  }

  place() {
    if (this.element.isConnected) placeBeside(this.element, caretRectangle(this.field, this.word.start));
  }

  handleKey(event) {
    if (!this.element.isConnected) return;
    const isModified = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    if (isModified && event.key === "Enter") this.close(); // the text may be sent, and the list would stay
    if (isModified) return;
    if (event.key === "Enter" && this.list.current < 0) return this.close();
    if (event.key === "Enter" || event.key === "Tab") this.takeCurrent();
    else if (event.key === "Escape") this.dismiss(this.word);
    else if (!/^Arrow(Up|Down)$/.test(event.key) || !this.list.walk(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** Take the current item of what matches the word, not of what is still listed for the letters before. */
  async takeCurrent() {
    const pressed = this.updating;
    await pressed;
    if (pressed === this.updating && this.element.isConnected) this.list.takeAt(Math.max(0, this.list.current));
  }

  take(item) {
    const { source, start, end } = this.word;
    const text = source.choose ? source.choose(item) : `${item.text} `;
    this.dismiss({ ...this.word, text });
    const hasSpace = text.endsWith(" ") && this.field.value[end] === " "; // which is not doubled
    replaceText(this.field, start, hasSpace ? end + 1 : end, text);
  }

  dismiss(word) {
    this.dismissed = identify(word);
    this.close();
  }

  /** Close the list once the caret is elsewhere, or the field is gone. */
  handleSelection() {
    if (document.activeElement !== this.field || this.field.selectionEnd !== this.word?.caret) this.close();
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
  const [quoted, sign, words] = /([^\s"])"([^"\n]*)$/.exec(before) ?? [];
  const quotable = sources.find(({ prefix, isQuotable }) => isQuotable && prefix === sign?.normalize("NFKC"));
  if (quotable && endsApart(before.slice(0, -quoted.length)))
    return wordOf(quotable, selectionEnd - quoted.length, selectionEnd, words);
  const [run] = /\S*$/.exec(before);
  const begin = selectionEnd - run.length;
  for (let at = run.length - 1; at >= 0; at--) {
    const source = sources.find(({ prefix }) => prefix === run[at].normalize("NFKC")); // ＠ is an @
    const left = value.slice(Math.max(0, begin + at - 2), begin + at);
    const isInside = source?.isApart ? !endsApart(left) : IN_WORD.test(left);
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
