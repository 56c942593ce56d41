// All cards that are assigned to the user, open or done.

import { pageUrl } from "../core/base-path.js";
import { h } from "../core/dom.js";
import { navigate } from "../core/router.js";
import { registerShortcuts } from "../core/shortcuts.js";
import { smallButton } from "../ui/controls.js";
import { renderList } from "../ui/list.js";
import { createPage } from "../ui/page.js";
import { drawMyCards, renderGroups } from "./my-card-row.js";
import { openCardsOver, rowShortcuts } from "./rows.js";
import { loadMyCards } from "./store.js";

const PAGE_SIZE = 100;
const STATES = [
  ["open", "Open"],
  ["done", "Done"]
];

/** Show the cards that are assigned to the user. */
export function show(host, address, { loadCardDialog }) {
  let state = stateOf(address);
  let pages = 1;
  const screen = createPage(host, {
    title: "My cards",
    read: () => readPages(state, pages),
    resources: ["card", "project", "column", "transition", "import", "undo"],
    tools: () => h("div.row", { role: "group", "aria-label": "Which cards" }, STATES.map(stateButton)),
    draw: ({ items, total }) => [
      renderList(state === "open" ? renderGroups(items) : drawMyCards(items), emptyText(), "My cards"),
      items.length < total && smallButton("Show more", () => ((pages += 1), screen.refresh()))
    ]
  });
  const closeCard = openCardsOver(host.querySelector(".page-body"), loadCardDialog, screen.refresh);
  const unbind = registerShortcuts(rowShortcuts(host));
  return { ...screen, update, leave: () => (closeCard(), unbind(), screen.leave()) };

  function stateButton([value, label]) {
    const address = pageUrl(value === "open" ? "/my-cards" : `/my-cards?state=${value}`);
    return smallButton(label, () => navigate(address, true), { "aria-pressed": String(value === state) });
  }

  function update(newAddress) {
    [state, pages] = [stateOf(newAddress), 1];
    screen.refresh();
    return true;
  }

  function emptyText() {
    return state === "done" ? "None of your cards is done yet." : "No open cards are assigned to you.";
  }
}

function stateOf({ query }) {
  return query.get("state") === "done" ? "done" : "open";
}

/** Read the first pages of the user's cards as one list. */
async function readPages(state, count) {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const pages = await Promise.all(numbers.map((page) => loadMyCards(`state=${state}&pageSize=${PAGE_SIZE}&page=${page}`)));
  return { items: pages.flatMap(({ items }) => items), total: pages[0].total };
}
