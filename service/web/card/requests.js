// The parent and parts of a card, its moves, and an agent's open move request and question.

import { h } from "../core/dom.js";
import { phrase } from "../core/format.js";
import { boardUrl } from "../core/router.js";
import { renderAnswerForm } from "../ui/question.js";
import { boardNames } from "../board/store.js";
import { actorName } from "./actor.js";
import { listMentionable, renderText } from "./text.js";

/** Render a link to the parent, and the progress of the parts. */
export function renderParentAndParts({ board, card: { parent, parts } }) {
  const address = parent && boardUrl(board.id, parent.key);
  const link = parent && h("a.link", { href: address }, phrase`${parent.key} ${parent.title}`);
  const parentLine = parent && h("p.small", "Part of ", link);
  const partsLine = parts && h("p.small.muted", `${parts.done} of ${parts.total} parts are done`);
  return [parentLine, partsLine];
}

/** Render the open move request with buttons that decide it, or null. */
export function renderMoveRequest(open, decide) {
  const { board, request } = open;
  if (!request) return null;
  const requester = h("strong", actorName(request.requestedBy, board));
  const to = h("strong", boardNames(board).column(request.toColumnId));
  const button = (label, kind, isApproved) =>
    h("button", { class: `button small ${kind}`, click: () => decide(isApproved) }, label);
  const buttons = h("div.row", button("Approve", "main", true), button("Reject with a reason …", "", false));
  return h(
    "div.request.panel",
    h("p", requester, " requests a move to ", to),
    request.note && renderText(open, request.note),
    board.isAllowed("transition") && buttons
  );
}

/** Render the open question with a form that answers it, or null. */
export function renderQuestion(open, done) {
  const { board, id } = open;
  const question = board.cards.get(id)?.question;
  if (!question) return null;
  const requester = h("strong", actorName(question.askedBy, board));
  const form = board.isAllowed("comment") && renderAnswerForm({ ...question, cardId: id }, boardNames(board), done);
  const text = renderText(open, question.content, listMentionable(board));
  return h("div.request.panel", h("p", requester, " asks:"), text, form);
}

/** Render the possible moves of an open card as buttons; those that are not allowed show why. */
export function renderMoveList(moves, move, showMissing) {
  const rows = moves.map(({ toColumnId, title, allowed, why }) => {
    const attributes = { class: "transition", "aria-disabled": allowed ? null : "true" };
    const click = () => (allowed ? move(toColumnId) : showMissing(toColumnId));
    const sentences = why.length ? h("span.small", why.join(" ")) : null;
    return h("button", { ...attributes, click }, h("span", title), sentences);
  });
  return rows.length ? rows : [h("p.muted", "This column has no outgoing transitions.")];
}
