// The field that adds cards to a column.

import { newIdempotencyKey } from "../core/api.js";
import { h, replaceChildren, setText } from "../core/dom.js";
import { formatCount } from "../core/format.js";
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
  let pending = new Map(); // line and card type -> idempotency key, so that a retry after a lost response creates no second card

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
    draftKept ??= import("../ui/drafts.js").then(restoreDraft, () => (draftKept = null));
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
    const typed = field.value;
    note.replaceWith(keepDraft(field, { item: view.id, name: "cards" }).note);
    if (typed && field.value !== typed) write([field.value, typed]);
    else if (typed) field.dispatchEvent(new Event("input")); // the field is left alone while an input method is used
  }

  function write(lines) {
    field.value = lines.join("\n");
    field.dispatchEvent(new Event("input"));
  }

  /** Offer the card types of the board, if there is a choice; the chosen one stays chosen. */
  function drawTypes() {
    const { cardTypes } = view.board;
    const chosen = view.board.type(typeSelect.value) ?? cardTypes[0];
    replaceChildren(typeSelect, cardTypes.map(({ id, title }) => renderOption([id, title])));
    typeSelect.value = chosen?.id;
    typeSelect.hidden = cardTypes.length < 2;
  }

  function close() {
    element.hidden = true;
    setText(problem, "");
    view.addButton.focus();
  }

  async function send() {
    const lines = field.value.split("\n").map((line) => line.trim());
    const filled = lines.filter(Boolean);
    if (!filled.length || field.readOnly) return;
    element.setAttribute("aria-busy", "true");
    field.readOnly = true;
    setText(problem, "");
    loadFurther();
    const [created, error] = await addAll(filled, await tokens);
    element.removeAttribute("aria-busy");
    field.readOnly = false;
    if (error) setText(problem, boardErrorText(view.board, error));
    if (created) announce(`${formatCount(created, "card")} added to ${view.column.title}.`);
    field.focus();
  }

  /** Create cards in the order of the lines, until one fails; return their number and the error. The others stay in the field. */
  async function addAll(lines, reader) {
    const cardTypeId = typeSelect.value;
    const previous = pending;
    pending = new Map();
    for (const [place, line] of lines.entries()) {
      const retry = previous.get(`${place} ${cardTypeId} ${line}`) ?? newIdempotencyKey();
      try {
        const { title, values } = reader?.parse(line) ?? { title: line };
        checkTitle(title);
        const card = await view.board.add(view.id, { title, cardTypeId, ...values }, retry);
        view.revealWhenAdded(card.id);
        write(lines.slice(place + 1));
      } catch (error) {
        if (error.status === 0 || error.status >= 500) pending.set(`0 ${cardTypeId} ${line}`, retry);
        return [place, error];
      }
    }
    return [lines.length];
  }

  return { element, open };
}

function checkTitle(title) {
  if (!title) throw { code: "no_title", message: "Write a title as well." };
  if (title.length > TITLE_CHARACTERS_MAX)
    throw { code: "too_long", message: `A title has at most ${TITLE_CHARACTERS_MAX} characters.` };
}
