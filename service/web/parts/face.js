// Faces: people are round with initials, agents are square with letters that no other agent of the organization has.

import { now } from "../core/api.js";
import { attribute, fill, h, icon, say } from "../core/dom.js";
import { boardAddress } from "../core/route.js";
import { brief, count, due, left, shortDate } from "../core/words.js";

/** Give the initials of a person: the first letters of the first and the last word. */
function initials(name) {
  const words = name.trim().split(/\s+/);
  const letters = words.length > 1 ? first(words[0]) + first(words[words.length - 1]) : first(name.trim(), 2);
  return letters.toUpperCase() || "?";
}

function first(word, count = 1) {
  return [...word].slice(0, count).join("");
}

/** Give each agent letters of its own: B1 for a numbered one, else two letters that no other one has. */
export function agentMarks(agents) {
  const marks = new Map();
  const taken = new Set();
  for (const { id, title } of agents) {
    const mark = candidates(title).find((candidate) => !taken.has(candidate)) ?? candidates(title)[0];
    taken.add(mark);
    marks.set(id, mark);
  }
  return marks;
}

const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

function candidates(title) {
  const letters = [...title.replace(/[^\p{L}\p{N}]/gu, "")];
  const begin = (letters[0] ?? "?").toUpperCase();
  const last = title
    .trim()
    .split(/[\s_.:@-]+/)
    .pop()
    .toLowerCase();
  const number = NUMBERS.indexOf(last) >= 0 ? String(NUMBERS.indexOf(last)) : /\d{1,2}$/.exec(title)?.[0];
  const pairs = letters.slice(1).map((letter) => begin + letter.toLowerCase());
  return [...(number ? [begin + number] : []), ...pairs, begin, ...[..."23456789"].map((digit) => begin + digit)];
}

/** Draw a person. */
export function personFace(name, large = false) {
  return h("span", { class: large ? "face large" : "face", title: name, "aria-hidden": "true" }, initials(name));
}

/** Draw an agent by its mark, one that is gone by its name. */
export function agentFace(mark, title, large = false) {
  const shown = mark ?? candidates(title)[0];
  return h("span", { class: large ? "face agent large" : "face agent", title, "aria-hidden": "true" }, shown);
}

/** Draw the title of a card, which leads to it, and its key. */
export function cardTitle(projectId, key, title, wishes = {}) {
  const link = h("a.title", { href: boardAddress(projectId, key), ...wishes }, title);
  return [link, " ", h("span.key", key)];
}

// A card as a board shows it: its title, what is to be known at a glance, who works on it, what it waits for.
const LINE = 18; // pixels of a line of a title
const LETTERS = 30; // of a title in a line, about

/** Guess the height of a card with what is between two, until it is drawn. */
export function guessHeight(card, claim) {
  const lines = Math.min(3, Math.ceil(card.title.length / LETTERS) || 1);
  return 16 + lines * LINE + 22 + 6 + (claim ? 31 : 0) + (card.request ? 90 : 0);
}

/** Draw a card of a board, or bring its node up to date. */
export function cardFace(board, marks, id, old) {
  const card = board.cards.get(id);
  const claim = board.claims.get(id);
  const node = old ?? h("li.card", { "data-id": id });
  const isSelected = board.selected.has(id);
  const drawn = { card, claim, marks, frame: board.columns, isSelected };
  if (Object.keys(drawn).some((key) => node[key] !== drawn[key])) {
    Object.assign(node, drawn).classList.toggle("selected", isSelected);
    paint(board, marks, card, claim, node);
  }
  return node;
}

function paint(board, marks, card, claim, node) {
  const isDone = board.column(card.columnId)?.columnType === "done";
  const meta = metaRow(board, card, isDone);
  const faces = facesOf(board, marks, card);
  const name = node.querySelector("a") ?? h("a.name", { draggable: "false", tabindex: "-1" });
  attribute(name, "href", boardAddress(board.id, board.key(card)));
  attribute(name, "aria-label", labelOf(board, card, claim));
  say(name, card.title);
  const strips = [
    claim && claimStrip(board, claim),
    card.question && questionStrip(board, card),
    card.request && requestStrip(board, card)
  ];
  const row = h("div.meta", meta, faces);
  if (node.firstChild === name) {
    while (name.nextSibling) name.nextSibling.remove();
    node.append(row, ...strips.filter(Boolean));
  } else {
    fill(node, name, row, strips);
  }
}

function metaRow(board, card, isDone) {
  const parts = [h("span.key", board.key(card))];
  if (card.unread) parts.push(h("span.unread.number", { title: unseen(card) }, String(card.unread)));
  if (card.priority && card.priority !== "none") parts.push(priorityMark(card.priority, isDone));
  if (card.dueDate) {
    const { text, state } = isDone ? { text: shortDate(card.dueDate, now()), state: "" } : due(card.dueDate, now());
    parts.push(h("span", { class: `due ${state}` }, text));
  }
  if (card.blockedBy) parts.push(h("span.blocked", "Blocked"));
  if (card.parts) parts.push(h("span.number", icon("parts"), `${card.parts.done}/${card.parts.total}`));
  if (card.comments) parts.push(h("span.number", icon("comment"), String(card.comments)));
  if (card.files) parts.push(h("span.number", icon("file"), String(card.files)));
  const type = board.cardTypes.length > 1 && card.cardTypeId !== board.cardTypes[0].id && board.type(card.cardTypeId);
  if (type) parts.push(h("span.type", type.title));
  return parts;
}

function unseen({ unread }) {
  return `${count(unread, "change")} since you last looked`;
}

/** Draw a priority: bars, and a word from high on. */
export function priorityMark(priority, isPlain = false, withWord = false) {
  const isLoud = ["high", "urgent"].includes(priority) || withWord;
  const bars = h("span.bars", { "aria-hidden": "true" }, h("i"), h("i"), h("i"));
  const kind = `prio ${priority}${isPlain ? " calm" : ""}`;
  return h("span", { class: kind, title: `Priority ${priority}` }, bars, isLoud && priority);
}

function facesOf(board, marks, card) {
  const person = card.assignedUserId && board.person(card.assignedUserId);
  const agent = card.assignedAgentId && board.agent(card.assignedAgentId);
  if (!person && !agent) return null;
  return h(
    "span.faces",
    person && personFace(person.name),
    agent && agentFace(marks.get(agent.id), agent.title)
  );
}

function claimStrip(board, claim) {
  const who = board.agent(claim.agentId)?.title ?? claim.agentId;
  const time = h("span.number");
  const bar = h("span.lease", h("i"));
  const strip = h("div.claim", h("span.dot"), h("span.who", who), time, bar);
  Object.assign(strip, { claim, time, bar: bar.firstChild });
  tick(strip);
  return strip;
}

/** Give the milliseconds that a claim has left, and how far that shrinks its bar. */
export function leaseOf({ claimedAt, renewedAt, expiresAt }) {
  const rest = Date.parse(expiresAt) - now();
  const whole = Date.parse(expiresAt) - Date.parse(renewedAt ?? claimedAt);
  return { rest, scale: `scaleX(${Math.max(0, Math.min(1, rest / whole))})` };
}

/** Bring the time that a claim has left up to date. */
export function tick(strip) {
  const { rest, scale } = leaseOf(strip.claim);
  say(strip.time, rest > 0 ? ` · ${left(rest)}` : " · its time ran out");
  strip.classList.toggle("over", rest <= 0);
  strip.bar.style.transform = scale;
}

function requestStrip(board, card) {
  const { request } = card;
  const who = request.requestedBy.label ?? board.agent(request.requestedBy.id)?.title ?? request.requestedBy.id;
  const to = board.column(request.toColumnId)?.title ?? "a column that is gone";
  const words = h("p", h("strong", who), " asks to move this to ", h("strong", to));
  const buttons = h(
    "div.row",
    h("button.button.small.main", { "data-do": "approve" }, "Approve"),
    h("button.button.small", { "data-do": "reject" }, "Reject")
  );
  const note = request.note && h("p.note", brief(request.note, 120));
  return h("div.request", words, note, board.may("transition") && buttons);
}

function questionStrip(board, { question }) {
  const who = question.askedBy.label ?? board.agent(question.askedBy.id)?.title ?? question.askedBy.id;
  return h("div.request", h("p", h("strong", who), " asks: ", brief(question.content, 120)));
}

function labelOf(board, card, claim) {
  const agent = (id) => board.agent(id)?.title ?? id;
  return [
    board.selected.has(card.id) && "selected",
    card.title,
    board.key(card),
    board.column(card.columnId)?.title,
    card.priority && card.priority !== "none" && `priority ${card.priority}`,
    card.dueDate && `due ${due(card.dueDate, now()).text}`,
    card.blockedBy && "blocked",
    card.assignedUserId && `with ${board.person(card.assignedUserId)?.name ?? "somebody who left"}`,
    card.assignedAgentId && `with the agent ${agent(card.assignedAgentId)}`,
    card.comments && count(card.comments, "comment"),
    card.unread && unseen(card),
    claim && `${agent(claim.agentId)} is working on it`,
    card.question && "an agent asks a question",
    card.request && "waits for a decision"
  ]
    .filter(Boolean)
    .join(", ");
}
