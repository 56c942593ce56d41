// Changes of all cards of a column, in batches behind one progress, with one undo.

import { h } from "../core/dom.js";
import { plainErrorText } from "../core/error-text.js";
import { formatCount, phrase } from "../core/format.js";
import { openDialog, promptDialog } from "../ui/dialog.js";
import { openChoiceMenu } from "../ui/listbox/menu.js";
import { showToast } from "../ui/toast.js";
import { offerUndo } from "../ui/undo.js";
import { BATCH_CARDS_MAX, batchErrorText, batchUpdate, planUndo, sendBatch } from "./batch.js";

/** Ask, and archive the cards that a column shows. */
export async function archiveAll(board, { column, list }) {
  const ids = [...list.ids];
  const title = phrase`Archive ${formatCount(ids.length, "card")} of ${column.title}?`;
  const text = `${describeOthers(board, column, ids)}They can be restored from the archive.`;
  if ((await promptDialog({ title, text, button: "Archive" })) === null) return;
  const done = (count) => `${formatCount(count, "card")} in the archive now`;
  await changeAll(board, ids, () => ({ archive: true }), { doing: "Archiving cards", done });
}

/** Offer the columns to which transitions lead, and move there the cards that a column shows. */
export function moveAll(board, { column, list, menuButton }) {
  const ids = [...list.ids];
  const item = ({ id, title }) => ({ label: title, run: () => moveTo(board, ids, id, title) });
  const head = { head: `Move ${formatCount(ids.length, "card")} to` };
  openChoiceMenu(menuButton, { label: "Move all to", items: [head, ...board.transitionsFrom(column.id).map(item)] });
}

function moveTo(board, ids, toColumnId, title) {
  const done = (count) => phrase`${formatCount(count, "card")} moved to ${title}`;
  return changeAll(board, ids, () => ({ move: { toColumnId } }), { doing: phrase`Moving cards to ${title}`, done });
}

/** Return how many of the cards agents have claimed, and how many others of the column the filter hides. */
function describeOthers(board, { id }, ids) {
  const claimed = ids.filter((cardId) => board.claims.has(cardId)).length;
  const hidden = board.order.get(id).length - ids.length;
  const texts = [
    claimed && `Agents work on ${formatCount(claimed, "card")} of these.`,
    hidden && `${formatCount(hidden, "card")} that the filter hides will stay.`
  ];
  return texts
    .filter(Boolean)
    .map((text) => `${text} `)
    .join("");
}

/**
 * Change cards in batches, as `operation` says for each, and offer one undo for all that were changed.
 * @param {any} board
 * @param {string[]} ids
 * @param {(card: any) => object} operation
 * @param {{doing: string, done: (count: number) => string}} texts
 */
async function changeAll(board, ids, operation, { doing, done }) {
  const orders = new Map(board.order); // as they are now, since the batches change them
  const changes = [];
  const stays = [];
  const problem = await sendInParts(ids, doing, async (part) => {
    const found = await batchUpdate(board, part, operation);
    changes.push(...found.changes.map((change) => ({ ...change, order: orders.get(change.columnId) })));
    stays.push(...found.left.map(() => found.stays));
  });
  const text = [stays.length && `${formatCount(stays.length, "card")} not changed. ${stays[0]}`, problem]
    .filter(Boolean)
    .join(" ");
  /** @type {{text?: string, kind: "done" | "refused"}} */
  const options = { text: text || undefined, kind: text ? "refused" : "done" };
  if (changes.length) offerUndo(done(changes.length), () => undoAll(board, changes), options);
  else showToast({ title: "Nothing was changed", ...options, cause: "undo" });
}

/** Undo changes in their order, so that each card finds the one above it; return a sentence if some could not be undone. */
async function undoAll(board, changes) {
  const operations = planUndo(board, changes);
  const errors = [];
  const keys = new Map(changes.map(({ id, key }) => [id, { key }]));
  const problem = await sendInParts(operations, "Undoing", async (part) => {
    const text = batchErrorText(
      board,
      part.map(({ cardId }) => keys.get(cardId)),
      await sendBatch(board, part)
    );
    if (text) errors.push(text);
  });
  return [errors[0], problem].filter(Boolean).join(" ") || undefined;
}

/**
 * Send items in parts, smaller ones if the service finds them too expensive, behind a progress that can be stopped. Return a
 * sentence if not all were sent.
 * @template T
 * @param {T[]} items
 * @param {string} label
 * @param {(part: T[]) => Promise<void>} send
 */
async function sendInParts(items, label, send) {
  const progress = new Progress(label, items.length);
  let size = BATCH_CARDS_MAX;
  let sent = 0;
  try {
    while (sent < items.length && !progress.isStopped) {
      const part = items.slice(sent, sent + size);
      try {
        await send(part);
        progress.show((sent += part.length));
      } catch (error) {
        if (error.code !== "too_expensive" || size === 1) throw error;
        size = Math.ceil(size / 2);
      }
    }
    return sent < items.length ? `Stopped after ${formatCount(sent, "card")}.` : "";
  } catch (error) {
    if (!("status" in error)) throw error;
    return plainErrorText(error);
  } finally {
    progress.close();
  }
}

/** A dialog with the progress of a change, which Escape and its button stop. */
class Progress {
  isStopped = false;

  constructor(label, total) {
    this.bar = h("progress", { "aria-label": label, max: total, value: 0 });
    this.total = total;
    this.status = h("p.muted.number");
    const stop = () => (this.isStopped = true);
    const content = h(
      "div.stack",
      h("h2", label),
      this.bar,
      this.status,
      h("div.row", h("button.button", { click: stop }, "Stop"))
    );
    this.opened = openDialog({ label, className: "form-dialog", content, leave: () => (stop(), false) });
    this.show(0);
  }

  show(count) {
    this.bar.value = count;
    this.status.textContent = `${formatCount(this.total - count, "card")} left`;
  }

  close() {
    this.opened.end();
  }
}
