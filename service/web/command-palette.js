// The command palette: finds boards, pages, actions and cards, and opens or runs them.

import { pageUrl } from "./core/base-path.js";
import { h, replaceChildren } from "./core/dom.js";
import { errorText } from "./core/error-text.js";
import { matchItems } from "./core/matching.js";
import { organization } from "./core/organization.js";
import { boardUrl, navigate } from "./core/router.js";
import { ACTION_LABELS } from "./core/shortcut-actions.js";
import { formatBinding, getBindings, listAvailableActions, topDialog } from "./core/shortcuts.js";
import { openDialog } from "./ui/dialog.js";
import { findCards, QUERY_CHARACTERS_MAX } from "./search/store.js";
import { listSettingsPages } from "./settings/navigation.js";
import { navigationItems } from "./navigation.js";
import { listThemes, listUserActions } from "./user-actions.js";

const TYPING_MILLISECONDS = 150; // between the last key and the search for cards
const LETTERS_MIN = 2; // of a query for cards
const CARDS_MAX = 8;
const ITEMS_MAX = 8; // of each other kind, if there is a query

/** Open the command palette. The chosen item runs after it is closed and the focus is back where it was. */
export function openCommandPalette() {
  const kinds = [boardItems(), screenItems(), actionItems(topDialog()), userItems()];
  let chosen = null;
  let cards = [];
  let current = 0;
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
    cards = [];
    lastSearch++;
    draw();
    if (field.value.trim().length >= LETTERS_MIN) typingTimer = setTimeout(search, TYPING_MILLISECONDS);
  });
  field.addEventListener("keydown", (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps) setCurrent(current + steps[event.key]);
    else if (event.key === "Enter") list.children[current]?.click();
    else return;
    event.preventDefault();
  });
  draw();

  async function search() {
    const searchNumber = ++lastSearch;
    replaceChildren(state, "Looking for cards …");
    try {
      const { items } = await findCards(field.value.trim(), 1, CARDS_MAX);
      if (searchNumber !== lastSearch) return;
      cards = items.map(cardItem);
      draw();
    } catch (error) {
      if (searchNumber === lastSearch) replaceChildren(state, errorText(error));
    }
  }

  function draw() {
    const items = orderItems(field.value, kinds, cards);
    replaceChildren(list, items.map(option));
    list.hidden = items.length === 0;
    field.setAttribute("aria-expanded", String(!list.hidden));
    replaceChildren(state, items.length === 0 ? "No results." : "");
    setCurrent(0);
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
    label: ACTION_LABELS[action],
    end: getBindings(action).map(formatBinding)[0],
    run
  }));
}

/** Return what the user menu offers. */
function userItems() {
  const themes = listThemes().map(({ label, run }) => ({ label: `Theme: ${label}`, run }));
  return [...listUserActions(), ...themes];
}

function cardItem({ cardKey, projectId, title }) {
  const board = organization.projects.find(({ id }) => id === projectId)?.title;
  return { label: title, why: board, end: cardKey, run: () => navigate(boardUrl(projectId, cardKey)) };
}
