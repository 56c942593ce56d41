// A board that has no cards yet: how it gets some.

import { fill, h } from "../core/dom.js";

/** Say which ways there are to the first cards. */
export function begin(place, board, add) {
  const start = h("button", { class: "button main", type: "button", on: { click: () => add() } }, "Add the first card");
  const commands = [
    ["Bring a board from Trello", "python run.py import-trello board.json"],
    ["Watch three agents work a board of their own", "python run.py agent-demo"],
  ];
  const ways = commands.map(([words, command]) => h("li", null, words, ": ", h("code", null, command)));
  const others = h("ul", { class: "small muted" }, ways);
  fill(place, h("h2", null, "No cards yet"), board.may("create") && start, others);
}
