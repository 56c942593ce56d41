// What stands where a board is not there yet, is empty, or cannot be shown.

import { fill, h } from "../core/dom.js";

const COLUMNS = 5;

/** Hold the place of a board that is loading. */
export function loadingBoard(host) {
  const card = (lines) => h("div", { class: `card hold lines-${lines}` });
  const cards = () => h("div", { class: "cards" }, [2, 1, 3, 2].map(card));
  const column = () => h("section", { class: "column hold" }, h("header"), cards());
  fill(host, h("p", { class: "unseen", role: "status" }, "Loading"), Array.from({ length: COLUMNS }, column));
}

/** Say how a board that has no cards gets some; few boards need the words. */
export function emptyBoard(board, add) {
  const place = h("div", { class: "empty" });
  import("./emptyboard.js").then(({ begin }) => begin(place, board, add));
  return place;
}

/** Say why a board cannot be shown. */
export function goneBoard(error, words) {
  const isGone = error.status === 404;
  const again = h("button", { class: "button", type: "button", on: { click: () => location.reload() } }, "Try again");
  return h(
    "div",
    { class: "alone" },
    h("h1", null, isGone ? "There is no such board" : "This board did not load"),
    h("p", null, isGone ? "It was archived, or it belongs to an organization that you are not in." : words),
    isGone ? h("a", { class: "button", href: "/" }, "Go to Now") : again,
    error.requestId && h("p", { class: "small muted" }, `Request ${error.requestId}`),
  );
}
