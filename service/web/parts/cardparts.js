// Parts of an open card that are only read: what it is part of, what an agent asks, what happened.

import { now } from "../core/api.js";
import { h } from "../core/dom.js";
import { actorName, happened } from "../core/historywords.js";
import { boardAddress } from "../core/route.js";
import { age, moment } from "../core/words.js";
import { answerForm } from "./asking.js";
import { prose } from "./prose.js";
import { namesOf } from "./refused.js";
import { undoThis } from "./undo.js";

/** Draw of which card this one is a part, and how far its own parts are. */
export function wholeAndParts({ board, card: { parent, parts } }) {
  const address = parent && boardAddress(board.id, parent.key);
  const link = parent && h("a", { class: "link", href: address }, `${parent.key} ${parent.title}`);
  const up = parent && h("p", { class: "small" }, "Part of ", link);
  const down = parts && h("p", { class: "small muted" }, `${parts.done} of ${parts.total} parts are done`);
  return [up, down];
}

/** Draw what an agent asks for, with what decides it; null if it asks for nothing. */
export function requestStrip({ board, request }, decide) {
  if (!request) return null;
  const who = h("strong", null, actorName(request.requestedBy, board));
  const to = h("strong", null, namesOf(board).column(request.toColumnId));
  const button = (words, kind, isApproved) =>
    h("button", { class: `button small ${kind}`, type: "button", on: { click: () => decide(isApproved) } }, words);
  const buttons = h("div", { class: "row" }, button("Approve", "main", true), button("Reject with a reason …", "", false));
  const note = request.note && h("p", null, request.note);
  return h(
    "div",
    { class: "request panel" },
    h("p", null, who, " asks to move this to ", to),
    note,
    board.may("transition") && buttons,
  );
}

/** Draw what an agent asks a person, with what answers it; null if it asks nothing. */
export function questionStrip({ board, id }, done) {
  const question = board.cards.get(id)?.question;
  if (!question) return null;
  const who = h("strong", null, actorName(question.askedBy, board));
  const form = board.may("comment") && answerForm({ ...question, cardId: id }, namesOf(board), done);
  return h("div", { class: "request panel" }, h("p", null, who, " asks:"), prose(question.content), form);
}

// What can be taken back, and the right that this asks for.
const TAKEN_BACK = { moved: "transition", updated: "update", archived: "update", restored: "delete", undone: "update" };

/** Draw the history of an open card, newest first. */
export function historyRows(open) {
  const { board, history } = open;
  const row = (one) => {
    const who = h("strong", { class: one.actor.type === "Agent" ? "agent" : null }, actorName(one.actor, board));
    const when = h("time", { class: "muted", title: moment(one.createdAt) }, `· ${age(one.createdAt, now())}`);
    const words = happened(one, board);
    const named = { class: "link small", type: "button", "aria-label": `Undo this: ${words}` };
    const wishes = { ...named, on: { click: () => undoThis(open, one) } };
    return h("li", null, who, ` ${words} `, when, board.may(TAKEN_BACK[one.action]) && [" ", h("button", wishes, "Undo this")]);
  };
  return [...history.items].reverse().map(row);
}
