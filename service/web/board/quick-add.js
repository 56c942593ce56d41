// The field that adds cards to a column.

import { ApiError, newIdempotencyKey } from "../core/api.js";
import { h, replaceChildren, setAttribute, setText } from "../core/dom.js";
import { formatCount } from "../core/format.js";
import { getFieldText, setFieldText } from "../core/marks.js";
import { renderOption } from "../ui/controls.js";
import { announce } from "../ui/toast.js";
import { boardErrorText } from "./names.js";

const TITLE_CHARACTERS_MAX = 500;

/** The field for new cards of a column, given by its view. Each line becomes a card. */
export class QuickAdd {
  draftKept = null; // resolves when the text is kept as a draft; null before, and without a connection
  tokens = null; // resolves to what reads #label, @person, !high and ^friday, or to null without a connection
  waiting = 0; // lines at the beginning of the field that are being sent
  lost = null; // {name, retry}: a line whose response was lost, so that a retry creates no second card
  field = h("textarea.input", { rows: "2", placeholder: "Card title; paste lines to add several" });
  problem = h("p.problem.small", { role: "alert" });
  note = h("div");
  typeSelect = h("select.input.small", { "aria-label": "Card type" });
  row = h("div.row.wrap", this.typeSelect, h("button.button.small.main", { type: "submit" }, "Add"));
  element = h("form.quick-add", { hidden: true }, this.field, this.problem, this.row, this.note);

  constructor(view) {
    this.view = view;
    this.row.append(h("button.button.small", { click: () => this.close() }, "Close"));
    this.element.addEventListener("submit", (event) => (event.preventDefault(), this.send()));
    this.field.addEventListener("input", () => this.loadFurther());
    this.field.addEventListener("keydown", (event) => this.handleKey(event));
  }

  handleKey(event) {
    if (event.key === "Enter" && !event.shiftKey) (event.preventDefault(), this.send());
    if (event.key === "Escape") (event.preventDefault(), event.stopPropagation(), this.close());
  }

  open() {
    setAttribute(this.field, "aria-label", `New card in ${this.view.column.title}`);
    this.drawTypes();
    this.element.hidden = false;
    this.field.focus();
    this.loadFurther();
  }

  close() {
    this.element.hidden = true;
    setText(this.problem, "");
    this.view.addButton.focus();
  }

  /** Offer the card types of the board, if there is a choice; the chosen one stays chosen. */
  drawTypes() {
    const { typeSelect } = this;
    const { board } = this.view;
    const chosen = board.type(typeSelect.value) ?? board.cardTypes[0];
    const options = board.cardTypes.map(({ id, title }) => renderOption([id, title]));
    replaceChildren(typeSelect, options);
    typeSelect.value = chosen?.id;
    typeSelect.hidden = board.cardTypes.length < 2;
  }

  // Drafts and tokens

  /** Load what the field does not need at once; without a connection, try again later. */
  loadFurther() {
    this.draftKept ??= import("../ui/text/drafts.js").then(
      ({ keepDraft }) => this.restoreDraft(keepDraft),
      () => (this.draftKept = null)
    );
    this.tokens ??= import("./quick-add-tokens.js").then(
      ({ attachTokens }) => this.showTokens(attachTokens),
      () => (this.tokens = null)
    );
  }

  showTokens(attachTokens) {
    const { field, view, typeSelect, row } = this;
    const attached = attachTokens(field, view.board, () => typeSelect.value);
    field.after(...attached.understood);
    row.append(attached.signs);
    typeSelect.addEventListener("change", attached.update);
    return attached;
  }

  /** Restore the draft before what has been typed meanwhile. */
  restoreDraft(keepDraft) {
    const { field, note, view } = this;
    const typed = getFieldText(field);
    note.replaceWith(keepDraft(field, { item: view.id, name: "cards" }).note);
    if (typed && getFieldText(field) !== typed) this.write([getFieldText(field), typed]);
    else if (typed) field.dispatchEvent(new Event("input")); // the field is left alone while an input method is used
  }

  write(lines) {
    setFieldText(this.field, lines.join("\n"));
    this.field.dispatchEvent(new Event("input"));
  }

  // Sending

  /** Send all lines. They stay in the field, and so in the draft, until each is a card; what is typed meanwhile is a new line. */
  async send() {
    const { field, problem, element, view } = this;
    const lines = listLines(getFieldText(field));
    field.focus();
    if (!lines.length) return;
    this.write([...lines, ""]);
    const isSending = this.waiting > 0;
    this.waiting = lines.length;
    if (isSending) return;
    element.setAttribute("aria-busy", "true");
    setText(problem, "");
    const [created, error] = await this.addAll(await this.loadReader());
    element.removeAttribute("aria-busy");
    this.waiting = 0;
    if (field.value.endsWith("\n")) this.write([getFieldText(field).trimEnd()]); // nothing was typed meanwhile
    if (error) setText(problem, boardErrorText(view.board, error));
    if (created) announce(`${formatCount(created, "card")} added to ${view.column.title}.`);
  }

  /** Return what reads the tokens of a line, or null without a connection. */
  async loadReader() {
    this.loadFurther();
    return (await this.tokens) ?? (this.loadFurther(), await this.tokens); // once more if the connection is back
  }

  /** Create a card from each waiting line, until one fails; return the number of cards and the error. */
  async addAll(reader) {
    let created = 0;
    for (; this.waiting > 0; this.waiting--, created++) {
      const [line] = getFieldText(this.field).split("\n", 1);
      const error = await this.add(line, reader);
      if (error) return [created, error];
      if (getFieldText(this.field).startsWith(line)) this.removeFirstLine();
    }
    return [created];
  }

  /** Create a card; return the error if it fails. */
  async add(line, reader) {
    const cardTypeId = this.typeSelect.value;
    const name = `${cardTypeId} ${line}`;
    const retry = this.lost?.name === name ? this.lost.retry : newIdempotencyKey();
    this.lost = null;
    try {
      const { title, values } = reader?.parse(line) ?? { title: line };
      checkTitle(title);
      const card = await this.view.board.add(this.view.id, { title, cardTypeId, ...values }, retry);
      this.view.revealWhenAdded(card.id);
    } catch (error) {
      if (error.status === 0 || error.status >= 500) this.lost = { name, retry };
      return error;
    }
  }

  removeFirstLine() {
    const { field } = this;
    const end = field.value.indexOf("\n");
    field.setRangeText("", 0, end < 0 ? field.value.length : end + 1, "preserve");
    field.dispatchEvent(new Event("input"));
  }
}

/** Return the lines of a text that are not blank. */
function listLines(text) {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

function checkTitle(title) {
  if (!title) throw new ApiError(400, { code: "no_title", message: "Write a title as well." });
  if (title.length > TITLE_CHARACTERS_MAX)
    throw new ApiError(400, { code: "too_long", message: `A title has at most ${TITLE_CHARACTERS_MAX} characters.` });
}
