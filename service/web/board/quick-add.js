// The field that adds cards to a column.

import { ApiError, newIdempotencyKey } from "../core/api.js";
import { h, replaceChildren, setText } from "../core/dom.js";
import { formatCount } from "../core/format.js";
import { getFieldText, setFieldText } from "../core/marks.js";
import { renderOption } from "../ui/controls.js";
import { announce } from "../ui/toast.js";
import { boardErrorText } from "./names.js";

const TITLE_CHARACTERS_MAX = 500;

/** Create the field for new cards of a column: {element, open()}. Each line becomes a card. */
export function createQuickAdd(view) {
  const field = h("textarea.input", { rows: "2", placeholder: "Card title; paste lines to add several" });
  const problem = h("p.problem.small", { role: "alert" });
  const closeButton = h("button.button.small", { click: () => close() }, "Close");
  const note = h("div");
  const typeSelect = h("select.input.small", { "aria-label": "Card type" });
  const row = h("div.row.wrap", typeSelect, h("button.button.small.main", { type: "submit" }, "Add"), closeButton);
  const element = h("form.quick-add", { hidden: true }, field, problem, row, note);
  let draftKept = null; // resolves when the text is kept as a draft; null before, and without a connection
  let tokens = null; // resolves to what reads #label, @person, !high and ^friday, or to null without a connection
  let waiting = 0; // lines at the beginning of the field that are being sent
  let lost = null; // {name, retry}: a line whose response was lost, so that a retry creates no second card

  element.addEventListener("submit", (event) => (event.preventDefault(), send()));
  field.addEventListener("input", loadFurther);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) (event.preventDefault(), send());
    if (event.key === "Escape") (event.preventDefault(), event.stopPropagation(), close());
  });

  function open() {
    field.setAttribute("aria-label", `New card in ${view.column.title}`);
    drawTypes();
    element.hidden = false;
    field.focus();
    loadFurther();
  }

  /** Load what the field does not need at once; without a connection, try again later. */
  function loadFurther() {
    draftKept ??= import("../ui/text/drafts.js").then(restoreDraft, () => (draftKept = null));
    tokens ??= import("./quick-add-tokens.js").then(showTokens, () => (tokens = null));
  }

  function showTokens({ attachTokens }) {
    const attached = attachTokens(field, view.board, () => typeSelect.value);
    field.after(...attached.understood);
    row.append(attached.signs);
    typeSelect.addEventListener("change", attached.update);
    return attached;
  }

  /** Restore the draft before what has been typed meanwhile. */
  function restoreDraft({ keepDraft }) {
    const typed = getFieldText(field);
    note.replaceWith(keepDraft(field, { item: view.id, name: "cards" }).note);
    if (typed && getFieldText(field) !== typed) write([getFieldText(field), typed]);
    else if (typed) field.dispatchEvent(new Event("input")); // the field is left alone while an input method is used
  }

  function write(lines) {
    setFieldText(field, lines.join("\n"));
    field.dispatchEvent(new Event("input"));
  }

  /** Offer the card types of the board, if there is a choice; the chosen one stays chosen. */
  function drawTypes() {
    const { cardTypes } = view.board;
    const chosen = view.board.type(typeSelect.value) ?? cardTypes[0];
    replaceChildren(
      typeSelect,
      cardTypes.map(({ id, title }) => renderOption([id, title]))
    );
    typeSelect.value = chosen?.id;
    typeSelect.hidden = cardTypes.length < 2;
  }

  function close() {
    element.hidden = true;
    setText(problem, "");
    view.addButton.focus();
  }

  /** Send all lines. They stay in the field, and so in the draft, until each is a card; what is typed meanwhile is a new line. */
  async function send() {
    const lines = getFieldText(field)
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
    field.focus();
    if (!lines.length) return;
    write([...lines, ""]);
    const isSending = waiting > 0;
    waiting = lines.length;
    if (isSending) return;
    element.setAttribute("aria-busy", "true");
    setText(problem, "");
    loadFurther();
    const reader = (await tokens) ?? (loadFurther(), await tokens); // once more if the connection is back
    const [created, error] = await addAll(reader);
    element.removeAttribute("aria-busy");
    waiting = 0;
    if (field.value.endsWith("\n")) write([getFieldText(field).trimEnd()]); // nothing was typed meanwhile
    if (error) setText(problem, boardErrorText(view.board, error));
    if (created) announce(`${formatCount(created, "card")} added to ${view.column.title}.`);
  }

  /** Create a card from each waiting line, until one fails; return the number of cards and the error. */
  async function addAll(reader) {
    let created = 0;
    for (; waiting > 0; waiting--, created++) {
      const [line] = getFieldText(field).split("\n", 1);
      const error = await add(line, reader);
      if (error) return [created, error];
      if (getFieldText(field).startsWith(line)) removeFirstLine();
    }
    return [created];
  }

  /** Create a card; return the error if it fails. */
  async function add(line, reader) {
    const cardTypeId = typeSelect.value;
    const name = `${cardTypeId} ${line}`;
    const retry = lost?.name === name ? lost.retry : newIdempotencyKey();
    lost = null;
    try {
      const { title, values } = reader?.parse(line) ?? { title: line };
      checkTitle(title);
      const card = await view.board.add(view.id, { title, cardTypeId, ...values }, retry);
      view.revealWhenAdded(card.id);
    } catch (error) {
      if (error.status === 0 || error.status >= 500) lost = { name, retry };
      return error;
    }
  }

  function removeFirstLine() {
    const end = field.value.indexOf("\n");
    field.setRangeText("", 0, end < 0 ? field.value.length : end + 1, "preserve");
    field.dispatchEvent(new Event("input"));
  }

  return { element, open };
}

function checkTitle(title) {
  if (!title) throw new ApiError(400, { code: "no_title", message: "Write a title as well." });
  if (title.length > TITLE_CHARACTERS_MAX)
    throw new ApiError(400, { code: "too_long", message: `A title has at most ${TITLE_CHARACTERS_MAX} characters.` });
}
