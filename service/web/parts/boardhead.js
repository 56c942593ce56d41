// The head of a board: its title, whether it is live, the filter, faces to press, a new card.

import { toggled } from "../core/cards.js";
import { arrange, attribute, fill, h, icon, say } from "../core/dom.js";
import { hinted } from "../core/keys.js";
import { live } from "../core/live.js";
import { searchAddress } from "../core/route.js";
import { agentFace, personFace } from "./face.js";
import { openMenu } from "./float.js";
import { PRIORITIES } from "./refused.js";

const TYPING = 90; // milliseconds after the last letter until the filter takes hold
const LETTERS_SEARCHED_MIN = 3; // of a filter from which on to search all boards is offered
const FACES = 12; // of people and agents; the rest is in the menu
const STATES = { live: "Live", connecting: "Connecting…", gone: "Not connected" };

/** Give the head of a board; `filtered(filter)` is told what somebody wants to see, `add()` that a card is wanted. */
export function boardHead({ filtered, add }) {
  const title = h("h1");
  const dot = h("span.dot");
  const named = { placeholder: "Filter cards", "aria-label": "Filter cards", ...hinted("board.search") };
  const field = h("input.input.filter", { type: "search", ...named });
  const opens = { "aria-haspopup": "menu", "aria-label": "More filters", ...hinted("filter.open") };
  const more = h("button.plain", { ...opens }, icon("filter"));
  const faces = h("div.people", { role: "group", "aria-label": "Filter by who works on a card" });
  const summary = h("button.button.small.summary", { hidden: true, title: "Clear the filter" });
  const everywhere = h("a.button.small.everywhere", { hidden: true }, "Search everywhere");
  const makes = { "aria-label": "New card", ...hinted("card.create"), click: () => add() };
  const plus = h("button.button.new", { ...makes });
  fill(plus, icon("plus"), h("span", "New card"));
  const gap = h("span.gap");
  const element = h("header.head.board-head", title, dot, gap, everywhere, summary, field, more, faces, plus);
  let filter = null;
  let board = null;
  let typing = null;

  field.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => filtered({ ...filter, q: field.value.trim() }), TYPING);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    field.value = "";
    filtered({ ...filter, q: "" });
    field.blur();
  });
  summary.addEventListener("click", () => ((field.value = ""), filtered(null), field.focus()));
  more.addEventListener("click", menu);
  live.addEventListener("state", drawState);
  drawState();

  function drawState() {
    const words = STATES[live.state];
    dot.className = `dot ${live.state}`;
    attribute(dot, "title", words);
    attribute(dot, "role", "img");
    attribute(dot, "aria-label", words);
  }

  function menu() {
    const pick = (name, value, label) => ({
      label,
      checked: filter?.[name] === value,
      run: () => filtered(toggled(filter, name, value))
    });
    const people = board.people.map(({ id, name }) => [id, name]);
    const who = [...people, ...board.agents.map(({ id, title: name }) => [id, name])];
    const types = board.cardTypes.map((type) => pick("type", type.id, type.title));
    openMenu(more, {
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

  /** Bring the head up to date: the board, its filter, agents' marks, and how many of how many cards are shown. */
  function update(now, filtering, marks, shown) {
    [board, filter] = [now, filtering];
    say(title, board.project.title);
    if (document.activeElement !== field) field.value = filter?.q ?? "";
    summary.hidden = !filter;
    if (filter) fill(summary, `${shown} of ${board.cards.size}`, icon("close"));
    const words = filter?.q ?? "";
    everywhere.hidden = words.length < LETTERS_SEARCHED_MIN;
    attribute(everywhere, "href", searchAddress(words));
    plus.hidden = !board.may("create");
    drawFaces(marks);
  }

  function drawFaces(marks) {
    const people = board.people.map(({ id, name }) => ({ id, name, face: () => personFace(name, true) }));
    const agents = board.agents.map(({ id, title: name }) => {
      return { id, name, face: () => agentFace(marks.get(id), name, true) };
    });
    const known = new Map([...faces.children].map((button) => [button.key, button]));
    const shown = [...people.slice(0, FACES / 2), ...agents.slice(0, FACES / 2)];
    const buttons = shown.map(({ id, name, face }) => {
      const press = () => filtered(toggled(filter, "who", id));
      const button = known.get(id) ?? Object.assign(h("button", { click: press }), { key: id });
      if (button.named !== name + marks.get(id)) fill(button, face());
      button.named = name + marks.get(id);
      attribute(button, "aria-label", name);
      attribute(button, "aria-pressed", String(filter?.who === id));
      return button;
    });
    arrange(faces, buttons);
  }

  return { element, field, more, update, leave: () => live.removeEventListener("state", drawState), openMenu: menu };
}

// What stands where a board is not there yet, is empty, or cannot be shown.
const COLUMNS = 5;

/** Hold the place of a board that is loading. */
export function loadingBoard(host) {
  const card = (lines) => h("div", { class: `card hold lines-${lines}` });
  const cards = () => h("div.cards", [2, 1, 3, 2].map(card));
  const column = () => h("section.column.hold", h("header"), cards());
  fill(host, h("p.unseen", { role: "status" }, "Loading"), Array.from({ length: COLUMNS }, column));
}

/** Say how a board that has no cards gets some. */
export function emptyBoard(board, add) {
  const start = h("button.button.main", { click: () => add() }, "Add the first card");
  const others = h(
    "ul.small.muted",
    h("li", h("a", { href: "/settings/data" }, "Bring a board from Trello")),
    h("li", "Watch three agents work a board of their own: ", h("code", "python run.py agent-demo"))
  );
  return h("div.empty", h("h2", "No cards yet"), board.may("create") && start, others);
}

/** Say why a board cannot be shown. */
export function goneBoard(error, words) {
  const isGone = error.status === 404;
  const again = h("button.button", { click: () => location.reload() }, "Try again");
  return h(
    "div.alone",
    h("h1", isGone ? "There is no such board" : "This board did not load"),
    h("p", isGone ? "It was archived, or it belongs to an organization that you are not in." : words),
    isGone ? h("a.button", { href: "/" }, "Go to Now") : again,
    error.requestId && h("p.small.muted", `Request ${error.requestId}`)
  );
}
