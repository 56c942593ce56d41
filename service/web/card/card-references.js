// Links to the cards that a text names by their card keys, with title and state.

import { get } from "../core/api.js";
import { h } from "../core/dom.js";
import { truncate } from "../core/format.js";
import { icon } from "../core/icons.js";
import { live } from "../core/live.js";
import { orgPath } from "../core/organization.js";
import { boardUrl } from "../core/router.js";
import { WORD } from "../core/words.js";

/** @import { NewsEvent } from "../core/live.js" */

// A card key that is no part of a word, path or address. In small letters only after a number sign: "utf-8" is no card.
const NAME = String.raw`(?:[A-Z][A-Z0-9]{1,9}|#[A-Za-z][A-Za-z0-9]{1,9})-[1-9]\d{0,8}`;
const CARD_KEY = new RegExp(String.raw`(?<!${WORD}|[_/#.@:=&?%+-])${NAME}(?!${WORD}|[_/@-]|\.\d)`, "gu");
const KEYS_MAX = 100; // of one request
const FORMER_KEYS_MAX = 20; // that are resolved one by one
const TITLE_CHARACTERS_MAX = 80;
const ICONS = { __proto__: null, open: "M8 3.2a4.8 4.8 0 1 0 0 9.6a4.8 4.8 0 0 0 0-9.6z", done: "check", archived: "archive" };

const directories = new WeakMap(); // open card -> its Directory

/** Make links of the card keys in a text of an open card. Keys of no card that the reader may see stay text. */
export function linkCards(open, element) {
  const directory = getDirectory(open);
  element.normalize(); // a rendered word can be several text nodes
  for (const node of listTexts(element)) {
    const keys = [...node.data.matchAll(CARD_KEY)].map(([key]) => key);
    if (keys.length) Promise.all(keys.map((key) => directory.find(key))).then((cards) => replaceKeys(node, cards));
  }
}

function getDirectory(open) {
  if (directories.has(open)) return directories.get(open);
  const directory = new Directory(open.board);
  directories.set(open, directory);
  /** @param {NewsEvent} event */
  const follow = async ({ events }) => {
    if (open.isClosed) return live.removeEventListener("news", follow);
    for (const card of await directory.readChanged(events)) updateLinks(card);
  };
  live.addEventListener("news", follow);
  return directory;
}

/** Show the present title and state of a card in all links to it. */
function updateLinks(card) {
  for (const link of document.querySelectorAll(`.card-reference[data-id="${card.id}"]`)) fillLink(link, card);
}

/** Return the text nodes outside of code, comments, buttons, and of the links that a selector finds. */
export function listTexts(element, links = "a") {
  const left = `${links}, code, pre, button, .html-comment`;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof Element && node.matches(left) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT
  );
  const nodes = [];
  while (walker.nextNode()) if (walker.currentNode.nodeType === Node.TEXT_NODE) nodes.push(walker.currentNode);
  return nodes;
}

/** Replace the card keys in a text node by links to `cards`, in order; those of null stay. */
function replaceKeys(node, cards) {
  if (!cards.some(Boolean)) return;
  const parts = [];
  let end = 0;
  let place = 0;
  for (const { 0: key, index } of node.data.matchAll(CARD_KEY)) {
    const card = cards[place++];
    if (!card) continue;
    parts.push(node.data.slice(end, index), renderLink(card));
    end = index + key.length;
  }
  node.replaceWith(...parts, node.data.slice(end));
}

function renderLink(card) {
  return fillLink(h("a", { "data-id": card.id }), card);
}

function fillLink(link, { projectId, key, title, state }) {
  Object.assign(link, { className: `card-reference ${state}`, href: boardUrl(projectId, key), title });
  const text = h("span", truncate(title, TITLE_CHARACTERS_MAX));
  link.replaceChildren(icon(ICONS[state], state), " ", h("span.key", key), " ", text);
  return link;
}

/** The cards that the texts of an open card name, read once: one request for all keys that are drawn together. */
class Directory {
  /** @type {Map<string, Promise<any>>} */
  cards = new Map(); // by key
  /** @type {Map<string, (card: any) => void>} */
  waiting = new Map(); // key -> what resolves the promise of its card
  /** @type {Map<string, Promise<any[]>>} */
  columns = new Map(); // of other boards

  constructor(board) {
    this.board = board;
  }

  /** Return a promise of the card of a key, or of null. */
  find(name) {
    const key = name.replace("#", "").toUpperCase();
    if (!this.cards.has(key)) {
      if (!this.waiting.size) setTimeout(() => this.readWaiting());
      this.cards.set(key, new Promise((resolve) => this.waiting.set(key, resolve)));
    }
    return this.cards.get(key);
  }

  /** Read the known cards again that events are about, or all after missed events; return those that were read. */
  async readChanged(events) {
    const ids = new Set(events.flatMap(({ cardId, cardIds = [] }) => [cardId, ...cardIds]));
    const known = await Promise.all([...this.cards].map(async ([key, card]) => [key, await card]));
    const changed = known.filter(([, card]) => card && (!events.length || ids.has(card.id))).map(([key]) => key);
    for (const key of changed) this.cards.delete(key);
    return (await Promise.all(changed.map((key) => this.find(key)))).filter(Boolean);
  }

  async readWaiting() {
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (let at = 0; at < waiting.length; at += KEYS_MAX) {
      const page = waiting.slice(at, at + KEYS_MAX);
      const found = await this.read(page.map(([key]) => key)).catch(() => this.forget(page));
      for (const [key, resolve] of page) resolve(found.get(key) ?? null);
    }
  }

  /** Let keys that could not be read be tried again; return an empty Map. */
  forget(page) {
    for (const [key] of page) this.cards.delete(key);
    return new Map();
  }

  /** Return the cards by the keys that name them: the active ones, then the archived ones among the others. */
  async read(keys) {
    const found = new Map();
    for (const isArchived of [false, true]) {
      const missing = keys.filter((key) => !found.has(key));
      if (missing.length) await this.addCards(found, missing, isArchived);
    }
    return found;
  }

  async addCards(found, keys, isArchived) {
    const list = async (names) => (await get(orgPath(`/cards?archived=${isArchived}&ids=${names}`))).items;
    const add = async (key, card) => found.set(key, { ...card, state: isArchived ? "archived" : await this.readState(card) });
    const cards = await list(keys);
    const others = cards.filter((card) => !keys.includes(card.key));
    for (const card of cards) if (!others.includes(card)) await add(card.key, card);
    if (!others.length) return;
    // They were named by former keys, which the answer does not have.
    for (const key of keys.filter((key) => !found.has(key)).slice(0, FORMER_KEYS_MAX)) {
      const [card] = await list([key]);
      if (card) await add(key, card);
    }
  }

  async readState({ projectId, columnId }) {
    const columns = projectId === this.board.id ? this.board.columns : await this.readColumns(projectId);
    return columns.find(({ id }) => id === columnId)?.columnType === "done" ? "done" : "open";
  }

  /** Return the columns of another board, or none if they cannot be read. */
  readColumns(projectId) {
    const read = () => get(orgPath(`/columns?projectId=${encodeURIComponent(projectId)}`)).catch(() => []);
    if (!this.columns.has(projectId)) this.columns.set(projectId, read());
    return this.columns.get(projectId);
  }
}
