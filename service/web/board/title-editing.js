// Editing the title of a card on the board: Enter or leaving the field saves, Escape keeps the old title.

import { h } from "../core/dom.js";
import { getFieldText, setFieldText } from "../core/marks.js";

const TITLE_CHARACTERS_MAX = 500;

/** Edit the title of a card in its `tile`: `done()` sets the focus afterwards, then `save(title)` gets another title. */
export function editTitle(tile, card, save, done) {
  if (tile.titleField) return tile.titleField.focus();
  const attributes = { "aria-label": "Title", maxlength: TITLE_CHARACTERS_MAX, name: "title" };
  const field = h("input.input.title-field", attributes);
  setFieldText(field, card.title);
  const name = tile.firstChild;
  name.hidden = true;
  name.after(field);
  tile.titleField = field; // stays when the tile is drawn again
  field.select();
  field.focus();
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    close(event.key === "Enter");
  });
  field.addEventListener("blur", () => close(true));

  function close(isSaved) {
    if (!tile.titleField) return;
    const hadFocus = document.activeElement === field;
    const title = getFieldText(field).trim().replace(/\s+/g, " ");
    tile.titleField = null;
    name.hidden = false;
    field.remove();
    if (hadFocus) done();
    if (isSaved && title && title !== card.title) save(title);
  }
}
