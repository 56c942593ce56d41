// Overdue cards as rows of Home, one for each board.

import { h } from "../core/dom.js";
import { formatCount } from "../core/format.js";
import { markIcon } from "../core/icons.js";
import { getBoardTitle } from "../core/organization.js";
import { boardUrl } from "../core/router.js";
import { drawRows } from "../ui/list.js";

/** Render the number of overdue cards by board, the most first. */
export function renderOverdueRows(overdueBoards) {
  const boards = Object.entries(overdueBoards).sort(([, first], [, second]) => second - first);
  return drawRows(boards, ([projectId, late]) => {
    const link = h("a.title", { href: `${boardUrl(projectId)}?due=overdue` }, getBoardTitle(projectId));
    const number = h("span.muted.small", formatCount(late, "card"));
    return h("li.item", { "data-key": projectId }, markIcon("clock", "danger"), h("div.what", link), number);
  });
}
