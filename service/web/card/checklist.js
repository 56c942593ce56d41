// The checklists in the texts of an open card: a box ticks at once, and a line above the text counts.

import { patch } from "../core/api.js";
import { h, setText } from "../core/dom.js";
import { showError } from "../ui/toast.js";
import { trackEdit } from "../board/store.js";

const BOXES = "input[type=checkbox]";
const CHANGED = "Somebody has changed this checklist meanwhile. The newest text is shown; tick the item there.";

/** Add the progress to a rendered text with checklists, and let its boxes tick if the card may be edited. */
export function addChecklist(open, fieldId, prose, canEdit) {
  open.ticks ??= new Map(); // the states that were sent and not yet answered
  const boxes = [...prose.querySelectorAll(BOXES)];
  const bar = h("progress", { max: boxes.length, "aria-label": "Checklist" });
  const count = h("span");
  const drawProgress = () => {
    bar.value = boxes.filter(({ checked }) => checked).length;
    setText(count, ` ${bar.value} of ${bar.max} done`);
  };
  for (const [number, box] of canEdit ? boxes.entries() : []) {
    const pending = open.ticks.get(tickName(fieldId, number, box));
    if (pending !== undefined) box.checked = pending;
    box.disabled = false;
    box.addEventListener("change", () => (drawProgress(), tick(open, fieldId, number, box)));
  }
  drawProgress();
  prose.prepend(h("p.small.muted", bar, count));
}

function tickName(fieldId, number, { item }) {
  return `${fieldId} ${number} ${item}`;
}

/** Send a tick after those before it. Until the answer is here, the box keeps the new state, whatever is drawn meanwhile. */
async function tick(open, fieldId, number, box) {
  const name = tickName(fieldId, number, box);
  const done = box.checked;
  const body = { fieldId, item: number, text: box.item, done };
  open.ticks.set(name, done);
  const sent = (open.lastTick ?? Promise.resolve()).then(() => patch(`${open.path}/checklist`, body));
  open.lastTick = trackEdit(open.board, open.id, sent).catch(() => {});
  try {
    const card = await sent;
    if (card.version >= open.card.version) open.card = card;
    open.board.setVersion(open.card);
  } catch (error) {
    const isChanged = error.details?.items !== undefined;
    showError("The item was not ticked", isChanged ? CHANGED : open.errorText(error), "checklist");
  }
  if (open.ticks.get(name) === done) open.ticks.delete(name);
  open.board.refresh();
  if (!open.isClosed) open.dispatchEvent(Object.assign(new Event("change"), { parts: new Set(["card"]) }));
  await open.read(["history", "moves"]);
}
