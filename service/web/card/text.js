// The texts of a card: Markdown with its pictures and with links to the cards that it names.

import { renderProse } from "../markdown/index.js";
import { boardErrorText } from "../board/store.js";

/** Render a text of an open card. Its pictures, and the links to other cards, come a moment later. */
export function renderText(open, text) {
  const element = renderProse(text);
  if (element.querySelector("img")) import("./pictures.js").then(({ showPictures }) => showPictures(open, element));
  return element;
}

/** Return the options of loadTextTools for a text of an open card. */
export function textTools(open) {
  const { board } = open;
  return {
    render: (text) => renderText(open, text),
    addFile: board.isAllowed("create", "File") && ((...sent) => open.addFileToCard(...sent)),
    errorText: (error) => error.text ?? boardErrorText(board, error)
  };
}
