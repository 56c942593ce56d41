// What opens over any screen: the menu of the person, the keys, the palette; and what stands where there is no screen.

import { forget, keep, post } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { ACTIONS, available, bindingsOf, neighbours, perform, shownKey, WORDS } from "../core/keys.js";
import { chooseTheme, findCards, organization, QUERY_CHARACTERS_MAX } from "../core/organization.js";
import { boardAddress, go, parse } from "../core/route.js";
import { refusal } from "../core/words.js";
import { openDialog, openMenu, refuse } from "./float.js";
import { placeItems } from "./frame.js";

export const ROLES = { SolutionArchitect: "Solution Architect", Member: "Member" };
export const THEMES = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"]
];

/** Open the menu of the person who is signed in. */
export function openMe(anchor) {
  const { me } = organization;
  if (!me) return;
  const seats = me.organizations.map(({ id, title, role }) => ({
    label: title,
    why: ROLES[role],
    checked: id === organization.id,
    run: () => id !== organization.id && switchTo(id)
  }));
  const themes = THEMES.map(([theme, label]) => ({ label, checked: me.theme === theme, run: () => wear(theme) }));
  const items = [
    { head: me.email },
    ...seats,
    ...(hasRail() ? [] : [{ head: organization.title }, ...placeItems()]),
    { head: "Theme" },
    ...themes,
    { head: "Page" },
    { label: "Your settings", run: () => go("/me") },
    { label: "Keys", end: bindingsOf("help")[0], run: showKeys },
    { label: "API reference", run: () => location.assign("/api/docs") },
    { label: "Sign out", run: signOut }
  ];
  openMenu(anchor, { label: "You", items });
}

function hasRail() {
  return matchMedia("(min-width: 720px)").matches;
}

async function wear(theme) {
  try {
    await chooseTheme(theme);
  } catch (error) {
    refuse("The theme is kept in this browser only", refusal(error), "theme");
  }
}

/** Go to another organization of the person; the page begins anew there, at an address or at its beginning. */
export async function switchTo(orgId, address = "/") {
  try {
    keep(await post("/auth/switch", { orgId }));
    location.assign(address);
  } catch (error) {
    refuse("You are still here", refusal(error), "switch");
  }
}

function signOut() {
  forget();
  location.assign("/");
}

/** Show all keys, and which of them stand for two things. */
export function showKeys() {
  const rows = ACTIONS.map(([action]) =>
    h(
      "tr",
      h("td", WORDS[action]),
      h(
        "td",
        bindingsOf(action).map((binding) => [h("kbd", shownKey(binding)), " "])
      )
    )
  );
  const other = (action) => neighbours(action, bindingsOf(action)).map((one) => WORDS[one]).join(", ");
  const both = ACTIONS.map(([action]) => [action, other(action)]).filter(([, others]) => others);
  const twice = both.map(([action, others]) => h("p.problem", `${WORDS[action]} has the same key as ${others}`));
  const content = h(
    "div.keys",
    { tabindex: "0" },
    h("h2", "Keys"),
    twice,
    h("table", h("tbody", rows))
  );
  openDialog({ label: "Keys", className: "ask wide", content }).dialog.querySelector(".keys").focus();
}

// What stands where there is no screen to show: the ways to what there is.
/** Say that there is no such page. */
export function nowhere() {
  const boards = organization.projects.map(({ id, title }) =>
    h("li", h("a.link", { href: boardAddress(id) }, title))
  );
  const home = h("a.button", { href: "/" }, "Go to Now");
  return h("div.alone", h("h1", "There is no such page"), home, h("ul", boards));
}

/** Say that the person is in this organization no more, and lead to others. */
export function homeless() {
  const others = organization.me.organizations.map(({ id, title }) =>
    h("button.button", { click: () => switchTo(id) }, `Go to ${title}`)
  );
  const words = others.length ? "Others of yours are still open to you." : "An architect can invite you again.";
  const title = h("h1", "You are no longer a member of this organization");
  return h("div.alone", title, h("p", words), others);
}

// The palette: a field that finds boards, screens, actions and cards, and goes there or does it.
const TYPING_MILLISECONDS = 150; // after the last letter until cards are looked for
const LETTERS_MIN = 2; // from which on cards are looked for
const CARDS_MAX = 8;
const ITEMS_MAX = 8; // of each other kind, while something is typed

/** Open the palette; what is chosen is done when it is closed, where the focus was. */
export function openPalette() {
  let chosen = null;
  let cards = [];
  let current = 0;
  let typing = null;
  let turn = 0;
  const list = h("ul", { id: "palette-list", role: "listbox", "aria-label": "What was found" });
  const state = h("p.small.muted", { role: "status" });
  const field = h("input.input", {
    role: "combobox",
    maxlength: QUERY_CHARACTERS_MAX,
    placeholder: "A board, a card, an action",
    "aria-label": "Find a board, a card or an action",
    "aria-controls": list.id,
    "aria-expanded": "true",
    "aria-autocomplete": "list",
    autocomplete: "off"
  });
  const closed = () => void (clearTimeout(typing), queueMicrotask(() => chosen?.run()));
  const opened = openDialog({ label: "Palette", className: "palette", content: [field, state, list], closed });

  field.addEventListener("input", () => {
    clearTimeout(typing);
    cards = [];
    turn++;
    draw();
    if (field.value.trim().length >= LETTERS_MIN) typing = setTimeout(look, TYPING_MILLISECONDS);
  });
  field.addEventListener("keydown", (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps) mark(current + steps[event.key]);
    else if (event.key === "Enter" && !event.isComposing) list.children[current]?.click();
    else return;
    event.preventDefault();
  });
  draw();
  field.focus();

  async function look() {
    const mine = ++turn;
    fill(state, "Looking for cards …");
    try {
      const { items } = await findCards(field.value.trim(), 1, CARDS_MAX);
      if (mine !== turn) return;
      cards = items.map(cardItem);
      draw();
    } catch (error) {
      if (mine === turn) fill(state, refusal(error));
    }
  }

  function draw() {
    const items = [...matching(field.value), ...cards];
    fill(list, items.map(option));
    fill(state, items.length === 0 ? "Nothing was found." : "");
    mark(0);
  }

  function option(item, place) {
    const end = item.end && h("span.end", item.end);
    const choose = () => ((chosen = item), opened.end());
    const listeners = { click: choose, pointermove: () => place !== current && mark(place, false) };
    const why = item.why && h("span.muted.small", ` ${item.why}`);
    const named = { role: "option", id: `palette-${place}`, "aria-selected": "false", ...listeners };
    return h("li", named, item.mark, h("span.words", item.label, why), end);
  }

  function mark(place, scrolls = true) {
    const options = [...list.children];
    if (options.length === 0) return field.removeAttribute("aria-activedescendant");
    current = (place + options.length) % options.length;
    options.forEach((one, at) => one.setAttribute("aria-selected", String(at === current)));
    field.setAttribute("aria-activedescendant", options[current].id);
    if (scrolls) options[current].scrollIntoView({ block: "nearest" });
  }
}

/** Give the boards, screens and actions that have all words. */
function matching(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const has = ({ label }) => words.every((word) => label.toLowerCase().includes(word));
  const kinds = [boards(), placeItems().map((item) => ({ ...item, why: "screen" })), actions()];
  return kinds.flatMap((items) => items.filter(has).slice(0, words.length > 0 ? ITEMS_MAX : undefined));
}

function boards() {
  const run = (id) => () => go(boardAddress(id));
  return organization.projects.map(({ id, title }) => ({ label: title, why: "board", run: run(id) }));
}

function actions() {
  const isOpen = { "palette.open": false, "agents.freeze": organization.isArchitect && !organization.freeze };
  const others = available().filter((action) => isOpen[action] ?? true);
  return others.map((action) => ({ label: WORDS[action], end: bindingsOf(action).map(shownKey)[0], run: () => perform(action) }));
}

function cardItem({ cardKey, projectId, title }) {
  const board = organization.projects.find(({ id }) => id === projectId)?.title;
  const here = parse(location.href);
  const query = here.project === projectId ? location.search : "";
  return { label: title, why: board, end: cardKey, run: () => go(boardAddress(projectId, cardKey, query)) };
}
