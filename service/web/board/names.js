// Names of columns, fields and cards for error messages.

import { problemTexts } from "../core/error-text.js";
import { quote, truncate } from "../core/format.js";

/** Give the names that sentences about a board need. */
export function boardNames(board) {
  const fields = board.cardTypes.flatMap(({ fields: own }) => own);
  const card = (id) => board.cards.get(id);
  return {
    column: (id) => board.column(id)?.title ?? "a column that is gone",
    field: (id) => fields.find((field) => field.id === id)?.label ?? "a field that is gone",
    card: (id) =>
      card(id) ? `${board.key(card(id))} ${quote(truncate(card(id).title, 60))}` : "a card of another board"
  };
}

/** Say in a sentence why something was refused on a board. */
export function boardErrorText(board, error) {
  return problemTexts(error, boardNames(board)).join(" ");
}
