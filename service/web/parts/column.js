// A column of a board: its head, the field for new cards, and its cards as a long list.

import { retryKey } from "../core/api.js";
import { attribute, fill, h, icon, say } from "../core/dom.js";
import { bindingsOf } from "../core/keys.js";
import { count } from "../core/words.js";
import { cardFace, guessHeight, tick } from "./face.js";
import { LongList } from "./list.js";
import { announce, openMenu } from "./float.js";
import { sentenceOf } from "./refused.js";

const COLLAPSED = "tandem.collapsed.";
const WITHOUT_EMPTY = "tandem.withoutempty."; // boards whose columns without cards are hidden

/** Hide columns without cards where the person wants it so; of a board without any card none is. */
export function heedEmpty(lanes, board) {
  lanes.classList.toggle("without-empty", hidesEmpty(board) && board.cards.size > 0);
}

function hidesEmpty(board) {
  return localStorage.getItem(WITHOUT_EMPTY + board.id) === "yes";
}

export class ColumnView {
  constructor(board, column, marks) {
    Object.assign(this, { board, id: column.id, column, marks, current: null });
    this.title = h("h2", { id: `column-${column.id}` });
    this.count = h("span.count.number");
    this.glyph = h("span.glyph");
    this.plus = h("button.plain", { click: () => this.add() }, icon("plus"));
    this.more = h("button.plain.more", { "aria-haspopup": "menu" }, icon("more"));
    this.more.addEventListener("click", () => this.menu());
    this.shut = h("p.sentence", { hidden: true });
    this.quick = quickAdd(this);
    this.scroller = h("div.cards");
    const head = h("header", this.title, this.count, this.glyph, this.more, this.plus);
    const about = { class: "column", "aria-labelledby": this.title.id, "data-column": column.id };
    this.element = h("section", about, head, this.shut, this.quick.element, this.scroller);
    this.element.addEventListener("click", ({ target }) => {
      if (this.isCollapsed && !target.closest("button")) this.collapse(false);
    });
    this.list = new LongList(this.scroller, {
      draw: (id, node) => this.draw(id, node),
      guess: (id) => guessHeight(board.cards.get(id), board.claims.get(id))
    });
    this.list.list.setAttribute("aria-label", column.title);
    this.collapse(localStorage.getItem(COLLAPSED + column.id) === "yes");
  }

  draw(id, old) {
    const node = cardFace(this.board, this.marks, id, old);
    attribute(node.firstChild, "tabindex", id === this.current ? "0" : "-1");
    return node;
  }

  /** Show these cards, out of all that the column has. */
  set(ids, marks, total) {
    this.marks = marks;
    this.column = this.board.column(this.id);
    if (!ids.includes(this.current)) this.stand(ids[0] ?? null);
    this.list.set(ids);
    this.head(total);
    if (this.wanted && ids.includes(this.wanted)) this.list.reveal(this.wanted);
    if (this.wanted && this.board.cards.has(this.wanted)) this.wanted = null;
  }

  /** Bring a card into sight as soon as it is on the board. */
  added(id) {
    this.wanted = id;
  }

  /** Make a card the one that Tab comes to. */
  stand(id) {
    const before = this.list?.nodes.get(this.current);
    if (before) attribute(before.firstChild, "tabindex", "-1");
    this.current = id;
    this.list?.kept.clear();
    if (id) this.list?.kept.add(id);
    const node = this.list?.nodes.get(id);
    if (node) attribute(node.firstChild, "tabindex", "0");
  }

  head(total) {
    const { title, wipLimit, columnType, agentPickupEnabled, agentCanModerate } = this.column;
    say(this.title, title);
    this.element.classList.toggle("empty", total === 0);
    const isFull = wipLimit !== null && total >= wipLimit;
    say(this.count, wipLimit === null ? total.toLocaleString("en") : `${total} / ${wipLimit}`);
    this.count.classList.toggle("full", isFull);
    attribute(this.count, "title", isFull ? "Full" : null);
    const agentsWork = agentPickupEnabled && agentCanModerate;
    const open = agentsWork ? ["agent", "Agents may work here"] : ["lock", "Only people move cards out of here"];
    const [mark, words] = columnType === "done" ? ["check", "Done"] : open;
    if (this.mark !== mark) fill(this.glyph, icon(mark, words));
    attribute(this.glyph, "title", words);
    this.mark = mark;
    attribute(this.plus, "aria-label", `Add a card to ${title}`);
    attribute(this.more, "aria-label", `More about ${title}`);
    this.plus.hidden = !this.board.may("create");
  }

  /** Open the field for new cards. */
  add() {
    this.collapse(false);
    this.quick.open();
  }

  menu() {
    const items = [
      { label: "Collapse", run: () => this.collapse(true) },
      { label: "Select cards", run: () => this.select() },
      { label: hidesEmpty(this.board) ? "Show empty columns" : "Hide empty columns", run: () => this.turnEmpty() },
      ...(this.board.may("create") ? [{ label: "Add a card", end: bindingsOf("card.create")[0], run: () => this.add() }] : [])
    ];
    const whenCollapsed = [{ label: "Open", run: () => this.collapse(false) }];
    openMenu(this.more, { label: this.column.title, items: this.isCollapsed ? whenCollapsed : items });
  }

  select() {
    this.element.dispatchEvent(new CustomEvent("select-cards", { bubbles: true, detail: this.id }));
  }

  collapse(isCollapsed) {
    this.isCollapsed = isCollapsed;
    this.element.classList.toggle("collapsed", isCollapsed);
    if (isCollapsed) localStorage.setItem(COLLAPSED + this.id, "yes");
    else localStorage.removeItem(COLLAPSED + this.id);
  }

  /** Hide the board's columns without cards, or show them again. */
  turnEmpty() {
    if (hidesEmpty(this.board)) localStorage.removeItem(WITHOUT_EMPTY + this.board.id);
    else localStorage.setItem(WITHOUT_EMPTY + this.board.id, "yes");
    heedEmpty(this.element.parentElement, this.board);
  }

  /** Say why a card that is being dragged may not come here; without a sentence it may (true) or nothing is dragged. */
  close(sentence, isOpen = false) {
    this.shut.hidden = !sentence;
    say(this.shut, sentence ?? "");
    this.element.classList.toggle("shut", Boolean(sentence));
    this.element.classList.toggle("open", isOpen);
  }

  /** Bring the cards' leases up to date. */
  tick() {
    for (const strip of this.scroller.querySelectorAll(".claim")) tick(strip);
  }
}

// Quick add: Enter makes a card and stays, pasted lines become cards, what was refused stays with its reason.
const TITLE = 500; // characters that a title may have

/** Give the field for new cards of a column: {element, open()}. */
function quickAdd(view) {
  const field = h("textarea.input", { rows: "2", placeholder: "Title; several lines make several cards" });
  const problem = h("p.problem.small", { role: "alert" });
  const close = h("button.button.small", { click: () => shut() }, "Close");
  const row = h("div.row", h("button.button.small.main", { type: "submit" }, "Add"), close);
  const element = h("form.quick", { hidden: true }, field, problem, row);
  let pending = new Map(); // line -> key for its retries, so that an attempt that got lost makes no second card

  element.addEventListener("submit", (event) => (event.preventDefault(), send()));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) (event.preventDefault(), send());
    if (event.key === "Escape") (event.preventDefault(), event.stopPropagation(), shut());
  });

  function open() {
    field.setAttribute("aria-label", `New card in ${view.column.title}`);
    element.hidden = false;
    field.focus();
  }

  function shut() {
    element.hidden = true;
    say(problem, "");
    view.plus.focus();
  }

  async function send() {
    const lines = field.value.split("\n").map((line) => line.trim());
    const titles = lines.filter(Boolean);
    if (!titles.length || element.inert) return;
    element.setAttribute("aria-busy", "true");
    field.readOnly = true;
    say(problem, "");
    const failed = await addAll(titles);
    element.removeAttribute("aria-busy");
    field.readOnly = false;
    field.value = failed.map(({ title }) => title).join("\n");
    if (failed.length) say(problem, sentenceOf(view.board, failed[0].error));
    const made = titles.length - failed.length;
    if (made) announce(`${count(made, "card")} added to ${view.column.title}.`);
    field.focus();
  }

  /** Add one after the other, in the order of the lines; once one is refused the rest is not tried. */
  async function addAll(titles) {
    const type = view.board.cardTypes[0]?.id;
    const kept = pending;
    pending = new Map();
    for (const [place, title] of titles.entries()) {
      const retry = kept.get(`${place} ${title}`) ?? retryKey();
      try {
        if (title.length > TITLE) throw { code: "too_long", message: `A title has ${TITLE} characters at the most.` };
        const card = await view.board.add(view.id, title, type, retry);
        view.added(card.id);
      } catch (error) {
        if (error.status === 0 || error.status >= 500) pending.set(`0 ${title}`, retry);
        return titles.slice(place).map((one) => ({ title: one, error }));
      }
    }
    return [];
  }

  return { element, open };
}
