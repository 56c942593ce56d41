// The selection of several cards, and the actions on it.

import { h, replaceChildren, setText } from "../core/dom.js";
import { plainErrorText } from "../core/error-text.js";
import { formatCount, formatNumber, phrase } from "../core/format.js";
import { registerShortcuts, shortcutAttributes } from "../core/shortcuts.js";
import { openChoiceMenu } from "../ui/listbox/menu.js";
import { PRIORITIES } from "../ui/priority.js";
import { announce, showError, showToast } from "../ui/toast.js";
import { BATCH_CARDS_MAX, batchUpdate, reportBatch } from "./batch.js";
import { labelChangeText } from "./label-fields.js";
import { openAssigneeMenu, openLabelsMenu } from "./store.js";

/** Enable the selection of cards. `page` has the board, the views and the focused card; `lanes` contains the columns. */
export function enableSelection(page, columnsElement) {
  let anchorId = null; // the anchor of a range
  let menuColumnId = null; // the column whose menu started the selection; then a plain click selects
  const board = () => page.board;
  const selectedIds = () => [...board().order.values()].flat().filter((id) => board().selected.has(id));
  const statusText = h("strong");
  const actionButton = (label, run, key) => h("button.button.small", { ...(key && shortcutAttributes(key)), click: run }, label);
  const all = actionButton("", () => add(page.views.get(menuColumnId).list.ids));
  /** @type {[permission: string, button: HTMLButtonElement][]} */
  const actions = [
    ["transition", actionButton("Move…", showMoves, "card.move.menu")],
    ["update", actionButton("Assign…", assignees, "card.assign")],
    ["update", actionButton("Priority…", priorities, "card.priority")],
    ["update", actionButton("Labels…", labels, "card.labels")],
    ["delete", actionButton("Archive", archive, "card.archive")]
  ];
  const deselect = actionButton("Deselect", clear, "select.none");
  const bar = h("section.selection-bar.row.wrap", { "aria-label": "Selected cards", hidden: true });
  replaceChildren(
    bar,
    statusText,
    all,
    actions.map(([, button]) => button),
    h("span.spacer"),
    deselect
  );
  columnsElement.after(bar);
  columnsElement.addEventListener("click", handleClick, true);
  columnsElement.addEventListener("select-cards", ({ detail }) => {
    menuColumnId = detail;
    draw();
    announce(statusText.textContent);
  });
  const unbind = registerShortcuts({
    "card.select": when(
      () => page.getFocusedId(),
      () => toggle(page.getFocusedId())
    ),
    "select.none": when(() => (board()?.selected.size || menuColumnId) && !document.querySelector(".menu"), clear),
    "card.move.menu": ifSelected("transition", showMoves),
    "card.priority": ifSelected("update", priorities),
    "card.assign": ifSelected("update", assignees),
    "card.assign.me": ifSelected("update", assignToMe),
    "card.labels": ifSelected("update", labels),
    "card.archive": ifSelected("delete", archive)
  });

  function when(condition, run) {
    return Object.assign(() => (condition() ? void run() : false), { isAvailable: () => Boolean(condition()) });
  }

  /** Return a handler for the selected cards; without a selection or permission, those of a card apply. */
  function ifSelected(permission, run) {
    return when(() => board()?.selected.size && board().isAllowed(permission), run);
  }

  function handleClick(event) {
    const node = event.target.closest("li.card");
    if (!node || event.target.closest("button") || !(menuColumnId || event.ctrlKey || event.metaKey || event.shiftKey)) return;
    event.preventDefault();
    event.stopPropagation();
    const { id } = node.dataset;
    page.focus(id);
    if (event.shiftKey && anchorId) selectRange(id);
    else toggle(id);
  }

  function selectRange(id) {
    const { ids } = page.views.get(board().cards.get(id).columnId).list;
    const ends = [ids.indexOf(anchorId), ids.indexOf(id)].sort((first, second) => first - second);
    add(ends[0] < 0 ? [id] : ids.slice(ends[0], ends[1] + 1));
  }

  function toggle(id) {
    anchorId = id;
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

  function clear() {
    const hadFocus = bar.contains(document.activeElement);
    menuColumnId = null;
    board().selected.clear();
    changed();
    if (hadFocus) page.focusFirst();
  }

  function changed() {
    board().emitChange({ columns: new Set(board().order.keys()) });
    announce(formatCount(board().selected.size, "card selected", "cards selected") + ".");
  }

  /** Update the selection bar: the number of cards and the allowed actions. */
  function draw() {
    const { selected, cards } = board();
    for (const id of selected) if (!cards.has(id)) selected.delete(id);
    bar.hidden = !selected.size && !menuColumnId;
    if (bar.hidden) return;
    setText(statusText, selected.size ? formatCount(selected.size, "card selected", "cards selected") : "Click cards to select");
    all.hidden = !menuColumnId || !page.views.has(menuColumnId);
    setText(all, all.hidden ? "" : phrase`All of ${board().column(menuColumnId).title}`);
    for (const [action, button] of actions) button.hidden = !selected.size || !board().isAllowed(action);
  }

  /** Change the selected cards in one request; those that failed stay selected. */
  async function runBatch(operation, title, ids = selectedIds()) {
    bar.inert = true;
    try {
      const { changes, stays, left } = await batchUpdate(board(), ids, operation);
      reportBatch(board(), changes, stays, (number) => phrase`${formatCount(number, "card")} ${title}`);
      setSelected(left);
    } catch (error) {
      failed(error);
    }
    bar.inert = false;
  }

  function failed(error) {
    if (!("status" in error)) throw error;
    showError("Nothing was changed", plainErrorText(error), "undo");
  }

  function setSelected(left) {
    if (left.length === 0) return clear();
    board().selected = new Set(left);
    changed();
  }

  function assign(edit, label) {
    return runBatch(() => ({ edit }), label);
  }

  function assignToMe() {
    return assign({ assignedUserId: page.getUserId() }, "assigned to you");
  }

  function archive() {
    return runBatch(() => ({ archive: true }), "in the archive now");
  }

  function showMoves() {
    const cards = selectedIds().map((id) => board().cards.get(id));
    const items = board().columns.flatMap(({ id, title }) => {
      const others = cards.filter(({ columnId }) => columnId !== id);
      const movable = others.filter(({ columnId }) =>
        board()
          .transitionsFrom(columnId)
          .some((way) => way.id === id)
      );
      if (!movable.length) return [];
      const [some, all] = [movable.length, cards.length].map(formatNumber);
      const why = movable.length < cards.length && `${some} of ${all} can move there`;
      const ids = others.map((card) => card.id);
      return { label: title, why, run: () => runBatch(() => ({ move: { toColumnId: id } }), phrase`moved to ${title}`, ids) };
    });
    menu(actions[0], "Move to", items.length ? items : [{ label: "No transition fits any of them", disabled: true }]);
  }

  function assignees() {
    openAssigneeMenu(actions[1][1], board(), assign);
  }

  function priorities() {
    const item = (priority) => ({ label: priority, run: () => assign({ priority }, `priority ${priority}`) });
    menu(actions[2], "Priority", PRIORITIES.map(item));
  }

  function labels() {
    const cards = () => selectedIds().map((id) => board().cards.get(id));
    let writing = Promise.resolve();
    const write = (change) => void (writing = writing.then(() => writeLabels(change)));
    openLabelsMenu(actions[3][1], board(), { cards, write });
  }

  async function writeLabels({ label, isRemoved, takers }) {
    const taker = (id) => takers.find(({ card }) => card.id === id);
    const operation = ({ id }) => {
      const { field, labels: all } = taker(id);
      return { edit: { fieldValues: [{ fieldId: field.id, value: all.length ? all : null }] } };
    };
    try {
      const ids = takers.map(({ card }) => card.id);
      const { changes, stays } = await batchUpdate(board(), ids, operation);
      for (const { id, version } of changes) {
        const { field, labels: all } = taker(id);
        const card = board().cards.get(id);
        if (card) board().put({ ...card, version, values: { ...card.values, [field.id]: all } });
      }
      reportBatch(board(), changes, stays, (number) => `${formatCount(number, "card")}: ${labelChangeText(label, isRemoved)}`);
    } catch (error) {
      failed(error);
    }
  }

  function menu([, anchor], label, items) {
    openChoiceMenu(anchor, { label, items: [{ head: label }, ...items] });
  }

  return { draw, leave: unbind };
}
