// The selection of several cards, and the actions on it.

import { h, replaceChildren, setText } from "../core/dom.js";
import { plainErrorText } from "../core/error-text.js";
import { formatCount } from "../core/format.js";
import { registerShortcuts, shortcutAttributes } from "../core/shortcuts.js";
import { openMenu } from "../ui/menu.js";
import { PRIORITIES } from "../ui/priority.js";
import { announce, showError, showToast } from "../ui/toast.js";
import { BATCH_CARDS_MAX, batchUpdate, reportBatch } from "./batch.js";

/** Enable the selection of cards. `screen` has the board, the views and the focused card; `lanes` contains the columns. */
export function enableSelection(screen, lanes) {
  let from = null; // the anchor of a range
  let home = null; // the column whose menu started the selection; then a plain click selects
  const board = () => screen.board;
  const chosen = () => [...board().order.values()].flat().filter((id) => board().selected.has(id));
  const said = h("strong");
  const button = (words, run, key) =>
    h("button.button.small", { ...(key && shortcutAttributes(key)), click: run }, words);
  const all = button("", () => add(screen.views.get(home).list.ids));
  const acts = [
    ["transition", button("Move…", moves, "card.move.menu")],
    ["update", button("Assign…", assignees)],
    ["update", button("Priority…", priorities, "card.priority")],
    ["delete", button("Archive", archive, "card.archive")]
  ];
  const away = button("Deselect", none, "select.none");
  const bar = h("section.selection-bar.row.wrap", { "aria-label": "Selected cards", hidden: true });
  replaceChildren(
    bar,
    said,
    all,
    acts.map(([, one]) => one),
    h("span.spacer"),
    away
  );
  lanes.after(bar);
  lanes.addEventListener("click", press, true);
  lanes.addEventListener("select-cards", ({ detail }) => ((home = detail), draw(), announce(said.textContent)));
  const unbind = registerShortcuts({
    "card.select": () => (screen.focused() ? void toggle(screen.focused()) : false),
    "select.none": () => ((board()?.selected.size || home) && !document.querySelector(".menu") ? void none() : false),
    "card.move.menu": () => forAll(moves),
    "card.priority": () => forAll(priorities),
    "card.assign.me": () => forAll(() => assign({ assignedUserId: screen.me() }, "assigned to you")),
    "card.archive": () => forAll(archive)
  });

  /** Run an action on the selected cards; return false without a selection, so that the focused card is used. */
  function forAll(act) {
    return board()?.selected.size ? void act() : false;
  }

  function press(event) {
    const node = event.target.closest("li.card");
    if (!node || event.target.closest("button") || !(home || event.ctrlKey || event.metaKey || event.shiftKey)) return;
    event.preventDefault();
    event.stopPropagation();
    const { id } = node.dataset;
    screen.focus(id);
    if (event.shiftKey && from) range(id);
    else toggle(id);
  }

  function range(id) {
    const { ids } = screen.views.get(board().cards.get(id).columnId).list;
    const ends = [ids.indexOf(from), ids.indexOf(id)].sort((one, other) => one - other);
    add(ends[0] < 0 ? [id] : ids.slice(ends[0], ends[1] + 1));
  }

  function toggle(id) {
    from = id;
    if (!board().selected.delete(id)) return add([id]);
    changed();
  }

  function add(ids) {
    const { selected } = board();
    for (const id of ids) if (selected.size < BATCH_CARDS_MAX) selected.add(id);
    const isOver = ids.some((id) => !selected.has(id));
    if (isOver) showToast({ title: `Up to ${BATCH_CARDS_MAX} cards can be changed at once`, cause: "selected" });
    changed();
  }

  function none() {
    const hadFocus = bar.contains(document.activeElement);
    home = null;
    board().selected.clear();
    changed();
    if (hadFocus) screen.focusFirst();
  }

  function changed() {
    board().tell({ columns: new Set(board().order.keys()) });
    announce(formatCount(board().selected.size, "card selected", "cards selected") + ".");
  }

  /** Update the selection bar: the number of cards and the allowed actions. */
  function draw() {
    const { selected, cards } = board();
    for (const id of selected) if (!cards.has(id)) selected.delete(id);
    bar.hidden = !selected.size && !home;
    if (bar.hidden) return;
    setText(
      said,
      selected.size ? formatCount(selected.size, "card selected", "cards selected") : "Press the cards that you mean"
    );
    all.hidden = !home || !screen.views.has(home);
    setText(all, all.hidden ? "" : `All of ${board().column(home).title}`);
    for (const [right, one] of acts) one.hidden = !selected.size || !board().isAllowed(right);
  }

  /** Change the selected cards in one request; those that failed stay selected. */
  async function act(operation, title, ids = chosen()) {
    bar.inert = true;
    try {
      const { changes, stays, left } = await batchUpdate(board(), ids, operation);
      reportBatch(board(), changes, stays, (number) => `${formatCount(number, "card")} ${title}`);
      keep(left);
    } catch (error) {
      failed(error);
    }
    bar.inert = false;
  }

  function failed(error) {
    if (!("status" in error)) throw error;
    showError("Nothing was changed", plainErrorText(error), "undo");
  }

  function keep(left) {
    if (left.length === 0) return none();
    board().selected = new Set(left);
    changed();
  }

  function assign(edit, words) {
    return act(() => ({ edit }), words);
  }

  function archive() {
    return act(() => ({ archive: true }), "in the archive now");
  }

  function moves() {
    const cards = chosen().map((id) => board().cards.get(id));
    const items = board().columns.flatMap(({ id, title }) => {
      const others = cards.filter(({ columnId }) => columnId !== id);
      const able = others.filter(({ columnId }) =>
        board()
          .transitionsFrom(columnId)
          .some((way) => way.id === id)
      );
      if (!able.length) return [];
      const why = able.length < cards.length && `${able.length} of ${cards.length} can move there`;
      const ids = others.map((card) => card.id);
      return { label: title, why, run: () => act(() => ({ move: { toColumnId: id } }), `moved to ${title}`, ids) };
    });
    menu(acts[0], "Move to", items.length ? items : [{ label: "No transition fits any of them", disabled: true }]);
  }

  function assignees() {
    const to =
      (key) =>
      ({ id, name, title = name }) => ({
        label: title,
        run: () => assign({ [key]: id }, `assigned to ${title}`)
      });
    const agents = board().agents.filter(({ status }) => status === "approved");
    menu(acts[1], "Assign", [
      { label: "Nobody", run: () => assign({ assignedUserId: null, assignedAgentId: null }, "assigned to nobody") },
      { head: "People" },
      ...board().people.map(to("assignedUserId")),
      ...(agents.length ? [{ head: "Agents" }] : []),
      ...agents.map(to("assignedAgentId"))
    ]);
  }

  function priorities() {
    const item = (priority) => ({ label: priority, run: () => assign({ priority }, `priority ${priority}`) });
    menu(acts[2], "Priority", PRIORITIES.map(item));
  }

  function menu([, anchor], label, items) {
    openMenu(anchor, { label, items: [{ head: label }, ...items] });
  }

  return { draw, leave: unbind };
}
