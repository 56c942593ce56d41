// Dragging columns over a board by their heads.

import { makeDraggable } from "../ui/drag.js";
import { announce } from "../ui/toast.js";

const COLUMNS_PER_SECOND_MAX = 2; // that pass while a column is held at the edge of the board

/** Make columns draggable: `pick(head)` returns the view of a column or null, `put(view, order)` is called after a drop. */
export function enableColumnDragging(host, pick, put) {
  makeDraggable(host, ({ target }) => {
    const head = target.closest(".column > header");
    const view = head && pick(head);
    return view ? dragColumn(host, view, put) : null;
  });
}

function dragColumn(host, view, put) {
  const node = view.element;
  const all = [...host.querySelectorAll(":scope > [data-column]")];
  const before = all.indexOf(node);
  let place = before;

  function begin() {
    node.classList.add("dragging-column");
    announce(`${view.column.title} is lifted.`);
  }

  /** The column takes the place of the one under the pointer. */
  function over(x) {
    place = Math.max(
      0,
      all.findLastIndex((other) => other.getBoundingClientRect().left <= x)
    );
    showPlace(place);
  }

  function showPlace(target) {
    all.forEach((other, at) => {
      other.classList.toggle("drop-before", at === target && at < before);
      other.classList.toggle("drop-after", at === target && at > before);
    });
  }

  function end() {
    node.classList.remove("dragging-column");
    showPlace(null);
  }

  function drop(x) {
    over(x);
    end();
    if (place !== before) put(view, place);
  }

  function cancel() {
    end();
    announce("Moved back.");
  }

  const scrollers = () => [[host, "x", node.offsetWidth * COLUMNS_PER_SECOND_MAX]];
  return { node, begin, over, drop, cancel, scrollers };
}
