// The parent and parts of a card, its moves, and an agent's open move request and question.

import { h, query, replaceChildren } from "../core/dom.js";
import { problemTexts } from "../core/error-text.js";
import { phrase } from "../core/format.js";
import { drawPart, renderBroken } from "../core/guard.js";
import { boardUrl } from "../core/router.js";
import { approveMove, rejectMove } from "../ui/move-request.js";
import { boardNames, moveCard } from "../board/store.js";
import { actorName } from "./actor.js";
import { listMentionable, renderText } from "./text.js";

/** @import { OpenCard } from "./store.js" */
/** @import { CardView } from "./view.js" */

/**
 * Create the section above the texts: the parent, the progress of the parts, and what an agent asks.
 * @param {CardView} view
 */
export function createRequests({ open, board }) {
  const element = h("div");
  const answered = () => (board.refresh(), open.read());
  function update() {
    if (query(element, ".answer textarea:focus")?.value) return; // keep an answer that is being written
    const parts = [
      drawPart("Its parent", () => renderParentAndParts(open)),
      drawPart("The question", () => renderQuestion(open, answered)),
      drawPart("The move request", () => renderMoveRequest(open))
    ];
    replaceChildren(element, parts);
  }
  return { element, update };
}

/**
 * Return whether an agent asks for a move that the user may approve or reject.
 * @param {OpenCard} open
 */
export function canDecide({ request, board }) {
  return Boolean(request) && board.isAllowed("transition");
}

/**
 * Approve or reject the move that an agent asks for, then read the card again.
 * @param {OpenCard} open
 * @param {boolean} isApproved
 */
export async function decide(open, isApproved) {
  const { board, request, card } = open;
  const names = boardNames(board);
  if (isApproved) await approveMove(request.id, card.title, names);
  else await rejectMove(request, card.title, actorName(request.requestedBy, board), names);
  board.refresh();
  await open.read();
}

/** Render a link to the parent, and the progress of the parts. */
function renderParentAndParts({ board, card: { parent, parts } }) {
  const address = parent && boardUrl(board.id, parent.key);
  const link = parent && h("a.link", { href: address }, phrase`${parent.key} ${parent.title}`);
  const parentLine = parent && h("p.small", "Part of ", link);
  const partsLine = parts && h("p.small.muted", `${parts.done} of ${parts.total} parts are done`);
  return [parentLine, partsLine];
}

/** Render the open move request with buttons that decide it, or null. */
function renderMoveRequest(open) {
  const { board, request } = open;
  if (!request) return null;
  const requester = h("strong", actorName(request.requestedBy, board));
  const to = h("strong", boardNames(board).column(request.toColumnId));
  const button = (label, kind, isApproved) =>
    h("button", { class: `button small ${kind}`, click: () => decide(open, isApproved) }, label);
  const buttons = h("div.row", button("Approve", "main", true), button("Reject with a reason …", "", false));
  return h(
    "div.request.panel",
    h("p", requester, " requests a move to ", to),
    request.note && renderText(open, request.note),
    canDecide(open) && buttons
  );
}

/** Render the open question with a form that answers it, or null. */
function renderQuestion(open, done) {
  const { board, id } = open;
  const question = board.cards.get(id)?.question;
  if (!question) return null;
  const requester = h("strong", actorName(question.askedBy, board));
  const form = board.isAllowed("comment") && renderAnswerFormLater({ ...question, cardId: id }, boardNames(board), done);
  const text = renderText(open, question.content, listMentionable(board));
  return h("div.request.panel", h("p", requester, " asks:"), text, form);
}

/** Return the place of a form that answers a question, whose module few cards need. */
function renderAnswerFormLater(question, names, done) {
  const place = h("div");
  const show = ({ renderAnswerForm }) => replaceChildren(place, renderAnswerForm(question, names, done));
  import("../ui/question.js").then(show).catch(() => replaceChildren(place, renderBroken("The answer form")));
  return place;
}

/**
 * Create the section of the columns that the card can be moved to.
 * @param {CardView} view
 */
export function createMoves(view) {
  const list = h("div.transitions");
  function update() {
    replaceChildren(
      list,
      drawPart("The moves", () => renderMoves(view))
    );
  }
  return { element: h("section.moves", h("h3", "Move to"), list), update };
}

function renderMoves(view) {
  const buttons = view.open.moves.map((move) => renderMove(view, move));
  return buttons.length ? buttons : h("p.muted", "This column has no outgoing transitions.");
}

/** Render a possible move as a button; one that is not allowed says why, and leads to the field that is missing. */
function renderMove(view, move) {
  const { open, board } = view;
  const { toColumnId, title, allowed } = move;
  const reasons = allowed ? [] : problemTexts({ details: move }, boardNames(board));
  const click = () => (allowed ? moveCard(board, open.id, toColumnId) : focusMissingField(view, move));
  const attributes = { class: "transition", "aria-disabled": allowed ? null : "true", click };
  return h("button", attributes, h("span", title), reasons.length > 0 && h("span.small", reasons.join(" ")));
}

/** Focus the required field whose missing value prevents a move. */
function focusMissingField(view, { blockers }) {
  const missing = blockers.find(({ code }) => code === "required_fields_missing")?.details.fieldIds[0];
  const button = view.findButton(`field:${missing}`);
  button?.scrollIntoView({ block: "center" });
  button?.focus();
}
