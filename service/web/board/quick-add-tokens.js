// Tokens in the field for new cards: completion, buttons that begin one, and chips that show what was understood.

import { serverNow } from "../core/clock.js";
import { h, replaceChildren, setText } from "../core/dom.js";
import { formatDueInFull, parseDueWords } from "../core/due-words.js";
import { formatNumber } from "../core/format.js";
import { icon } from "../core/icons.js";
import { endsApart } from "../core/words.js";
import { attachCompletion } from "../ui/listbox/completion.js";
import { findLabelField, listKnownLabels } from "../ui/labels.js";
import { peopleSource } from "../ui/text/people-source.js";
import { PRIORITIES } from "../ui/priority.js";
import { replaceText } from "../ui/replace-text.js";
import { parseCardLine, writeLabelToken } from "./card-tokens.js";

const CHIPS_MAX = 20;
const DUE_WORDS = ["today", "tomorrow", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const FURTHER_DUE_WORDS = ["next week", "in 2 weeks", "in 1 month"];
const SIGNS = [
  ["#", "Label"],
  ["@", "Assignee"],
  ["!", "Priority"],
  ["^", "Due date"]
];

/** Serve the field for new cards of a board, of the card type `typeId()`; return {understood, signs, parse(line), update()}. */
export function attachTokens(field, board, typeId) {
  const chips = h("ul.chip-list", { "aria-label": "Understood", hidden: true });
  const status = h("span.visually-hidden", { role: "status" });
  const buttons = SIGNS.map(([sign, label]) => signButton(field, sign, label));
  const offered = createContext(board, typeId);
  attachCompletion(field, listSources(board, offered), { isEnterFree: true });
  field.addEventListener("input", update);
  update();
  return { understood: [chips, status], signs: h("span.signs", buttons), parse, update };

  function parse(line) {
    return parseCardLine(line, offered());
  }

  /** Show what was understood of all lines. */
  function update() {
    const context = offered();
    buttons[0].hidden = !context.labels;
    let start = 0;
    const found = field.value.split("\n").flatMap((line) => {
      const { tokens } = parseCardLine(line, context);
      const placed = tokens.map((token) => ({ ...token, start: start + token.start, end: start + token.end }));
      start += line.length + 1;
      return placed;
    });
    replaceChildren(chips, found.slice(0, CHIPS_MAX).map(chip), renderRest(found.length - CHIPS_MAX));
    chips.hidden = found.length === 0;
    setText(status, found.map(({ caption }) => caption).join(", "));
  }

  function chip({ start, end, caption }) {
    const remove = () => replaceText(field, start, end + (/\s/.test(field.value[end] ?? "") ? 1 : 0), "");
    const attributes = { "aria-label": `Remove ${caption}`, title: `Remove ${caption}`, click: remove };
    return h("li", h("button.button.small", attributes, h("bdi", caption), icon("close")));
  }
}

/** Say how many chips are not shown. */
function renderRest(count) {
  return count > 0 && h("li.small.muted", `And ${formatNumber(count)} more`);
}

/** Return a button that begins a token at the caret, which offers its completions. */
function signButton(field, sign, label) {
  const begin = () => {
    const { value, selectionStart, selectionEnd } = field;
    replaceText(field, selectionStart, selectionEnd, endsApart(value.slice(0, selectionStart)) ? sign : ` ${sign}`);
  };
  const attributes = { "aria-label": `${label}: ${sign}`, title: label, click: begin };
  return h("button.plain-button", { ...attributes, mousedown: (event) => event.preventDefault() }, sign);
}

/** Return a function that returns what tokens can mean on a board now. */
function createContext(board, typeId) {
  let labels = null; // {key, value}: those of a state of the board
  return () => {
    const key = `${board.at} ${typeId()}`;
    if (labels?.key !== key) labels = { key, value: listLabels(board, board.type(typeId())) };
    const agents = board.agents.filter(({ status }) => status !== "pending");
    return { labels: labels.value, people: board.people, agents, now: serverNow() };
  };
}

/** Return the label field of a card type and the labels that it knows, or null. */
function listLabels(board, type) {
  const field = findLabelField(type);
  return field ? { fieldId: field.id, known: listKnownLabels(board, field), isOpen: !field.options.length } : null;
}

function listSources(board, offered) {
  const label = (text) => ({ label: text, text: writeLabelToken(text) });
  const priority = (text) => ({ label: text, text: `!${text}` });
  const sources = [
    { prefix: "#", label: "Labels", isQuotable: true, items: () => (offered().labels?.known ?? []).map(label) },
    peopleSource(board),
    { prefix: "!", label: "Priorities", items: () => PRIORITIES.slice(1).toReversed().map(priority) },
    { prefix: "^", label: "Due dates", items: (text) => listDueDates(text, offered().now), isMatched: true }
  ];
  return sources.map((source) => ({ ...source, isApart: true })); // elsewhere these signs are plain text
}

/** List the due dates that a text begins, and the one that it means. */
function listDueDates(text, now) {
  const typed = text.toLowerCase();
  const words = [...DUE_WORDS, ...FURTHER_DUE_WORDS].filter((word) => word.startsWith(typed));
  const own = typed && !words.includes(typed) && parseDueWords(typed, now) ? [typed] : [];
  return [...own, ...words].map((word) => ({
    label: word,
    why: formatDueInFull(parseDueWords(word, now)),
    text: `^${word}`
  }));
}
