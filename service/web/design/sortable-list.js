// Lists that are sorted by dragging.

import { h } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { makeDraggable } from "../ui/drag.js";
import { announce } from "../ui/toast.js";

const HANDLE_ICON = "M5 3.5h.01M5 8h.01M5 12.5h.01M11 3.5h.01M11 8h.01M11 12.5h.01";

/** Return the handle by which an entry is dragged. */
export function dragHandle() {
  return h("span.drag-handle", { title: "Drag to another place" }, icon(HANDLE_ICON));
}

/** Make a list sortable: `find(id)` returns {title, order} of an entry, `put(entry, order)` is called after a drop. */
export function makeSortable(list, find, put) {
  makeDraggable(list, ({ target }) => {
    const node = target.closest(".drag-handle")?.closest("li");
    const entry = node && find(node.dataset.id);
    return entry ? dragItem(list, node, entry, put) : null;
  });
}

function dragItem(list, node, entry, put) {
  let place = entry.order;
  const others = () => [...list.children].filter(({ dataset }) => dataset.id !== entry.id);
  const showDropPosition = (target) =>
    others().forEach((other, at, { length }) => {
      other.classList.toggle("drop-above", at === target);
      other.classList.toggle("drop-below", at === length - 1 && target === length);
    });
  const end = () => (node.classList.remove("dragging"), showDropPosition(null));

  function begin() {
    node.classList.add("dragging");
    announce(`${entry.title} is lifted.`);
  }

  function over(x, y) {
    const isAbove = (other) => y < other.getBoundingClientRect().top + other.offsetHeight / 2;
    const found = others().findIndex(isAbove);
    showDropPosition((place = found < 0 ? others().length : found));
  }

  function drop(x, y) {
    over(x, y);
    end();
    if (place !== entry.order) put(entry, place);
  }

  function cancel() {
    end();
    announce("Moved back.");
  }

  const page = list.closest(".page-body");
  return { node, begin, over, drop, cancel, scrollers: () => [[page, "y", page.clientHeight]] };
}
