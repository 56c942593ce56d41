// The command palette: finds boards, pages, actions and cards, and opens or runs them.

import { pageUrl } from "./core/base-path.js";
import { h, replaceChildren } from "./core/dom.js";
import { errorText } from "./core/error-text.js";
import { phrase } from "./core/format.js";
import { matchItems } from "./core/matching.js";
import { organization } from "./core/organization.js";
import { boardUrl, navigate } from "./core/router.js";
import { ACTION_LABELS } from "./core/shortcut-actions.js";
import { formatBinding, getBindings, listAvailableActions, topDialog } from "./core/shortcuts.js";
import { openDialog } from "./ui/dialog.js";
import { Listbox } from "./ui/listbox/listbox.js";
import { switchOrganization } from "./ui/switch-organization.js";
import { findCards, QUERY_CHARACTERS_MAX } from "./search/store.js";
import { listSettingsPages } from "./settings/navigation.js";
import { navigationItems } from "./navigation.js";
import { listThemes, listUserActions } from "./user-actions.js";

const TYPING_MILLISECONDS = 150; // between the last key and the search for cards
const LETTERS_MIN = 2; // of a query for cards
const CARDS_MAX = 8;
const ITEMS_MAX = 8; // of each other kind, if there is a query
// Buttons with a shortcut are among the actions; those in rows, cells, columns and forms are about a part of the screen. The
// only row of its own in Board settings is the board, and the first steps are actions.
const PARTS = ":is(li:not([aria-label=Board] > li, .steps > li), td, .column, form) *";
const NOT_OF_SCREEN = `[data-action], [aria-pressed], [aria-label=Close], .transition, :disabled, ${PARTS}`;

/** Open the command palette. The chosen item runs after it is closed and the focus is back where it was. */
export function openCommandPalette() {
  new CommandPalette(topDialog()).draw();
}

class CommandPalette {
  chosen = null;
  cards = []; // that the service has found
  isSearching = false;
  isEntered = false; // Enter was pressed before there was anything to choose
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  typingTimer = undefined;
  lastSearch = 0;
  state = h("p.small.muted", { role: "status" });
  field = h("input.input", {
    maxlength: QUERY_CHARACTERS_MAX,
    placeholder: "A board, a card, an action",
    "aria-label": "Find a board, a card or an action",
    input: () => this.handleInput(),
    keydown: (event) => this.handleKey(event)
  });

  /** Offer what can be done in a dialog, or on the screen with null. */
  constructor(dialog) {
    const [actions, own] = [actionItems(dialog), userItems()];
    this.kinds = [boardItems(), screenItems(), [...actions, ...buttonItems(dialog, [...actions, ...own])], own];
    const element = h("div.options", { "aria-label": "Results" });
    this.list = new Listbox(element, { field: this.field, take: (item) => this.choose(item) });
    const content = [this.field, this.state, element];
    this.opened = openDialog({ label: "Palette", className: "palette", content, closed: () => this.runChosen() });
  }

  choose(item) {
    this.chosen = item;
    this.opened.end();
  }

  runChosen() {
    clearTimeout(this.typingTimer);
    queueMicrotask(() => this.chosen?.run());
  }

  handleInput() {
    clearTimeout(this.typingTimer);
    [this.cards, this.isEntered] = [[], false];
    this.lastSearch++;
    this.isSearching = this.field.value.trim().length >= LETTERS_MIN;
    if (this.isSearching) this.typingTimer = setTimeout(() => this.search(), TYPING_MILLISECONDS);
    this.list.current = 0;
    this.draw();
  }

  handleKey(event) {
    const { items, current } = this.list;
    if (event.key === "Enter" && items.length) this.list.takeAt(current);
    else if (event.key === "Enter") this.isEntered = this.isSearching;
    else if (!/^Arrow(Up|Down)$/.test(event.key) || !this.list.walk(event)) return;
    event.preventDefault();
  }

  async search() {
    const searchNumber = ++this.lastSearch;
    try {
      const found = await findCards(this.field.value.trim(), 1, CARDS_MAX);
      if (searchNumber !== this.lastSearch) return;
      [this.cards, this.isSearching] = [found.items.map(cardItem), false];
      this.draw();
      if (this.isEntered) this.list.takeAt(0);
    } catch (error) {
      if (searchNumber !== this.lastSearch) return;
      this.isSearching = false;
      replaceChildren(this.state, errorText(error));
    }
  }

  draw() {
    const { items: before, current } = this.list;
    const kept = current > 0 && before[current]; // the arrows have led there
    const items = orderItems(this.field.value, this.kinds, this.cards);
    this.list.draw([{ items }], Math.max(0, items.indexOf(kept)));
    replaceChildren(this.state, this.isSearching ? "Looking for cards …" : items.length === 0 && "No results.");
  }
}

/** Return the items of all kinds that match the text, and the cards that the service has found, best first. */
function orderItems(text, kinds, cards) {
  const found = kinds.flatMap((items) => matchItems(text, items).slice(0, text.trim() ? ITEMS_MAX : undefined));
  const matching = matchItems(text, [...found, ...cards]);
  return [...matching, ...cards.filter((card) => !matching.includes(card))];
}

function boardItems() {
  const run = (id) => () => navigate(boardUrl(id));
  return organization.projects.map(({ id, title }) => ({ label: title, why: "board", run: run(id) }));
}

/** Return the pages of the organization and its settings; those with an action are among the actions. */
function screenItems() {
  const screens = navigationItems().filter(({ action }) => !action);
  const settings = listSettingsPages().map(([path, label]) => ({ label, run: () => navigate(pageUrl(path)) }));
  return [...screens, ...settings].map((item) => ({ ...item, why: "screen" }));
}

/** Return what can be done on the page, or in the dialog over it, with its shortcut. */
function actionItems(dialog) {
  return listAvailableActions(dialog).map(([action, run]) => ({
    label: ACTION_LABELS.get(action),
    end: getBindings(action).map(formatBinding)[0],
    run
  }));
}

/** Return the other buttons of the screen, or of the dialog over it. Each is looked up again, as a screen may be drawn anew. */
function buttonItems(dialog, others) {
  const screen = dialog ?? document.querySelector("main");
  const find = () => [...screen.querySelectorAll(`button:not(${NOT_OF_SCREEN})`)].filter((one) => one.checkVisibility());
  const nameOf = (button) => button.getAttribute("aria-label") ?? button.textContent;
  const press = (label) => () =>
    find()
      .find((button) => nameOf(button) === label)
      ?.click();
  const labels = new Set(find().map(nameOf));
  for (const { label } of others) labels.delete(label);
  return [...labels].map((label) => ({ label, run: press(label) }));
}

/** Return what the user menu offers. */
function userItems() {
  const themes = listThemes().map(({ label, run }) => ({ label: `Theme: ${label}`, run }));
  const others = organization.me.organizations.filter(({ id }) => id !== organization.id);
  const switches = others.map(({ id, title }) => ({ label: phrase`Switch to ${title}`, run: () => switchOrganization(id) }));
  return [...listUserActions(), ...switches, ...themes];
}

function cardItem({ cardKey, projectId, title }) {
  const board = organization.projects.find(({ id }) => id === projectId)?.title;
  return { label: title, why: board, end: cardKey, run: () => navigate(boardUrl(projectId, cardKey)) };
}
