// The keyboard shortcuts of a board.

import { serverNow } from "../core/clock.js";
import { query } from "../core/dom.js";
import { plainErrorText } from "../core/error-text.js";
import { dueDateOf, formatDueDate, quote, truncate } from "../core/format.js";
import { boardUrl, navigate } from "../core/router.js";
import { registerShortcuts, suspendShortcuts, topDialog } from "../core/shortcuts.js";
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

/** Register the shortcuts of a board page. Return a function that unregisters them. */
export function registerBoardShortcuts(page) {
  const board = () => page.board;
  const focusedCard = () => board()?.cards.get(page.getFocusedId()) ?? null;
  const withCard = (act, applies = null) => {
    const isAvailable = () => focusedCard() !== null && (applies?.(focusedCard()) ?? true);
    return Object.assign(() => (isAvailable() ? void act(focusedCard()) : false), { isAvailable });
  };
  const canEdit = () => board().isAllowed("update");
  const canCreate = () => board()?.canHaveNewCards() ?? false;
  const canArchive = () => board().isAllowed("delete");
  const canDecide = ({ request }) => Boolean(request) && board().isAllowed("transition");

  function moveFocus(down, right) {
    const card = focusedCard();
    const views = page.listViews();
    if (!card) return page.focusFirst();
    const view = page.views.get(card.columnId);
    if (down) return page.focus(view.list.ids[view.list.indexOf(card.id) + down] ?? card.id);
    const others = right > 0 ? views.slice(views.indexOf(view) + 1) : views.slice(0, views.indexOf(view)).reverse();
    const next = others.find((other) => other.list.ids.length && !other.isCollapsed);
    if (next) page.focus(next.list.ids[Math.min(view.list.indexOf(card.id), next.list.ids.length - 1)]);
  }

  async function moveToNeighbor(card, step) {
    const { columns } = board();
    const next = columns[columns.findIndex(({ id }) => id === card.columnId) + step];
    if (next) await moveAndFocus(card, next.id);
  }

  async function moveAlongTransition(card, step) {
    const { columns } = board();
    const at = columns.findIndex(({ id }) => id === card.columnId);
    const place = (column) => columns.findIndex(({ id }) => id === column.id);
    const targets = board()
      .transitionsFrom(card.columnId)
      .filter((column) => (place(column) - at) * step > 0);
    const next = step > 0 ? targets[0] : targets[targets.length - 1];
    if (next) await moveAndFocus(card, next.id);
    else showNoTransition(board(), card, columns[at + step]?.id ?? card.columnId);
  }

  async function moveAndFocus(card, columnId) {
    const moving = moveCard(board(), card.id, columnId);
    page.focus(card.id);
    if (!(await moving)) page.focus(card.id);
  }

  function moveWithinColumn(card, step) {
    const { ids } = page.views.get(card.columnId).list;
    const at = ids.indexOf(card.id);
    const behind = step > 0 ? ids[at + 1] : (ids[at - 2] ?? null);
    if (behind === undefined || (step < 0 && at === 0)) return;
    moveCard(board(), card.id, card.columnId, behind);
    page.focus(card.id);
  }

  async function change(card, changes, failedTitle, message, values = card.values) {
    try {
      offerCardUndo(board(), card, await writeChanges(board(), card.id, changes, values), `${card.key}: ${message}`);
    } catch (error) {
      showBoardError(board(), failedTitle, error);
    }
  }

  function assignees(card) {
    const assign = (changes, message) => change(card, changes, "The assignee was not changed", message);
    openAssigneeMenu(page.findTile(card.id), board(), assign, card, () => page.focus(card.id));
  }

  function assignToMe(card) {
    const userId = card.assignedUserId === page.getUserId() ? null : page.getUserId();
    const message = userId ? "assigned to you" : "assigned to nobody";
    change(card, { assignedUserId: userId }, "The assignee was not changed", message);
  }

  function priorities(card) {
    const items = PRIORITIES.map((priority) => ({
      label: priority,
      checked: (card.priority ?? "none") === priority,
      run: () => change(card, { priority }, "The priority was not changed", `priority ${priority}`)
    }));
    const focus = () => page.focus(card.id);
    openMenu(page.findTile(card.id), { label: "Priority", items: [{ head: "Priority" }, ...items], focus });
  }

  function labels({ id }) {
    const cards = () => [board().cards.get(id)].filter(Boolean);
    const write = ({ label, isRemoved, takers: [{ card, field, labels: all }] }) => {
      const fieldValues = [{ fieldId: field.id, value: all.length ? all : null }];
      const values = { ...card.values, [field.id]: all };
      change(card, { fieldValues }, "The labels were not changed", labelChangeText(label, isRemoved), values);
    };
    openLabelsMenu(page.findTile(id), board(), { cards, write }, () => page.focus(id));
  }

  async function editTitle(card) {
    const { editTitle: edit } = await suspendShortcuts(import("./title-editing.js"));
    const save = (title) => change(card, { title }, "The title was not changed", "another title");
    edit(page.findTile(card.id).parentElement, card, save, () => page.focus(card.id));
  }

  async function editDueDate(card) {
    const { askDueDate } = await suspendShortcuts(import("./due-date-dialog.js"));
    const current = dueDateOf(card);
    const due = await askDueDate(`When is ${quote(truncate(card.title, 60))} due?`, current);
    if (due === undefined || due === current) return;
    const message = due ? `due ${formatDueDate(due, serverNow())}` : "no due date";
    change(card, { dueDate: due }, "The due date stays", message);
  }

  function findAddColumn() {
    const button = query(document, "[data-action='column.create']");
    return button?.checkVisibility() ? button : null;
  }

  function addColumn() {
    const button = findAddColumn();
    return button ? void button.click() : false;
  }

  function reject({ id, title, request }) {
    const names = boardNames(board());
    rejectMove({ ...request, cardId: id }, title, names.actor(request.requestedBy), names);
  }

  const isAnyCard = () => focusedCard() !== null || board()?.selected.size > 0;
  const isOpenCard = () => topDialog().matches(".card-dialog");
  const unbindRefusals = registerShortcuts({
    ...createRefusals(board, BOARD_PERMISSIONS, isAnyCard),
    ...createRefusals(board, { "card.create": "create" }, () => true)
  });
  const unbindInCard = registerShortcuts(createRefusals(board, OPEN_CARD_PERMISSIONS, isOpenCard), "any");
  const unbind = registerShortcuts({
    "card.focus.up": () => moveFocus(-1, 0),
    "card.focus.down": () => moveFocus(1, 0),
    "card.focus.left": () => moveFocus(0, -1),
    "card.focus.right": () => moveFocus(0, 1),
    "card.open": withCard((card) => navigate(boardUrl(board().id, card.key))),
    "card.create": Object.assign(() => (canCreate() ? void page.add(focusedCard()?.columnId) : false), {
      isAvailable: canCreate
    }),
    "column.create": Object.assign(addColumn, { isAvailable: () => findAddColumn() !== null }),
    "card.move.menu": withCard((card) => openMoveMenu(page.findTile(card.id), board(), card.id, () => page.focus(card.id))),
    "card.move.up": withCard((card) => moveWithinColumn(card, -1)),
    "card.move.down": withCard((card) => moveWithinColumn(card, 1)),
    "card.move.left": withCard((card) => moveToNeighbor(card, -1)),
    "card.move.right": withCard((card) => moveToNeighbor(card, 1)),
    "card.transition.next": withCard((card) => moveAlongTransition(card, 1)),
    "card.transition.previous": withCard((card) => moveAlongTransition(card, -1)),
    "card.assign": withCard(assignees, canEdit),
    "card.assign.me": withCard(assignToMe, canEdit),
    "card.labels": withCard(labels, canEdit),
    "card.priority": withCard(priorities, canEdit),
    "card.due": withCard(editDueDate, canEdit),
    "card.edit": withCard(editTitle, canEdit),
    "card.archive": withCard((card) => archiveCard(board(), card), canArchive),
    "request.approve": withCard(({ title, request }) => approveMove(request.id, title, boardNames(board())), canDecide),
    "request.reject": withCard(reject, canDecide),
    "board.search": () => void page.header.field.focus(),
    "filter.mine": () => page.filterByUser(),
    "filter.open": () => page.header.openMenu()
  });
  return () => (unbind(), unbindInCard(), unbindRefusals());
}

/** Return handlers that tell users which permission they lack for a shortcut, while `applies()`. */
function createRefusals(board, permissions, applies) {
  const refuse = (permission) => {
    if (!applies() || !board() || board().isAllowed(permission)) return false;
    const text = plainErrorText({ code: "permission_denied", details: { action: permission, resource: "Card" } });
    showError("Nothing was changed", text, "permission");
  };
  const handler = (permission) => Object.assign(() => refuse(permission), { isAvailable: () => false });
  return Object.fromEntries(Object.entries(permissions).map(([action, permission]) => [action, handler(permission)]));
}
