// The keyboard shortcuts of a board.

import { quote, truncate } from "../core/format.js";
import { boardUrl, navigate } from "../core/router.js";
import { registerShortcuts } from "../core/shortcuts.js";
import { promptDialog } from "../ui/dialog.js";
import { openMenu } from "../ui/menu.js";
import { approveMove, rejectMove } from "../ui/move-request.js";
import { PRIORITIES } from "../ui/priority.js";
import { archiveCard, offerCardUndo } from "./batch.js";
import { writeChanges } from "./card-writes.js";
import { showBoardError, showNoTransition } from "./move-errors.js";
import { openMoveMenu } from "./move-menu.js";
import { moveCard } from "./moves.js";
import { boardNames } from "./names.js";

/** Register the shortcuts of a board page; `me()` returns the id of the user. Return a function that unregisters them. */
export function registerBoardShortcuts(screen, me) {
  const board = () => screen.board;
  const here = () => board()?.cards.get(screen.focused()) ?? null;
  const onCard = (act) => () => (here() ? void act(here()) : false);

  function walk(down, right) {
    const card = here();
    const views = screen.columns();
    if (!card) return screen.focusFirst();
    const view = screen.views.get(card.columnId);
    if (down) return screen.focus(view.list.ids[view.list.place(card.id) + down] ?? card.id);
    const others = right > 0 ? views.slice(views.indexOf(view) + 1) : views.slice(0, views.indexOf(view)).reverse();
    const next = others.find((other) => other.list.ids.length && !other.isCollapsed);
    if (next) screen.focus(next.list.ids[Math.min(view.list.place(card.id), next.list.ids.length - 1)]);
  }

  async function toSide(card, step) {
    const { columns } = board();
    const next = columns[columns.findIndex(({ id }) => id === card.columnId) + step];
    if (next) await along(card, next.id);
  }

  async function onWay(card, step) {
    const { columns } = board();
    const at = columns.findIndex(({ id }) => id === card.columnId);
    const place = (way) => columns.findIndex(({ id }) => id === way.id);
    const ways = board()
      .transitionsFrom(card.columnId)
      .filter((way) => (place(way) - at) * step > 0);
    const next = step > 0 ? ways[0] : ways[ways.length - 1];
    if (next) await along(card, next.id);
    else showNoTransition(board(), card, columns[at + step]?.id ?? card.columnId);
  }

  async function along(card, columnId) {
    const going = moveCard(board(), card.id, columnId);
    screen.focus(card.id);
    if (!(await going)) screen.focus(card.id);
  }

  function within(card, step) {
    const { ids } = screen.views.get(card.columnId).list;
    const at = ids.indexOf(card.id);
    const behind = step > 0 ? ids[at + 1] : (ids[at - 2] ?? null);
    if (behind === undefined || (step < 0 && at === 0)) return;
    moveCard(board(), card.id, card.columnId, behind);
    screen.focus(card.id);
  }

  async function change(card, changes, stays, says) {
    try {
      offerCardUndo(board(), card, await writeChanges(board(), card.id, changes), `${board().key(card)}: ${says}`);
    } catch (error) {
      showBoardError(board(), stays, error);
    }
  }

  function priorities(card) {
    const items = PRIORITIES.map((priority) => ({
      label: priority,
      checked: (card.priority ?? "none") === priority,
      run: () => change(card, { priority }, "The priority was not changed", `priority ${priority}`)
    }));
    openMenu(screen.node(card.id), { label: "Priority", items: [{ head: "Priority" }, ...items] });
  }

  async function rename(card) {
    const wishes = { label: "Title", button: "Save", type: "text", required: true, value: card.title, most: 500 };
    const title = await promptDialog({ title: "Change the title", ...wishes });
    if (title && title !== card.title)
      change(card, { title: title.replace(/\s+/g, " ") }, "The title was not changed", "another title");
  }

  async function plan(card) {
    const wishes = {
      label: "Due date, empty for none",
      button: "Save",
      type: "date",
      value: card.dueDate?.slice(0, 10) ?? ""
    };
    const date = await promptDialog({ title: `When is ${quote(truncate(card.title, 60))} due?`, ...wishes });
    const says = date ? `due ${date}` : "no due date";
    if (date !== null && date !== wishes.value) change(card, { dueDate: date || null }, "The due date stays", says);
  }

  return registerShortcuts({
    "card.focus.up": () => walk(-1, 0),
    "card.focus.down": () => walk(1, 0),
    "card.focus.left": () => walk(0, -1),
    "card.focus.right": () => walk(0, 1),
    "card.open": onCard((card) => navigate(boardUrl(board().id, board().key(card), location.search))),
    "card.create": () => screen.add(here()?.columnId),
    "card.move.menu": onCard((card) =>
      openMoveMenu(screen.node(card.id), board(), card.id, () => screen.focus(card.id))
    ),
    "card.move.up": onCard((card) => within(card, -1)),
    "card.move.down": onCard((card) => within(card, 1)),
    "card.move.left": onCard((card) => toSide(card, -1)),
    "card.move.right": onCard((card) => toSide(card, 1)),
    "card.transition.next": onCard((card) => onWay(card, 1)),
    "card.transition.previous": onCard((card) => onWay(card, -1)),
    "card.assign.me": onCard((card) => {
      const mine = card.assignedUserId === me() ? null : me();
      change(card, { assignedUserId: mine }, "The person stays", mine ? "assigned to you" : "assigned to nobody");
    }),
    "card.priority": onCard(priorities),
    "card.due": onCard(plan),
    "card.edit": onCard(rename),
    "card.archive": onCard((card) => archiveCard(board(), card)),
    "request.approve": onCard((card) => card.request && approveMove(card.request.id, card.title, boardNames(board()))),
    "request.reject": onCard(
      (card) => card.request && rejectMove(card.request.id, card.title, "The agent", boardNames(board()))
    ),
    "board.search": () => void screen.head.field.focus(),
    "filter.mine": () => screen.only(me()),
    "filter.open": () => screen.head.openMenu()
  });
}
