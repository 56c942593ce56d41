// The right side of an open card: who works on it, its properties and fields, where it can go, what it is related to.

import { now, post, remove } from "../core/api.js";
import { fill, h, icon } from "../core/dom.js";
import { actorName, happened } from "./talk.js";
import { prose } from "../core/markdown.js";
import { path } from "../core/organization.js";
import { boardAddress } from "../core/route.js";
import { age, due, left, moment } from "../core/words.js";
import { answerForm } from "./deciding.js";
import { agentFace, personFace, priorityMark } from "./face.js";
import { editable } from "./field.js";
import { askFor } from "./form.js";
import { change, namesOf, PRIORITIES, undoThis } from "./refused.js";

const NOBODY = { value: null, label: "None" };
const KINDS = { select: "choice", agent: "choice", user: "choice", multiselect: "choices", checkbox: "checkbox" };
const CHARACTERS_MAX = { text: 10_000, richtext: 100_000, url: 2000 };

/** Give all that can be edited of an open card besides its title: [{label, field, isProse}]. */
export function properties(open, marks, may) {
  const { board } = open;
  const faces = facesOf(board, marks);
  const asPerson = ({ id, name }) => ({ value: id, label: name, mark: personFace(name) });
  const asAgent = ({ id, title }) => ({ value: id, label: title, mark: agentFace(marks.get(id), title) });
  const people = () => [NOBODY, ...board.people.map(asPerson)];
  const agents = () => [NOBODY, ...board.agents.map(asAgent)];
  const priorities = () => PRIORITIES.map((value) => ({ value, label: value }));
  const row = (label, wishes) => ({ label, field: editable({ open, label, may, ...wishes }) });
  const own = [
    row("Agent", { key: "assignedAgentId", kind: "choice", choices: agents, show: faces.agent }),
    row("Person", { key: "assignedUserId", kind: "choice", choices: people, show: faces.user }),
    row("Priority", { key: "priority", kind: "choice", choices: priorities, show: priority }),
    row("Due", { key: "dueDate", kind: "date", show: dueDate })
  ];
  const fields = open.fields().filter(({ kind }) => kind !== "file");
  return [...own, ...fields.map((field) => custom(field, { people, agents, faces }))];

  function custom(field, { people: users, agents: bots }) {
    const own = () => field.options.map((value) => ({ value, label: value }));
    const options = { agent: bots, user: users }[field.kind] ?? own;
    const choices = field.kind === "select" ? () => [NOBODY, ...options()] : options;
    const wishes = { key: `field:${field.id}`, kind: KINDS[field.kind] ?? field.kind, choices, most: CHARACTERS_MAX[field.kind] };
    const isProse = field.kind === "richtext";
    return { ...row(field.label, { ...wishes, show: shower(field.kind, faces) }), isProse };
  }
}

function facesOf(board, marks) {
  const none = () => h("span.muted", "None");
  const person = (id) => {
    const name = board.person(id)?.name ?? "somebody who left";
    return [personFace(name), " ", name];
  };
  const bot = (id) => {
    const title = board.agent(id)?.title ?? id;
    return [agentFace(marks.get(id), title), " ", title];
  };
  return { user: (id) => (id ? person(id) : none()), agent: (id) => (id ? bot(id) : none()) };
}

function priority(value) {
  if (!value || value === "none") return h("span.muted", "None");
  return priorityMark(value, false, true);
}

function dueDate(value) {
  if (!value) return h("span.muted", "None");
  const { text, state } = due(value, now());
  return h("span", { class: `due ${state}`, title: moment(value) }, text);
}

function shower(kind, faces) {
  const none = () => h("span.muted", kind === "richtext" ? "Empty" : "–");
  const shows = {
    richtext: prose,
    checkbox: (value) => h("span", value === "true" ? "☑ yes" : "☐ no"),
    multiselect: (value) => h("span.tags", value.map((one) => h("span.tag", one))),
    agent: faces.agent,
    user: faces.user,
    date: (value) => value.slice(0, 10),
    url: (value) => h("span.address", value)
  };
  return (value) => {
    if (kind === "checkbox") return shows.checkbox(value);
    return value === null || value === undefined ? none() : (shows[kind] ?? String)(value);
  };
}

/** Draw what an open card is related to: its parent, its parts, what blocks it. */
export function relationRows(open) {
  return open.relations.map((one) => {
    const { fromCardId, kind, card: { key, title, projectId, column, done } } = one;
    const words = WORDS[kind][fromCardId === open.id ? 0 : 1];
    const link = h("a", { class: done ? "link done" : "link", href: boardAddress(projectId, key) }, `${key} ${title}`);
    const drop = { class: "plain", "aria-label": `Remove the relation to ${key}` };
    const press = { click: () => unrelate(open, one) };
    const away = open.board.may("delete", "Relationship") && h("button", { ...drop, ...press }, icon("close"));
    const where = h("span.muted.small", ` · ${column}`, away);
    return h("li", h("span.muted", words), " ", link, where);
  });
}

function unrelate(open, { id, fromCardId, toCardId, kind, comment, card }) {
  const where = path("/relationships");
  const told = { says: `The relation to ${card.key} is removed`, failed: "The relation stays" };
  const back = async () => void (await post(where, { fromCardId, toCardId, kind, comment }));
  change(() => remove(`${where}/${encodeURIComponent(id)}`), { ...told, back }, () => open.read());
}

/** Ask for a card and what it is to an open one. */
export function relate(open) {
  const kinds = Object.entries(WORDS).flatMap(([kind, [one, other]]) =>
    one === other ? [[kind, one]] : [[kind, one], [`${kind} back`, other]]
  );
  return askFor({
    title: `Relate ${open.card.key} to another card`,
    fields: [
      { name: "kind", label: `${open.card.key} …`, kind: "select", options: kinds },
      { name: "key", label: "Key of the other card", required: true, most: 200 }
    ],
    button: "Relate",
    send: async ({ kind: named, key }) => {
      const [kind, isBack] = named.split(" ");
      const [fromCardId, toCardId] = isBack ? [key.trim(), open.id] : [open.id, key.trim()];
      await post(path("/relationships"), { fromCardId, toCardId, kind });
      await open.read();
    }
  });
}

const WORDS = {
  blocks: ["blocks", "blocked by"],
  dependsOn: ["depends on", "needed by"],
  partOf: ["part of", "has part"],
  duplicates: ["duplicates", "duplicated by"],
  relatesTo: ["relates to", "relates to"]
};

/** Draw where an open card can go: each way a button, a closed one with its sentences. */
export function moveRows(ways, go, help) {
  const rows = ways.map(({ toColumnId, title, allowed, why }) => {
    const attributes = { class: "way", "aria-disabled": allowed ? null : "true" };
    const click = () => (allowed ? go(toColumnId) : help(toColumnId));
    const sentences = why.length ? h("span.small", why.join(" ")) : null;
    return h("button", { ...attributes, click }, h("span", title), sentences);
  });
  return rows.length ? rows : [h("p.muted", "There is no way out of this column.")];
}

/** Say in a line what the properties of an open card say, for a screen on which they stand far below. */
export function summary({ board, card, id }) {
  const claim = board.claims.get(id) ?? card.claim;
  const agent = (agentId) => board.agent(agentId)?.title ?? agentId;
  const person = card.assignedUserId && (board.person(card.assignedUserId)?.name ?? "somebody who left");
  const said = [
    claim ? `${agent(claim.agentId)} works on it` : card.assignedAgentId && `for ${agent(card.assignedAgentId)}`,
    person,
    card.priority !== "none" && card.priority,
    card.dueDate && `due ${due(card.dueDate, now()).text}`
  ].filter(Boolean);
  return said.join(" · ") || "Nobody works on it";
}

/** Draw who works on an open card. */
export function worker(open, element) {
  const { claim } = open.card;
  const live = open.board.claims.get(open.id) ?? claim;
  if (!live) return fill(element, h("span.muted", "Nobody"));
  const title = open.board.agent(live.agentId)?.title ?? live.agentId;
  const rest = Date.parse(live.expiresAt) - now();
  const words = rest > 0 ? ` · ${left(rest)}` : " · its time ran out";
  const time = h("span.muted.number", { title: `until ${moment(live.expiresAt)}` }, words);
  return fill(element, icon("agent"), " ", title, time);
}

// Parts of an open card that are only read: what it is part of, what an agent asks, what happened.
/** Draw of which card this one is a part, and how far its own parts are. */
export function wholeAndParts({ board, card: { parent, parts } }) {
  const address = parent && boardAddress(board.id, parent.key);
  const link = parent && h("a.link", { href: address }, `${parent.key} ${parent.title}`);
  const up = parent && h("p.small", "Part of ", link);
  const down = parts && h("p.small.muted", `${parts.done} of ${parts.total} parts are done`);
  return [up, down];
}

/** Draw what an agent asks for, with what decides it; null if it asks for nothing. */
export function requestStrip({ board, request }, decide) {
  if (!request) return null;
  const who = h("strong", actorName(request.requestedBy, board));
  const to = h("strong", namesOf(board).column(request.toColumnId));
  const button = (words, kind, isApproved) =>
    h("button", { class: `button small ${kind}`, click: () => decide(isApproved) }, words);
  const buttons = h("div.row", button("Approve", "main", true), button("Reject with a reason …", "", false));
  const note = request.note && h("p", request.note);
  return h(
    "div.request.panel",
    h("p", who, " asks to move this to ", to),
    note,
    board.may("transition") && buttons
  );
}

/** Draw what an agent asks a person, with what answers it; null if it asks nothing. */
export function questionStrip({ board, id }, done) {
  const question = board.cards.get(id)?.question;
  if (!question) return null;
  const who = h("strong", actorName(question.askedBy, board));
  const form = board.may("comment") && answerForm({ ...question, cardId: id }, namesOf(board), done);
  return h("div.request.panel", h("p", who, " asks:"), prose(question.content), form);
}

// What can be taken back, and the right that this asks for.
const TAKEN_BACK = { moved: "transition", updated: "update", archived: "update", restored: "delete", undone: "update" };

/** Draw the history of an open card, newest first. */
export function historyRows(open) {
  const { board, history } = open;
  const row = (one) => {
    const who = h("strong", { class: one.actor.type === "Agent" ? "agent" : null }, actorName(one.actor, board));
    const when = h("time.muted", { title: moment(one.createdAt) }, `· ${age(one.createdAt, now())}`);
    const words = happened(one, board);
    const named = { class: "link small", "aria-label": `Undo this: ${words}` };
    const wishes = { ...named, click: () => undoThis(open, one) };
    return h("li", who, ` ${words} `, when, board.may(TAKEN_BACK[one.action]) && [" ", h("button", wishes, "Undo this")]);
  };
  return [...history.items].reverse().map(row);
}
