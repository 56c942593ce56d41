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
 * The header of a board: `filtered(filter, isTyped)` is called with a changed filter, `add()` to create a card, and `me()`
 * returns the id of the user.
 */
export class BoardHeader {
  board = null; // once it is drawn
  typingTimer = null;
  shownAvatars = new Map(); // the buttons of people and agents, and the names that they show
  title = h("h1");
  dot = h("span.dot", { role: "img" });
  field = h("input.input.filter", {
    type: "search",
    placeholder: "Filter cards",
    "aria-label": "Filter cards",
    ...shortcutAttributes("board.search")
  });
  menuButton = h("button.plain-button", {
    "aria-haspopup": "dialog",
    "aria-label": "More filters",
    ...shortcutAttributes("filter.open")
  });
  avatars = h("div.avatar-filter", { role: "group", "aria-label": "Filter by assignee or agent" });
  settingsLink = h("a.plain-button.board-settings", { "aria-label": "Board settings", title: "Board settings" });
  summary = h("button.button.small.summary", { hidden: true, title: "Clear the filter" });
  searchLink = h("a.button.small.everywhere", { hidden: true }, "Search everywhere");
  addButton = h("button.button.new", { "aria-label": "New card", ...shortcutAttributes("card.create") });
  chips = h("div.filter-chips", { role: "group", "aria-label": "Filters", hidden: true });

  constructor({ filtered, add, me }) {
    this.applyFilter = filtered;
    this.getUserId = me;
    this.filters = { get: () => parseFilter(new URLSearchParams(location.search)), apply: filtered };
    replaceChildren(this.menuButton, icon("filter"));
    replaceChildren(this.settingsLink, icon("settings"));
    replaceChildren(this.addButton, icon("plus"), h("span", "New card"));
    const { title, dot, searchLink, summary, field, menuButton, avatars, settingsLink, addButton, chips } = this;
    const tools = [searchLink, summary, field, menuButton, avatars, settingsLink, addButton];
    this.element = h("header.head.board-head", h("div.board-title", title, dot), tools, chips);
    this.addButton.addEventListener("click", () => add());
    this.listen();
    this.drawState();
  }

  listen() {
    this.field.addEventListener("input", () => this.filterLater());
    this.field.addEventListener("keydown", (event) => this.handleKey(event));
    this.summary.addEventListener("click", () => this.clear());
    this.menuButton.addEventListener("click", () => this.openMenu());
    this.handleState = () => this.drawState();
    live.addEventListener("state", this.handleState);
  }

  leave() {
    live.removeEventListener("state", this.handleState);
  }

  // Filter

  /** Filter by what is typed, shortly after the last key. */
  filterLater() {
    clearTimeout(this.typingTimer);
    this.typingTimer = setTimeout(() => this.filterByText(this.field.value.trim()), TYPING_MILLISECONDS);
  }

  filterByText(q) {
    this.applyFilter({ ...this.filters.get(), q }, true);
  }

  handleKey(event) {
    if (event.key !== "Escape") return;
    event.preventDefault();
    this.field.value = "";
    this.filterByText("");
    this.field.blur();
  }

  clear() {
    this.field.value = "";
    this.applyFilter(null);
    this.field.focus();
  }

  async openMenu() {
    const { openFilterMenu } = await suspendShortcuts(import("../ui/filter/menu.js"));
    openFilterMenu(this.menuButton, this.board, this.filters);
  }

  // Drawing

  drawState() {
    const label = CONNECTION_LABELS[live.state];
    this.dot.className = `dot ${live.state}`;
    setAttribute(this.dot, "title", label);
    setAttribute(this.dot, "aria-label", label);
  }

  /** Update the header: board, filter, badges of the agents, and the number of cards that match. */
  update(board, filter, badges, matching) {
    const { title, field } = this;
    this.board = board;
    setText(title, board.project.title);
    setAttribute(title, "title", board.project.title);
    setAttribute(this.settingsLink, "href", `${boardUrl(board.id)}/design`);
    if (document.activeElement !== field) field.value = limitMarks(filter?.q ?? "");
    this.addButton.hidden = !board.canHaveNewCards();
    this.drawMatches(filter, matching);
    this.drawAvatars(filter, badges);
    this.drawChips(filter);
  }

  drawMatches(filter, matching) {
    const { summary, searchLink } = this;
    summary.hidden = !filter;
    const numbers = `${formatNumber(matching)} of ${formatNumber(this.board.cards.size)}`;
    if (filter) replaceChildren(summary, numbers, icon("close"));
    searchLink.hidden = !matching || (filter?.q ?? "").length < LETTERS_SEARCHED_MIN; // the message offers it, too
    setAttribute(searchLink, "href", searchUrl(filter));
  }

  /** Show what the cards are filtered by, in chips that remove it. */
  async drawChips(filter) {
    this.chips.hidden = !filter;
    if (!filter) return;
    const { renderFilterChips } = await import("../ui/filter/chips.js");
    renderFilterChips(this.chips, this.board, this.filters, () => this.field.focus());
  }

  drawAvatars(filter, badges) {
    const { people, agents } = this.board;
    const me = this.getUserId();
    const entries = [
      ...people.slice(0, AVATARS_MAX / 2).map(({ id, name }) => {
        return { key: "assignedUserId", id: id === me ? "me" : id, name, face: () => userAvatar(name, true) };
      }),
      ...agents.slice(0, AVATARS_MAX / 2).map(({ id, title: name }) => {
        return { key: "assignedAgentId", id, name, badge: badges.get(id), face: () => agentAvatar(badges.get(id), name, true) };
      })
    ];
    reconcile(
      this.avatars,
      entries.map((entry) => this.drawAvatar(entry, filter))
    );
  }

  /** Return the button that filters by a person or an agent; it keeps its face while name and badge stay. */
  drawAvatar({ key, id, name, badge, face }, filter) {
    const press = () => this.applyFilter(toggleFilter(this.filters.get(), key, id));
    const { button, named } = this.shownAvatars.get(key + id) ?? { button: h("button", { click: press }), named: "" };
    if (named !== name + badge) replaceChildren(button, face());
    this.shownAvatars.set(key + id, { button, named: name + badge });
    setAttribute(button, "aria-label", name);
    setAttribute(button, "aria-pressed", String(hasFilterValue(filter, key, id)));
    return button;
  }
}
