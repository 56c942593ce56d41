// Names of columns, fields, cards and actors for messages.

import { problemTexts } from "../core/error-text.js";
import { quote, truncate } from "../core/format.js";

/** Return functions that return the names of columns, fields, cards and actors of a board. */
export function boardNames(board) {
  const fields = board.cardTypes.flatMap(({ fields: own }) => own);
  const card = (id) => board.cards.get(id);
  return {
    column: (id) => board.column(id)?.title ?? "a column that is gone",
    field: (id) => fields.find((field) => field.id === id)?.label ?? "a field that is gone",
    actor: ({ id, label }) => label ?? board.agent(id)?.title ?? id,
    card: (id) => (card(id) ? `${card(id).key} ${quote(truncate(card(id).title, 60))}` : "a card of another board")
  };
}

/** Return an error as sentences with the names of the board. */
export function boardErrorText(board, error) {
  return problemTexts(error, boardNames(board)).join(" ");
}
