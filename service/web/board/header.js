// The header of a board: title, connection state, filter, avatars, Board settings, "New card".

import { h, reconcile, replaceChildren, setAttribute, setText } from "../core/dom.js";
import { formatNumber } from "../core/format.js";
import { icon } from "../core/icons.js";
import { live } from "../core/live.js";
import { limitMarks } from "../core/marks.js";
import { boardUrl } from "../core/router.js";
import { shortcutAttributes, suspendShortcuts } from "../core/shortcuts.js";
import { agentAvatar, userAvatar } from "../ui/avatar.js";
import { hasFilterValue, parseFilter, searchUrl, toggleFilter } from "../ui/filter/filter.js";

const TYPING_MILLISECONDS = 90; // between the last key and the filtering
const LETTERS_SEARCHED_MIN = 3; // of a filter before a search of all boards is offered
const AVATARS_MAX = 12; // of people and agents; the menu lists all
const CONNECTION_LABELS = { __proto__: null, live: "Live", connecting: "Connecting…", gone: "Not connected" };

/**
 * Create the header of a board: `filtered(filter, isTyped)` is called with a changed filter, `add()` to create a card, and
 * `me()` returns the id of the user.
 */
export function createBoardHeader({ filtered: applyFilter, add, me }) {
  const title = h("h1");
  const dot = h("span.dot");
  const attributes = { placeholder: "Filter cards", "aria-label": "Filter cards", ...shortcutAttributes("board.search") };
  const field = h("input.input.filter", { type: "search", ...attributes });
  const menuAttributes = { "aria-haspopup": "dialog", "aria-label": "More filters", ...shortcutAttributes("filter.open") };
  const menuButton = h("button.plain-button", { ...menuAttributes }, icon("filter"));
  const avatars = h("div.avatar-filter", { role: "group", "aria-label": "Filter by assignee or agent" });
  const settingsLink = h("a.plain-button.board-settings", { "aria-label": "Board settings", title: "Board settings" });
  replaceChildren(settingsLink, icon("settings"));
  const summary = h("button.button.small.summary", { hidden: true, title: "Clear the filter" });
  const searchLink = h("a.button.small.everywhere", { hidden: true }, "Search everywhere");
  const addAttributes = { "aria-label": "New card", ...shortcutAttributes("card.create"), click: () => add() };
  const addButton = h("button.button.new", { ...addAttributes });
  replaceChildren(addButton, icon("plus"), h("span", "New card"));
  const chips = h("div.filter-chips", { role: "group", "aria-label": "Filters", hidden: true });
  const filters = { get: () => parseFilter(new URLSearchParams(location.search)), apply: applyFilter };
  const name = h("div.board-title", title, dot);
  const tools = [searchLink, summary, field, menuButton, avatars, settingsLink, addButton];
  const element = h("header.head.board-head", name, tools, chips);
  let board = null;
  let typingTimer = null;
  const shownAvatars = new Map(); // the buttons of people and agents, and the names that they show

  field.addEventListener("input", () => {
    clearTimeout(typingTimer);
    typingTimer = setTimeout(() => applyFilter({ ...filters.get(), q: field.value.trim() }, true), TYPING_MILLISECONDS);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    field.value = "";
    applyFilter({ ...filters.get(), q: "" }, true);
    field.blur();
  });
  summary.addEventListener("click", () => ((field.value = ""), applyFilter(null), field.focus()));
  menuButton.addEventListener("click", showMenu);
  live.addEventListener("state", drawState);
  drawState();

  function drawState() {
    const label = CONNECTION_LABELS[live.state];
    dot.className = `dot ${live.state}`;
    setAttribute(dot, "title", label);
    setAttribute(dot, "role", "img");
    setAttribute(dot, "aria-label", label);
  }

  async function showMenu() {
    const { openFilterMenu } = await suspendShortcuts(import("../ui/filter/menu.js"));
    openFilterMenu(menuButton, board, filters);
  }

  /** Show what the cards are filtered by, in chips that remove it. */
  async function drawChips(filter) {
    chips.hidden = !filter;
    if (!filter) return;
    const { renderFilterChips } = await import("../ui/filter/chips.js");
    renderFilterChips(chips, board, filters, () => field.focus());
  }

  /** Update the header: board, filter, badges of the agents, and the number of cards that match. */
  function update(newBoard, filter, badges, matching) {
    board = newBoard;
    setText(title, board.project.title);
    setAttribute(title, "title", board.project.title);
    setAttribute(settingsLink, "href", `${boardUrl(board.id)}/design`);
    if (document.activeElement !== field) field.value = limitMarks(filter?.q ?? "");
    summary.hidden = !filter;
    if (filter) replaceChildren(summary, `${formatNumber(matching)} of ${formatNumber(board.cards.size)}`, icon("close"));
    searchLink.hidden = !matching || (filter?.q ?? "").length < LETTERS_SEARCHED_MIN; // the message offers it, too
    setAttribute(searchLink, "href", searchUrl(filter));
    addButton.hidden = !board.canHaveNewCards();
    drawAvatars(filter, badges);
    drawChips(filter);
  }

  function drawAvatars(filter, badges) {
    const people = board.people.map(({ id, name }) => {
      return { key: "assignedUserId", id: id === me() ? "me" : id, name, face: () => userAvatar(name, true) };
    });
    const agents = board.agents.map(({ id, title: name }) => {
      return { key: "assignedAgentId", id, name, face: () => agentAvatar(badges.get(id), name, true) };
    });
    const entries = [...people.slice(0, AVATARS_MAX / 2), ...agents.slice(0, AVATARS_MAX / 2)];
    const buttons = entries.map(({ key, id, name, face }) => {
      const press = () => applyFilter(toggleFilter(filters.get(), key, id));
      const shown = shownAvatars.get(key + id) ?? { button: h("button", { click: press }), named: "" };
      const { button } = shown;
      if (shown.named !== name + badges.get(id)) replaceChildren(button, face());
      shownAvatars.set(key + id, { button, named: name + badges.get(id) });
      setAttribute(button, "aria-label", name);
      setAttribute(button, "aria-pressed", String(hasFilterValue(filter, key, id)));
      return button;
    });
    reconcile(avatars, buttons);
  }

  const leave = () => live.removeEventListener("state", drawState);
  return { element, field, more: menuButton, update, leave, openMenu: showMenu };
}
