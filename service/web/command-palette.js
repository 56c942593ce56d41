// The command palette: finds boards, pages, actions and cards, and opens or runs them.

import { pageUrl } from "./core/base-path.js";
import { h, query, queryAll, replaceChildren } from "./core/dom.js";
import { errorText } from "./core/error-text.js";
import { phrase } from "./core/format.js";
import { matchItems } from "./core/matching.js";
import { organization } from "./core/organization.js";
import { boardUrl, navigate } from "./core/router.js";
import { ACTION_LABELS } from "./core/shortcut-actions.js";
import { formatBinding, getBindings, listAvailableActions, topDialog } from "./core/shortcuts.js";
import { openDialog } from "./ui/dialog.js";
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
  const dialog = topDialog();
  const [actions, own] = [actionItems(dialog), userItems()];
  const kinds = [boardItems(), screenItems(), [...actions, ...buttonItems(dialog, [...actions, ...own])], own];
  let chosen = null;
  let items = [];
  let cards = [];
  let current = 0;
  let isSearching = false;
  let isEntered = false; // Enter was pressed before there was anything to choose
  let typingTimer = null;
  let lastSearch = 0;
  const list = h("ul", { id: "palette-list", role: "listbox", "aria-label": "Results" });
  const state = h("p.small.muted", { role: "status" });
  const field = h("input.input", {
    role: "combobox",
    maxlength: QUERY_CHARACTERS_MAX,
    placeholder: "A board, a card, an action",
    "aria-label": "Find a board, a card or an action",
    "aria-controls": list.id,
    "aria-autocomplete": "list",
    autocomplete: "off"
  });
  const closed = () => void (clearTimeout(typingTimer), queueMicrotask(() => chosen?.run()));
  const opened = openDialog({ label: "Palette", className: "palette", content: [field, state, list], closed });

  field.addEventListener("input", () => {
    clearTimeout(typingTimer);
    [cards, current, isEntered] = [[], 0, false];
    lastSearch++;
    isSearching = field.value.trim().length >= LETTERS_MIN;
    if (isSearching) typingTimer = setTimeout(search, TYPING_MILLISECONDS);
    draw();
  });
  field.addEventListener("keydown", (event) => {
    const steps = { __proto__: null, ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps) setCurrent(current + steps[event.key]);
    else if (event.key === "Enter" && items.length > 0) queryAll(list, ":scope > *")[current].click();
    else if (event.key === "Enter") isEntered = isSearching;
    else return;
    event.preventDefault();
  });
  draw();

  async function search() {
    const searchNumber = ++lastSearch;
    try {
      const found = await findCards(field.value.trim(), 1, CARDS_MAX);
      if (searchNumber !== lastSearch) return;
      [cards, isSearching] = [found.items.map(cardItem), false];
      draw();
      if (isEntered) query(list, ":scope > *")?.click();
    } catch (error) {
      if (searchNumber !== lastSearch) return;
      isSearching = false;
      replaceChildren(state, errorText(error));
    }
  }

  function draw() {
    const kept = current > 0 && items[current]; // the arrows have led there
    items = orderItems(field.value, kinds, cards);
    replaceChildren(list, items.map(option));
    list.hidden = items.length === 0;
    field.setAttribute("aria-expanded", String(!list.hidden));
    replaceChildren(state, isSearching ? "Looking for cards …" : items.length === 0 && "No results.");
    setCurrent(Math.max(0, items.indexOf(kept)));
  }

  function option(item, place) {
    const end = item.end && h("span.end", item.end);
    const choose = () => ((chosen = item), opened.end());
    const listeners = { click: choose, pointermove: () => place !== current && setCurrent(place, false) };
    const why = item.why && h("span.muted.small", ` ${item.why}`);
    const attributes = { role: "option", id: `palette-${place}`, "aria-selected": "false", ...listeners };
    return h("li", attributes, item.mark, h("span.words", item.label, why), end);
  }

  function setCurrent(place, scrolls = true) {
    const options = [...list.children];
    if (options.length === 0) return field.removeAttribute("aria-activedescendant");
    current = (place + options.length) % options.length;
    options.forEach((option, at) => option.setAttribute("aria-selected", String(at === current)));
    field.setAttribute("aria-activedescendant", options[current].id);
    if (scrolls) options[current].scrollIntoView({ block: "nearest" });
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
