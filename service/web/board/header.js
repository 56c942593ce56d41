// The header of a board: title, connection state, filter, avatars, Board settings, "New card".

import { h, reconcile, replaceChildren, setAttribute, setText } from "../core/dom.js";
import { formatNumber } from "../core/format.js";
import { icon } from "../core/icons.js";
import { live } from "../core/live.js";
import { boardUrl, searchUrl } from "../core/router.js";
import { shortcutAttributes } from "../core/shortcuts.js";
import { agentAvatar, userAvatar } from "../ui/avatar.js";
import { openMenu } from "../ui/menu.js";
import { PRIORITIES } from "../ui/priority.js";
import { toggleFilter } from "./filter.js";

const TYPING_MILLISECONDS = 90; // between the last key and the filtering
const LETTERS_SEARCHED_MIN = 3; // of a filter before a search of all boards is offered
const AVATARS_MAX = 12; // of people and agents; the menu lists all
const CONNECTION_LABELS = { live: "Live", connecting: "Connecting…", gone: "Not connected" };

/** Create the header of a board: `filtered(filter)` is called with a changed filter, `add()` to create a card. */
export function createBoardHeader({ filtered: applyFilter, add }) {
  const title = h("h1");
  const dot = h("span.dot");
  const attributes = { placeholder: "Filter cards", "aria-label": "Filter cards", ...shortcutAttributes("board.search") };
  const field = h("input.input.filter", { type: "search", ...attributes });
  const menuAttributes = { "aria-haspopup": "menu", "aria-label": "More filters", ...shortcutAttributes("filter.open") };
  const menuButton = h("button.plain-button", { ...menuAttributes }, icon("filter"));
  const avatars = h("div.avatar-filter", { role: "group", "aria-label": "Filter by assignee or agent" });
  const settingsLink = h("a.plain-button.board-settings", { "aria-label": "Board settings", title: "Board settings" });
  replaceChildren(settingsLink, icon("settings"));
  const summary = h("button.button.small.summary", { hidden: true, title: "Clear the filter" });
  const searchLink = h("a.button.small.everywhere", { hidden: true }, "Search everywhere");
  const addAttributes = { "aria-label": "New card", ...shortcutAttributes("card.create"), click: () => add() };
  const addButton = h("button.button.new", { ...addAttributes });
  replaceChildren(addButton, icon("plus"), h("span", "New card"));
  const name = h("div.board-title", title, dot);
  const element = h("header.head.board-head", name, searchLink, summary, field, menuButton, avatars, settingsLink, addButton);
  let filter = null;
  let board = null;
  let typingTimer = null;

  field.addEventListener("input", () => {
    clearTimeout(typingTimer);
    typingTimer = setTimeout(() => applyFilter({ ...filter, q: field.value.trim() }), TYPING_MILLISECONDS);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    field.value = "";
    applyFilter({ ...filter, q: "" });
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

  function showMenu() {
    const pick = (name, value, label) => ({
      label,
      checked: filter?.[name] === value,
      run: () => applyFilter(toggleFilter(filter, name, value))
    });
    const people = board.people.map(({ id, name }) => [id, name]);
    const who = [...people, ...board.agents.map(({ id, title: name }) => [id, name])];
    const types = board.cardTypes.map((type) => pick("type", type.id, type.title));
    openMenu(menuButton, {
      label: "Filter",
      items: [
        { head: "Due" },
        pick("due", "late", "Late"),
        pick("due", "week", "Within a week"),
        { head: "Priority" },
        ...PRIORITIES.toReversed().map((priority) => pick("prio", priority, priority)),
        ...(types.length > 1 ? [{ head: "Type" }, ...types] : []),
        { head: "Who" },
        ...who.map(([id, name]) => pick("who", id, name))
      ]
    });
  }

  /** Update the header: board, filter, badges of the agents, and the number of cards that match. */
  function update(newBoard, newFilter, badges, matching) {
    [board, filter] = [newBoard, newFilter];
    setText(title, board.project.title);
    setAttribute(settingsLink, "href", `${boardUrl(board.id)}/design`);
    if (document.activeElement !== field) field.value = filter?.q ?? "";
    summary.hidden = !filter;
    if (filter) replaceChildren(summary, `${formatNumber(matching)} of ${formatNumber(board.cards.size)}`, icon("close"));
    const query = filter?.q ?? "";
    searchLink.hidden = query.length < LETTERS_SEARCHED_MIN;
    setAttribute(searchLink, "href", searchUrl(query));
    addButton.hidden = !board.canHaveNewCards();
    drawAvatars(badges);
  }

  function drawAvatars(badges) {
    const people = board.people.map(({ id, name }) => ({ id, name, face: () => userAvatar(name, true) }));
    const agents = board.agents.map(({ id, title: name }) => {
      return { id, name, face: () => agentAvatar(badges.get(id), name, true) };
    });
    const existing = new Map([...avatars.children].map((button) => [button.key, button]));
    const entries = [...people.slice(0, AVATARS_MAX / 2), ...agents.slice(0, AVATARS_MAX / 2)];
    const buttons = entries.map(({ id, name, face }) => {
      const press = () => applyFilter(toggleFilter(filter, "who", id));
      const button = existing.get(id) ?? Object.assign(h("button", { click: press }), { key: id });
      if (button.named !== name + badges.get(id)) replaceChildren(button, face());
      button.named = name + badges.get(id);
      setAttribute(button, "aria-label", name);
      setAttribute(button, "aria-pressed", String(filter?.who === id));
      return button;
    });
    reconcile(avatars, buttons);
  }

  const leave = () => live.removeEventListener("state", drawState);
  return { element, field, more: menuButton, update, leave, openMenu: showMenu };
}
