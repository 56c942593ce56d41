// A board that has no cards yet: how it gets some.

import { fill, h } from "../core/dom.js";

/** Say which ways there are to the first cards. */
export function begin(place, board, add) {
  const start = h("button", { class: "button main", type: "button", on: { click: () => add() } }, "Add the first card");
  const ways = [
    h("li", null, h("a", { href: "/settings/data" }, "Bring a board from Trello")),
    h("li", null, "Watch three agents work a board of their own: ", h("code", null, "python run.py agent-demo")),
  ];
  const others = h("ul", { class: "small muted" }, ways);
  fill(place, h("h2", null, "No cards yet"), board.may("create") && start, others);
}
