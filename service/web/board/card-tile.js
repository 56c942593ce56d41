// Card tiles: a card as a board shows it.

import { claimProgress, serverNow } from "../core/clock.js";
import { h, replaceChildren, setAttribute, setText } from "../core/dom.js";
import {
  describeDueDate,
  dueDateOf,
  formatCount,
  formatDecimal,
  formatDueDate,
  formatNumber,
  formatTimeLeft,
  isolate,
  phrase,
  truncate
} from "../core/format.js";
import { guard } from "../core/guard.js";
import { icon } from "../core/icons.js";
import { lookUp } from "../core/lookup.js";
import { boardUrl } from "../core/router.js";
import { agentAvatar, userAvatar } from "../ui/avatar.js";
import { findLabelField, formatChoice, labelChip } from "../ui/labels.js";
import { setPlainText } from "../ui/plain-text.js";
import { priorityBadge } from "../ui/priority.js";

const TITLE_LINE_PIXELS = 18; // height of a line of the title
const LETTERS_PER_LINE = 30; // of a title, approximately
const LABELS_MAX = 4; // on a tile; further ones are counted
const VALUE_CHARACTERS_MAX = 60; // of a text on a tile

/** Estimate the height of a tile, including the gap, until it is rendered and measured. */
export function estimateTileHeight(card, claim) {
  const lines = Math.min(3, Math.ceil(card.title.length / LETTERS_PER_LINE) || 1);
  return 16 + lines * TITLE_LINE_PIXELS + 22 + 6 + (card.values ? 22 : 0) + (claim ? 31 : 0) + (card.request ? 90 : 0);
}

/** Render a card, or update its node `old`. */
export function renderCardTile(board, badges, id, old) {
  const card = board.cards.get(id);
  const claim = board.claims.get(id);
  const node = old ?? h("li.card", { "data-id": id });
  const isSelected = board.selected.has(id);
  const drawn = { __proto__: null, card, claim, badges, frame: board.columns, isSelected };
  if (Object.keys(drawn).some((key) => node[key] !== drawn[key])) {
    Object.assign(node, drawn).classList.toggle("selected", isSelected);
    guard(
      () => drawTile(board, badges, card, claim, node),
      () => drawBrokenTile(board, card, node)
    );
  }
  return node;
}

/** Draw a card whose tile cannot be drawn: it can be opened, and its actions are there. */
function drawBrokenTile(board, { key }, node) {
  const name = h("a.name", { draggable: "false", tabindex: "-1", href: boardUrl(board.id, key) }, `${key} cannot be shown here`);
  replaceChildren(node, name, board.isAllowed("update") && renderActionsButton({ key }));
}

function drawTile(board, badges, card, claim, node) {
  const isDone = board.column(card.columnId)?.columnType === "done";
  const details = renderDetails(board, card, isDone);
  const avatars = renderAvatars(board, badges, card);
  const name = node.querySelector("a") ?? h("a.name", { draggable: "false", tabindex: "-1" });
  setAttribute(name, "href", boardUrl(board.id, card.key));
  setAttribute(name, "aria-label", tileLabel(board, card, claim));
  setText(name, card.title);
  const shown = listShownValues(board, card);
  const strips = [
    claim && renderClaim(board, claim),
    card.question && renderQuestion(board, card),
    card.request && renderMoveRequest(board, card)
  ];
  const row = h("div.meta", h("div.details", details), avatars);
  const actions = board.isAllowed("update") && renderActionsButton(card);
  const parts = [renderLabels(shown), renderValues(shown), row, ...strips, actions].filter(Boolean);
  if (node.firstChild === name) {
    const kept = node.titleField ?? name; // a field that has the focus stays in its place
    while (kept.nextSibling) kept.nextSibling.remove();
    node.append(...parts);
  } else {
    replaceChildren(node, name, parts);
  }
}

/** Return the values that a tile shows, in the order of the fields: [{field, isLabel, texts}]. */
function listShownValues(board, { cardTypeId, values = {} }) {
  const type = board.type(cardTypeId);
  const labelField = findLabelField(type);
  return (type?.fields ?? [])
    .filter(({ id }) => lookUp(values, id) !== undefined)
    .map((field) => {
      const texts = [lookUp(values, field.id)].flat().map((value) => formatValue(board, field, value));
      return { field, isLabel: field === labelField, texts };
    })
    .filter(({ texts }) => texts.length > 0);
}

function formatValue(board, { kind }, value) {
  const formats = {
    __proto__: null,
    number: () => formatDecimal(value),
    date: () => formatDueDate(value.slice(0, 10), serverNow()),
    url: () => value.replace(/^\w+:\/+(www\.)?/, "").replace(/[/?#].*/, "")
  };
  return formats[kind]?.() ?? formatChoice(board, kind, value);
}

/** Render the labels of a card; without any, null. */
function renderLabels(shown) {
  const { field, texts } = shown.find(({ isLabel }) => isLabel) ?? { texts: [] };
  if (!texts.length) return null;
  const chips = texts.slice(0, LABELS_MAX).map((text) => labelChip(text, lookUp(field.optionColors, text)));
  const rest = texts.slice(LABELS_MAX);
  return h("div.tags", chips, rest.length > 0 && h("span.tag", { title: rest.join(", ") }, `+${formatNumber(rest.length)}`));
}

/** Render the values other than labels as one calm line; without any, null. */
function renderValues(shown) {
  const others = shown.filter(({ isLabel }) => !isLabel);
  const value = ({ field, texts }) => {
    const all = texts.length > 1 ? texts.map(isolate).join(", ") : renderValue(field, texts[0]);
    return h("span", { title: texts.join(", ") }, phrase`${field.label}: `, all);
  };
  return others.length ? h("div.values", others.map(value)) : null;
}

function renderValue({ kind, optionColors }, text) {
  const shown = truncate(text, VALUE_CHARACTERS_MAX);
  const color = lookUp(optionColors, shown);
  if (kind !== "richtext") return color ? labelChip(shown, color) : shown;
  const element = h("span");
  setPlainText(element, text, VALUE_CHARACTERS_MAX);
  return element;
}

function renderActionsButton({ key }) {
  const attributes = { "aria-label": `Actions of ${key}`, "aria-haspopup": "menu", tabindex: "-1", "data-do": "actions" };
  return h("button.plain-button.actions", attributes, icon("more"));
}

function renderDetails(board, card, isDone) {
  const parts = [h("span.key", card.key)];
  if (card.unread) parts.push(h("span.unread.number", { title: unreadText(card) }, formatNumber(card.unread)));
  if (card.priority && card.priority !== "none") parts.push(priorityBadge(card.priority, isDone));
  if (card.dueDate) {
    const { text, state } = describeDueDate(dueDateOf(card), serverNow(), board.isComplete(card.id));
    parts.push(h("span", { class: `due ${state}` }, text));
  }
  if (card.blockedBy) parts.push(h("span.blocked", "Blocked"));
  const { attachments, progress } = board.project.display;
  if (card.parts && progress) parts.push(h("span.number", icon("parts"), formatShare(card.parts)));
  if (card.checklist && progress) parts.push(renderChecklist(card.checklist));
  if (card.comments) parts.push(h("span.number", icon("comment"), formatNumber(card.comments)));
  if (card.files && attachments) parts.push(h("span.number", icon("file"), formatNumber(card.files)));
  const type = board.cardTypes.length > 1 && card.cardTypeId !== board.cardTypes[0].id && board.type(card.cardTypeId);
  if (type) parts.push(h("span.type", type.title));
  return parts;
}

function renderChecklist({ done, total }) {
  const attributes = { class: done === total ? "number done" : "number", title: checklistText({ done, total }) };
  return h("span", attributes, icon("check"), formatShare({ done, total }));
}

function formatShare({ done, total }) {
  return `${formatNumber(done)}/${formatNumber(total)}`;
}

function checklistText({ done, total }) {
  return `${formatNumber(done)} of ${formatCount(total, "item")} done`;
}

function unreadText({ unread }) {
  return `${formatCount(unread, "change")} since you last looked`;
}

function renderAvatars(board, badges, card) {
  const person = card.assignedUserId && board.person(card.assignedUserId);
  const agent = card.assignedAgentId && board.agent(card.assignedAgentId);
  if (!person && !agent) return null;
  return h("span.avatars", person && userAvatar(person.name), agent && agentAvatar(badges.get(agent.id), agent.title));
}

function renderClaim(board, claim) {
  const agentName = board.agent(claim.agentId)?.title ?? claim.agentId;
  const time = h("span.number");
  const bar = h("span.claim-bar", h("i"));
  const strip = h("div.claim", h("span.dot"), h("span.who", agentName), time, bar);
  Object.assign(strip, { claim, time, bar: bar.firstChild });
  updateClaim(strip);
  return strip;
}

/** Update the time left of a claim. */
export function updateClaim(strip) {
  const { rest, scale } = claimProgress(strip.claim);
  setText(strip.time, rest > 0 ? ` · ${formatTimeLeft(rest)}` : " · claim expired");
  strip.classList.toggle("expired", rest <= 0);
  strip.bar.style.transform = scale;
}

function renderMoveRequest(board, card) {
  const { request } = card;
  const agentName = request.requestedBy.label ?? board.agent(request.requestedBy.id)?.title ?? request.requestedBy.id;
  const to = board.column(request.toColumnId)?.title ?? "a column that is gone";
  const sentence = h("p", h("strong", agentName), " requests a move to ", h("strong", to));
  const buttons = h(
    "div.row",
    h("button.button.small.main", { "data-do": "approve" }, "Approve"),
    h("button.button.small", { "data-do": "reject" }, "Reject")
  );
  const note = h("p.note");
  setPlainText(note, request.note ?? "", 120);
  return h("div.request", sentence, request.note && note, board.isAllowed("transition") && buttons);
}

function renderQuestion(board, { question }) {
  const agentName = question.askedBy.label ?? board.agent(question.askedBy.id)?.title ?? question.askedBy.id;
  const text = h("span");
  setPlainText(text, question.content, 120);
  return h("div.request", h("p", h("strong", agentName), " asks: ", text));
}

function tileLabel(board, card, claim) {
  const agent = (id) => board.agent(id)?.title ?? id;
  return [
    board.selected.has(card.id) && "selected",
    card.title,
    card.key,
    board.column(card.columnId)?.title,
    ...listShownValues(board, card).map(({ field, texts }) => `${field.label} ${texts.join(", ")}`),
    card.priority && card.priority !== "none" && `priority ${card.priority}`,
    card.dueDate && `due ${describeDueDate(dueDateOf(card), serverNow(), board.isComplete(card.id)).text}`,
    card.blockedBy && "blocked",
    card.assignedUserId && `with ${board.person(card.assignedUserId)?.name ?? "somebody who left"}`,
    card.assignedAgentId && `with the agent ${agent(card.assignedAgentId)}`,
    card.checklist && board.project.display.progress && checklistText(card.checklist),
    card.comments && formatCount(card.comments, "comment"),
    card.unread && unreadText(card),
    claim && `claimed by ${agent(claim.agentId)}`,
    card.question && "an agent asks a question",
    card.request && "waits for a decision"
  ]
    .filter(Boolean)
    .join(", ");
}
