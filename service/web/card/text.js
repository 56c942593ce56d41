// The texts of a card: Markdown with its pictures and with links to the cards that it names.

import { renderProse } from "../markdown/index.js";
import { boardErrorText } from "../board/store.js";

/** Render a text of an open card. Its pictures, mentions, and links to other cards come a moment later. */
export function renderText(open, text, mentions = []) {
  const element = renderProse(text);
  if (element.querySelector("img")) showPictures(open, element);
  const isNaming = mentions.length > 0 && text.includes("@");
  const named = isNaming && import("./mentions.js").then(({ showMentions }) => showMentions(open, element, mentions));
  if (/[a-z0-9]-\d/i.test(text))
    Promise.all([import("./card-references.js"), named]).then(([{ linkCards }]) => linkCards(open, element));
  return element;
}

async function showPictures(open, element) {
  const zoom = async (file) => (await import("./file-preview.js")).openPicture(open, file);
  (await import("./pictures.js")).showPictures(open, element, zoom);
}

/** Return all members and agents as mentions, for a text whose mentions are not known yet. */
export function listMentionable({ people, agents }) {
  const users = people.map(({ id, name }) => ({ type: "User", id, label: name }));
  return [...users, ...agents.map(({ id, title }) => ({ type: "Agent", id, label: title }))];
}

/** Return the options of loadTextTools for a text of an open card. */
export function textTools(open) {
  const { board } = open;
  return {
    render: (text) => renderText(open, text, listMentionable(board)),
    addFile: board.isAllowed("create", "File") && ((...sent) => open.addFileToCard(...sent)),
    completions: async () => [(await import("../ui/text/people-source.js")).peopleSource(board)],
    errorText: (error) => error.text ?? boardErrorText(board, error)
  };
}
