// Overdue cards as rows of Home, one for each board.

import { h } from "../core/dom.js";
import { formatCount } from "../core/format.js";
import { markIcon } from "../core/icons.js";
import { getBoardTitle } from "../core/organization.js";
import { boardUrl } from "../core/router.js";

/** Render the overdue cards by board. */
export function renderOverdueRows(items) {
  const boards = Map.groupBy(items, ({ card }) => card.projectId);
  return [...boards].map(([projectId, late]) => {
    const link = h("a.title", { href: `${boardUrl(projectId)}?due=late` }, getBoardTitle(projectId));
    const number = h("span.muted.small", formatCount(late.length, "card"));
    return h("li.item", { "data-key": projectId }, markIcon("clock", "danger"), h("div.what", link), number);
  });
}
