// Moving a card without dragging: a menu of all ways out of its column, and a verb for keys.

import { get } from "../core/api.js";
import { reasons } from "../core/refusals.js";
import { move } from "../core/writes.js";
import { brief, quoted } from "../core/words.js";
import { openMenu } from "./menu.js";
import { arrived, namesOf, noWay, tellRefused, tellStays } from "./refused.js";
import { offerBack, offerUndo } from "./undo.js";

/** Move a card and say how that went; false if it stayed. */
export async function moveCard(board, id, columnId, behind) {
  const card = board.cards.get(id);
  if (columnId !== card.columnId && !board.ways(card.columnId).some((way) => way.id === columnId)) {
    noWay(board, card, columnId);
    return false;
  }
  const above = board.above(id);
  const order = board.order.get(card.columnId);
  const isHere = () => board.cards.get(id)?.columnId === columnId;
  const back = () => (isHere() ? move(board, id, columnId, above) : "It has moved since.");
  try {
    const answer = await move(board, id, columnId, behind);
    const place = `${quoted(brief(card.title, 60))} is in ${namesOf(board).column(columnId)}`;
    if (columnId !== card.columnId) offerBack(board, card, answer, place, order);
    else offerUndo(`${quoted(brief(card.title, 60))} has another place`, back, { isSaid: true });
    const now = board.cards.get(id);
    if (now) arrived(board, now, `${board.order.get(columnId).indexOf(id) + 1} of ${board.order.get(columnId).length}`);
    return true;
  } catch (error) {
    tellStays(board, card, error);
    return false;
  }
}

/** Read where a card could go: [{toColumnId, title, allowed, why}]; `why` are sentences. */
export async function waysOf(board, id) {
  const found = await get(`/cards/${encodeURIComponent(id)}/moves`);
  return found.map((way) => ({ ...way, why: way.allowed ? [] : reasons({ details: way }, namesOf(board)) }));
}

/** Open the menu of all places that a card can go to; what is closed says why. */
export async function openMoves(anchor, board, id, done = () => {}) {
  try {
    const ways = await waysOf(board, id);
    const items = ways.map(({ toColumnId, title, allowed, why }) => ({
      label: title,
      why: why.join(" "),
      disabled: !allowed,
      run: allowed ? async () => (await moveCard(board, id, toColumnId)) && done() : null,
    }));
    const none = { label: "There is no way out of this column", disabled: true };
    openMenu(anchor, { label: "Move to", items: [{ head: "Move to" }, ...(items.length ? items : [none])] });
  } catch (error) {
    tellRefused(board, "The ways of the card could not be read", error);
  }
}
