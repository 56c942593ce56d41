// The keyboard shortcuts of a board.

import { serverNow } from "../core/clock.js";
import { query } from "../core/dom.js";
import { plainErrorText } from "../core/error-text.js";
import { dueDateOf, formatDueDate, quote, truncate } from "../core/format.js";
import { boardUrl, navigate } from "../core/router.js";
import { handlerWhile, registerShortcuts, suspendShortcuts, topDialog } from "../core/shortcuts.js";
import { openMenu } from "../ui/listbox/menu.js";
import { approveMove, rejectMove } from "../ui/move-request.js";
import { PRIORITIES } from "../ui/priority.js";
import { showError } from "../ui/toast.js";
import { archiveCard, offerCardUndo } from "./batch.js";
import { writeChanges } from "./card-writes.js";
import { labelChangeText } from "./label-fields.js";
import { showBoardError, showNoTransition } from "./move-errors.js";
import { openMoveMenu } from "./move-menu.js";
import { moveCard } from "./moves.js";
import { openAssigneeMenu, openLabelsMenu } from "./store.js";
import { boardNames } from "./names.js";

// The permissions that shortcuts of cards need: everywhere, on the board, and in the open card.
const PERMISSIONS = {
  __proto__: null,
  "card.assign": "update",
  "card.assign.me": "update",
  "card.labels": "update",
  "card.priority": "update",
  "card.due": "update",
  "card.edit": "update",
  "card.archive": "delete",
  "request.approve": "transition",
  "request.reject": "transition"
};
const BOARD_PERMISSIONS = { ...PERMISSIONS, "card.move.menu": "transition" }; // without a selection, the menu says so
const OPEN_CARD_PERMISSIONS = { ...PERMISSIONS, "checklist.tick": "update", "comment.write": "comment" };

/**
 * What shortcuts do with the focused card, by action.
 * @type {Record<string, (shortcuts: BoardShortcuts, card: any) => unknown>}
 */
const CARD_ACTIONS = {
  "card.open": ({ board }, { key }) => navigate(boardUrl(board.id, key)),
  "card.move.menu": (shortcuts, card) => shortcuts.openMoves(card),
  "card.move.up": (shortcuts, card) => shortcuts.moveWithinColumn(card, -1),
  "card.move.down": (shortcuts, card) => shortcuts.moveWithinColumn(card, 1),
  "card.move.left": (shortcuts, card) => shortcuts.moveToNeighbor(card, -1),
  "card.move.right": (shortcuts, card) => shortcuts.moveToNeighbor(card, 1),
  "card.transition.next": (shortcuts, card) => shortcuts.moveAlongTransition(card, 1),
  "card.transition.previous": (shortcuts, card) => shortcuts.moveAlongTransition(card, -1),
  "card.assign": (shortcuts, card) => shortcuts.openAssignees(card),
  "card.assign.me": (shortcuts, card) => shortcuts.assignToMe(card),
  "card.labels": (shortcuts, card) => shortcuts.openLabels(card),
  "card.priority": (shortcuts, card) => shortcuts.openPriorities(card),
  "card.due": (shortcuts, card) => shortcuts.editDueDate(card),
  "card.edit": (shortcuts, card) => shortcuts.editTitle(card),
  "card.archive": ({ board }, card) => archiveCard(board, card),
  "request.approve": ({ board }, { title, request }) => approveMove(request.id, title, boardNames(board)),
  "request.reject": (shortcuts, card) => shortcuts.reject(card)
};

/** Register the shortcuts of a board page. Return a function that unregisters them. */
export function registerBoardShortcuts(page) {
  const shortcuts = new BoardShortcuts(page);
  const isAnyCard = () => shortcuts.findCard() !== null || page.board?.selected.size > 0;
  const isOpenCard = () => topDialog().matches(".card-dialog");
  const refusals = {
    ...createRefusals(page, BOARD_PERMISSIONS, isAnyCard),
    ...createRefusals(page, { "card.create": "create" }, () => true)
  };
  const registered = [
    registerShortcuts(refusals),
    registerShortcuts(createRefusals(page, OPEN_CARD_PERMISSIONS, isOpenCard), "any"),
    registerShortcuts({ ...shortcuts.listBoardHandlers(), ...shortcuts.listCardHandlers() })
  ];
  return () => registered.forEach((unregister) => unregister());
}

class BoardShortcuts {
  constructor(page) {
    this.page = page;
  }

  get board() {
    return this.page.board;
  }

  /** Return the focused card, or null. */
  findCard() {
    return this.board?.cards.get(this.page.getFocusedId()) ?? null;
  }

  listBoardHandlers() {
    const { page } = this;
    const canCreate = () => this.board?.canHaveNewCards() ?? false;
    return {
      "card.focus.up": () => this.moveFocus(-1, 0),
      "card.focus.down": () => this.moveFocus(1, 0),
      "card.focus.left": () => this.moveFocus(0, -1),
      "card.focus.right": () => this.moveFocus(0, 1),
      "card.create": handlerWhile(canCreate, () => page.add(this.findCard()?.columnId)),
      "column.create": handlerWhile(findAddColumn, () => findAddColumn().click()),
      "board.search": () => void page.header.field.focus(),
      "filter.mine": () => page.filterByUser(),
      "filter.open": () => page.header.openMenu()
    };
  }

  listCardHandlers() {
    const handlers = Object.entries(CARD_ACTIONS).map(([action, run]) => {
      const isAvailable = () => this.canRun(action, this.findCard());
      return [action, handlerWhile(isAvailable, () => run(this, this.findCard()))];
    });
    return Object.fromEntries(handlers);
  }

  /** Return whether the user may perform an action on a card, and the card has what it decides. */
  canRun(action, card) {
    const permission = PERMISSIONS[action];
    if (!card || (action.startsWith("request.") && !card.request)) return false;
    return !permission || this.board.isAllowed(permission);
  }

  // Focus and moves

  moveFocus(down, right) {
    const { page } = this;
    const card = this.findCard();
    if (!card) return page.focusFirst();
    const views = page.listViews();
    const view = page.views.get(card.columnId);
    const at = view.list.indexOf(card.id);
    if (down) return page.focus(view.list.ids[at + down] ?? card.id);
    const others = right > 0 ? views.slice(views.indexOf(view) + 1) : views.slice(0, views.indexOf(view)).reverse();
    const next = others.find((other) => other.list.ids.length && !other.isCollapsed);
    if (next) page.focus(next.list.ids[Math.min(at, next.list.ids.length - 1)]);
  }

  async moveToNeighbor(card, step) {
    const next = this.board.columns[this.placeOf(card.columnId) + step];
    if (next) await this.moveAndFocus(card, next.id);
  }

  async moveAlongTransition(card, step) {
    const { board } = this;
    const at = this.placeOf(card.columnId);
    const targets = board.transitionsFrom(card.columnId).filter(({ id }) => (this.placeOf(id) - at) * step > 0);
    const next = step > 0 ? targets[0] : targets[targets.length - 1];
    if (next) await this.moveAndFocus(card, next.id);
    else showNoTransition(board, card, board.columns[at + step]?.id ?? card.columnId);
  }

  placeOf(columnId) {
    return this.board.columns.findIndex(({ id }) => id === columnId);
  }

  async moveAndFocus(card, columnId) {
    const moving = moveCard(this.board, card.id, columnId);
    this.page.focus(card.id);
    if (!(await moving)) this.page.focus(card.id);
  }

  moveWithinColumn(card, step) {
    const { ids } = this.page.views.get(card.columnId).list;
    const at = ids.indexOf(card.id);
    const behind = step > 0 ? ids[at + 1] : (ids[at - 2] ?? null);
    if (behind === undefined || (step < 0 && at === 0)) return;
    moveCard(this.board, card.id, card.columnId, behind);
    this.page.focus(card.id);
  }

  openMoves({ id }) {
    openMoveMenu(this.page.findTile(id), this.board, id, () => this.page.focus(id));
  }

  reject({ id, title, request }) {
    const names = boardNames(this.board);
    rejectMove({ ...request, cardId: id }, title, names.actor(request.requestedBy), names);
  }

  // Changes

  async change(card, changes, failedTitle, message, values = card.values) {
    const { board } = this;
    try {
      offerCardUndo(board, card, await writeChanges(board, card.id, changes, values), `${card.key}: ${message}`);
    } catch (error) {
      showBoardError(board, failedTitle, error);
    }
  }

  openAssignees(card) {
    const { page, board } = this;
    const assign = (changes, message) => this.change(card, changes, "The assignee was not changed", message);
    openAssigneeMenu(page.findTile(card.id), board, assign, card, () => page.focus(card.id));
  }

  assignToMe(card) {
    const me = this.page.getUserId();
    const userId = card.assignedUserId === me ? null : me;
    const message = userId ? "assigned to you" : "assigned to nobody";
    this.change(card, { assignedUserId: userId }, "The assignee was not changed", message);
  }

  openPriorities(card) {
    const { page } = this;
    const items = PRIORITIES.map((priority) => ({
      label: priority,
      checked: (card.priority ?? "none") === priority,
      run: () => this.change(card, { priority }, "The priority was not changed", `priority ${priority}`)
    }));
    const focus = () => page.focus(card.id);
    openMenu(page.findTile(card.id), { label: "Priority", items: [{ head: "Priority" }, ...items], focus });
  }

  openLabels({ id }) {
    const { page, board } = this;
    const cards = () => [board.cards.get(id)].filter(Boolean);
    const write = ({ label, isRemoved, takers: [{ card, field, labels }] }) => {
      const fieldValues = [{ fieldId: field.id, value: labels.length ? labels : null }];
      const values = { ...card.values, [field.id]: labels };
      this.change(card, { fieldValues }, "The labels were not changed", labelChangeText(label, isRemoved), values);
    };
    openLabelsMenu(page.findTile(id), board, { cards, write }, () => page.focus(id));
  }

  async editTitle(card) {
    const { page } = this;
    const { editTitle } = await suspendShortcuts(import("./title-editing.js"));
    const save = (title) => this.change(card, { title }, "The title was not changed", "another title");
    editTitle(page.findTile(card.id).parentElement, card, save, () => page.focus(card.id));
  }

  async editDueDate(card) {
    const { askDueDate } = await suspendShortcuts(import("./due-date-dialog.js"));
    const current = dueDateOf(card);
    const due = await askDueDate(`When is ${quote(truncate(card.title, 60))} due?`, current);
    if (due === undefined || due === current) return;
    const message = due ? `due ${formatDueDate(due, serverNow())}` : "no due date";
    this.change(card, { dueDate: due }, "The due date stays", message);
  }
}

/** Return the button that adds a column, if it is shown. */
function findAddColumn() {
  const button = query(document, "[data-action='column.create']");
  return button?.checkVisibility() ? button : null;
}

/** Return handlers that tell users which permission they lack for a shortcut, while `applies()`. */
function createRefusals(page, permissions, applies) {
  const refuse = (permission) => {
    if (!applies() || !page.board || page.board.isAllowed(permission)) return false;
    const text = plainErrorText({ code: "permission_denied", details: { action: permission, resource: "Card" } });
    showError("Nothing was changed", text, "permission");
  };
  const handler = (permission) => Object.assign(() => refuse(permission), { isAvailable: () => false });
  return Object.fromEntries(Object.entries(permissions).map(([action, permission]) => [action, handler(permission)]));
}
