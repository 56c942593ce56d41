// The selection of several cards, and the actions on it.

import { h, replaceChildren, setText } from "../core/dom.js";
import { plainErrorText } from "../core/error-text.js";
import { formatCount, formatNumber, phrase } from "../core/format.js";
import { handlerWhile, registerShortcuts, shortcutAttributes } from "../core/shortcuts.js";
import { openChoiceMenu } from "../ui/listbox/menu.js";
import { PRIORITIES } from "../ui/priority.js";
import { announce, showError, showToast } from "../ui/toast.js";
import { BATCH_CARDS_MAX, batchUpdate, reportBatch } from "./batch.js";
import { labelChangeText } from "./label-fields.js";
import { openAssigneeMenu, openLabelsMenu } from "./store.js";

/**
 * What can be done with the selected cards: its label, the permission that it needs, its shortcut, and what runs it.
 * @typedef {[label: string | null, permission: string, shortcut: string,
 *   run: (selection: CardSelection, button: HTMLElement | undefined) => unknown]} Action
 */

/** @type {Action[]} */
const ACTIONS = [
  ["Move…", "transition", "card.move.menu", (selection, button) => selection.openMoves(button)],
  ["Assign…", "update", "card.assign", (selection, button) => selection.openAssignees(button)],
  ["Priority…", "update", "card.priority", (selection, button) => selection.openPriorities(button)],
  ["Labels…", "update", "card.labels", (selection, button) => selection.openLabels(button)],
  ["Archive", "delete", "card.archive", (selection) => selection.archive()],
  [null, "update", "card.assign.me", (selection) => selection.assignToMe()] // has no button
];

/** Enable the selection of cards on the page of a board, whose `columnsElement` contains the columns. */
export function enableSelection(page, columnsElement) {
  return new CardSelection(page, columnsElement);
}

class CardSelection {
  anchorId = null; // the card at which a range begins
  menuColumnId = null; // the column whose menu started the selection; then a plain click selects
  status = h("strong");
  allButton = h("button.button.small", { click: () => this.add(this.page.views.get(this.menuColumnId).list.ids) });
  clearButton = h("button.button.small", { ...shortcutAttributes("select.none"), click: () => this.clear() }, "Deselect");
  /** @type {Map<Action, HTMLButtonElement>} */
  buttons = new Map(ACTIONS.filter(([label]) => label).map((action) => [action, this.renderButton(action)]));
  bar = h("section.selection-bar.row.wrap", { "aria-label": "Selected cards", hidden: true });

  constructor(page, columnsElement) {
    this.page = page;
    const { bar, status, allButton, buttons, clearButton } = this;
    replaceChildren(bar, status, allButton, [...buttons.values()], h("span.spacer"), clearButton);
    columnsElement.after(bar);
    columnsElement.addEventListener("click", (event) => this.handleClick(event), true);
    columnsElement.addEventListener("select-cards", ({ detail }) => this.start(detail));
    this.leave = registerShortcuts(this.listShortcuts());
  }

  get board() {
    return this.page.board;
  }

  listIds() {
    return [...this.board.order.values()].flat().filter((id) => this.board.selected.has(id));
  }

  listCards() {
    return this.listIds().map((id) => this.board.cards.get(id));
  }

  // Bar and shortcuts

  /** @param {Action} action */
  renderButton(action) {
    const [label, , shortcut] = action;
    return h("button.button.small", { ...shortcutAttributes(shortcut), click: () => this.run(action) }, label);
  }

  /** @param {Action} action */
  run(action) {
    const [, , , run] = action;
    return run(this, this.buttons.get(action));
  }

  /** @param {Action} action */
  isAllowed([, permission]) {
    return this.board?.selected.size && this.board.isAllowed(permission);
  }

  /** Return the handlers of the shortcuts; without a selection or permission, those of a card apply. */
  listShortcuts() {
    const findFocused = () => this.page.getFocusedId();
    const isClearable = () => (this.board?.selected.size || this.menuColumnId) && !document.querySelector(".menu");
    const ofSelected = ACTIONS.map((action) => {
      const isAllowed = () => this.isAllowed(action);
      return [action[2], handlerWhile(isAllowed, () => this.run(action))];
    });
    return {
      "card.select": handlerWhile(findFocused, () => this.toggle(findFocused())),
      "select.none": handlerWhile(isClearable, () => this.clear()),
      ...Object.fromEntries(ofSelected)
    };
  }

  /** Update the bar: the number of cards and the allowed actions. */
  draw() {
    const { board, bar, allButton, menuColumnId } = this;
    const { selected, cards } = board;
    for (const id of selected) if (!cards.has(id)) selected.delete(id);
    bar.hidden = !selected.size && !menuColumnId;
    if (bar.hidden) return;
    setText(this.status, selected.size ? formatSelected(selected.size) : "Click cards to select");
    allButton.hidden = !menuColumnId || !this.page.views.has(menuColumnId);
    setText(allButton, allButton.hidden ? "" : phrase`All of ${board.column(menuColumnId).title}`);
    for (const [[, permission], button] of this.buttons) button.hidden = !selected.size || !board.isAllowed(permission);
  }

  // What is selected

  /** Let plain clicks select, as the menu of a column asks. */
  start(columnId) {
    this.menuColumnId = columnId;
    this.draw();
    announce(this.status.textContent);
  }

  handleClick(event) {
    const node = event.target.closest("li.card");
    const isSelecting = this.menuColumnId || event.ctrlKey || event.metaKey || event.shiftKey;
    if (!node || event.target.closest("button") || !isSelecting) return;
    event.preventDefault();
    event.stopPropagation();
    const { id } = node.dataset;
    this.page.focus(id);
    if (event.shiftKey && this.anchorId) this.selectRange(id);
    else this.toggle(id);
  }

  selectRange(id) {
    const { ids } = this.page.views.get(this.board.cards.get(id).columnId).list;
    const ends = [ids.indexOf(this.anchorId), ids.indexOf(id)].sort((first, second) => first - second);
    this.add(ends[0] < 0 ? [id] : ids.slice(ends[0], ends[1] + 1));
  }

  toggle(id) {
    this.anchorId = id;
    if (!this.board.selected.delete(id)) return this.add([id]);
    this.emitChange();
  }

  add(ids) {
    const { selected } = this.board;
    for (const id of ids) if (selected.size < BATCH_CARDS_MAX) selected.add(id);
    const isOver = ids.some((id) => !selected.has(id));
    if (isOver) showToast({ title: `Up to ${BATCH_CARDS_MAX} cards can be changed at once`, cause: "selected" });
    this.emitChange();
  }

  clear() {
    const hadFocus = this.bar.contains(document.activeElement);
    this.menuColumnId = null;
    this.board.selected.clear();
    this.emitChange();
    if (hadFocus) this.page.focusFirst();
  }

  /** Keep cards selected, as those that a change has left. */
  keep(ids) {
    if (ids.length === 0) return this.clear();
    this.board.selected = new Set(ids);
    this.emitChange();
  }

  emitChange() {
    const { board } = this;
    board.emitChange({ columns: new Set(board.order.keys()) });
    announce(formatSelected(board.selected.size) + ".");
  }

  // Actions

  /** Change the selected cards in one request; those that failed stay selected. */
  async runBatch(operation, title, ids = this.listIds()) {
    const { board, bar } = this;
    bar.inert = true;
    try {
      const { changes, stays, left } = await batchUpdate(board, ids, operation);
      reportBatch(board, changes, stays, (number) => phrase`${formatCount(number, "card")} ${title}`);
      this.keep(left);
    } catch (error) {
      showFailure(error);
    }
    bar.inert = false;
  }

  assign(edit, label) {
    return this.runBatch(() => ({ edit }), label);
  }

  assignToMe() {
    return this.assign({ assignedUserId: this.page.getUserId() }, "assigned to you");
  }

  archive() {
    return this.runBatch(() => ({ archive: true }), "in the archive now");
  }

  openMoves(button) {
    const cards = this.listCards();
    const items = this.board.columns.flatMap((column) => this.listMove(column, cards));
    openTitledMenu(button, "Move to", items.length ? items : [{ label: "No transition fits any of them", disabled: true }]);
  }

  /** Return the move of cards to a column as a menu item; none if no card can move there. */
  listMove({ id: toColumnId, title }, cards) {
    const others = cards.filter(({ columnId }) => columnId !== toColumnId);
    const leadsThere = ({ columnId }) => this.board.transitionsFrom(columnId).some(({ id }) => id === toColumnId);
    const movable = others.filter(leadsThere);
    if (!movable.length) return [];
    const [some, all] = [movable.length, cards.length].map(formatNumber);
    const why = movable.length < cards.length && `${some} of ${all} can move there`;
    const ids = others.map(({ id }) => id);
    return [{ label: title, why, run: () => this.runBatch(() => ({ move: { toColumnId } }), phrase`moved to ${title}`, ids) }];
  }

  openAssignees(button) {
    openAssigneeMenu(button, this.board, (edit, label) => this.assign(edit, label));
  }

  openPriorities(button) {
    const item = (priority) => ({ label: priority, run: () => this.assign({ priority }, `priority ${priority}`) });
    openTitledMenu(button, "Priority", PRIORITIES.map(item));
  }

  openLabels(button) {
    let writing = Promise.resolve();
    const write = (change) => void (writing = writing.then(() => this.writeLabels(change)));
    openLabelsMenu(button, this.board, { cards: () => this.listCards(), write });
  }

  /** Write a label that was added to or removed from cards; each of `takers` has the labels that its card has then. */
  async writeLabels({ label, isRemoved, takers }) {
    const { board } = this;
    const taker = (id) => takers.find(({ card }) => card.id === id);
    const operation = ({ id }) => {
      const { field, labels } = taker(id);
      return { edit: { fieldValues: [{ fieldId: field.id, value: labels.length ? labels : null }] } };
    };
    try {
      const ids = takers.map(({ card }) => card.id);
      const { changes, stays } = await batchUpdate(board, ids, operation);
      for (const { id, version } of changes) {
        const { field, labels } = taker(id);
        const card = board.cards.get(id);
        if (card) board.put({ ...card, version, values: { ...card.values, [field.id]: labels } });
      }
      reportBatch(board, changes, stays, (number) => `${formatCount(number, "card")}: ${labelChangeText(label, isRemoved)}`);
    } catch (error) {
      showFailure(error);
    }
  }
}

function formatSelected(number) {
  return formatCount(number, "card selected", "cards selected");
}

function openTitledMenu(button, label, items) {
  openChoiceMenu(button, { label, items: [{ head: label }, ...items] });
}

/** Show the error of a request; another one is a fault of the page. */
function showFailure(error) {
  if (!("status" in error)) throw error;
  showError("Nothing was changed", plainErrorText(error), "undo");
}
