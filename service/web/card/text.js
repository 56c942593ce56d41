// The texts of a card: Markdown with its pictures and with links to the cards that it names.

import { renderProse } from "../markdown/index.js";
import { boardErrorText } from "../board/store.js";

/** Render a text of an open card. Its pictures, mentions, and links to other cards come a moment later. */
export function renderText(open, text, mentions = []) {
  const element = renderProse(text);
  if (element.querySelector("img")) showPictures(open, element);
  const named = mentions.length && import("./mentions.js").then(({ showMentions }) => showMentions(open, element, mentions));
  if (/[a-z0-9]-\d/i.test(text))
    Promise.all([import("./card-references.js"), named]).then(([{ linkCards }]) => linkCards(open, element));
  return element;
}

async function showPictures(open, element) {
  const zoom = async (file) => (await import("./file-preview.js")).openPicture(open, file);
  (await import("./pictures.js")).showPictures(open, element, zoom);
}

/** Return the options of loadTextTools for a text of an open card. */
export function textTools(open) {
  const { board } = open;
  return {
    render: (text) => renderText(open, text),
    addFile: board.isAllowed("create", "File") && ((...sent) => open.addFileToCard(...sent)),
    completions: async () => [(await import("../ui/people-source.js")).peopleSource(board)],
    errorText: (error) => error.text ?? boardErrorText(board, error)
  };
}
