// Duplicating an open card.

import { get, post, remove } from "../core/api.js";
import { formatCount, quote, truncate } from "../core/format.js";
import { orgPath } from "../core/organization.js";
import { boardUrl, navigate } from "../core/router.js";
import { openMenu } from "../ui/listbox/menu.js";
import { changeWithUndo } from "../ui/undo.js";

/** Duplicate a card, after asking beside the button whether its parts are meant too. */
export function duplicateCard(open, button) {
  const { parts } = open.card;
  if (!parts) return void duplicate(open, false);
  const items = [
    { label: "Without its parts", run: () => duplicate(open, false) },
    { label: `With ${formatCount(parts.total, "part")}`, run: () => duplicate(open, true) }
  ];
  openMenu(button, { label: "Duplicate", items });
}

/** Create the copy and open it; undo moves it, with the parts that were copied, to the archive. */
async function duplicate({ board, path, card }, withParts) {
  const message = `${quote(truncate(card.title, 60))} is duplicated`;
  const archive = async (copy) => {
    const relations = withParts ? await get(`${orgPath("/relationships")}?cardId=${copy.id}`) : [];
    for (const id of [copy.id, ...relations.map(({ fromCardId }) => fromCardId)]) await remove(`/cards/${id}`);
    board.refresh();
  };
  const undo = board.isAllowed("delete") && archive;
  const send = () => post(`${path}/duplicate`, { withParts });
  const copy = await changeWithUndo(send, { message, failed: "It was not duplicated", undo });
  if (!copy) return;
  await board.refresh();
  navigate(boardUrl(board.id, copy.key));
}
