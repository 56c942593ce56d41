// Placeholders for a board that is loading, is empty, or could not be loaded.

import { pageUrl } from "../core/base-path.js";
import { h, replaceChildren } from "../core/dom.js";
import { organization } from "../core/organization.js";
import { boardUrl } from "../core/router.js";

const PLACEHOLDER_COLUMNS = 5;

/** Show the skeleton of a board that is loading. */
export function showLoadingBoard(host) {
  const card = (lines) => h("div", { class: `card skeleton lines-${lines}` });
  const cards = () => h("div.cards", [2, 1, 3, 2].map(card));
  const column = () => h("section.column.skeleton", h("header"), cards());
  replaceChildren(
    host,
    h("p.visually-hidden", { role: "status" }, "Loading"),
    Array.from({ length: PLACEHOLDER_COLUMNS }, column)
  );
}

/** Return the message of an empty board, with ways to add cards. */
export function renderEmptyBoard(board, add) {
  const missing = board.columns.length === 0 ? "columns" : board.cardTypes.length === 0 ? "card types" : null;
  if (missing) return renderIncompleteBoard(board, missing);
  const start = h("button.button.main", { click: () => add() }, "Add the first card");
  const link = (address, label) => h("a.button", { href: pageUrl(address) }, label);
  const others = organization.isArchitect && [
    link("/settings/data", "Import from Trello"),
    link("/?start=1", "Connect an agent")
  ];
  const actions = h("div.row.wrap", board.canHaveNewCards() && start, others);
  const note = "You don't have permission to add cards to this board. Cards that others add will be shown here.";
  return h("div.empty", h("h2", "No cards yet"), !board.canHaveNewCards() && h("p", note), actions);
}

/** Return the message of a board that cannot have cards: it leads those who may to what is missing. */
function renderIncompleteBoard(board, missing) {
  return h("div.empty", h("h2", `This board has no ${missing} yet`), describeNextStep(board, missing));
}

function describeNextStep(board, missing) {
  if (!organization.isArchitect) return h("p", `A Solution Architect can add ${missing} in Board settings.`);
  if (missing === "columns" && board.isAllowed("create", "Column"))
    return h("p", "Columns are the steps that cards go through, such as Todo, In Progress, Done. Name the first one:");
  const settings = h("a.button.main", { href: `${boardUrl(board.id)}/design` }, "Open Board settings");
  return [h("p", `Add ${missing} in Board settings.`), settings];
}

/** Return the message about a board that could not be loaded. */
export function renderBoardError(error, text) {
  const [title, reason, action] = describeBoardError(error, text);
  const request = error.requestId && h("p.small.muted", `Request ${error.requestId}`);
  return h("div.page-message", h("h1", title), h("p", reason), action, request);
}

function describeBoardError({ status, details }, text) {
  const link = (address, label) => h("a.button", { href: pageUrl(address) }, label);
  if (details?.archived) return ["This board is archived", "Restore it to see its cards.", link("/archive", "Go to Archive")];
  const reason = "It was archived, or it belongs to an organization that you are not in.";
  if (status === 404) return ["There is no such board", reason, link("/", "Go to Home")];
  const again = h("button.button", { click: () => location.reload() }, "Try again");
  return ["This board did not load", text, again];
}
