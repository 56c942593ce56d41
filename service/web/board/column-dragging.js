// Dragging columns over a board by their heads.

import { makeDraggable } from "../ui/drag.js";
import { announce } from "../ui/toast.js";

const COLUMNS_PER_SECOND_MAX = 2; // that pass while a column is held at the edge of the board

/** Make columns draggable: `pick(head)` returns the view of a column or null, `put(view, order)` is called after a drop. */
export function enableColumnDragging(host, pick, put) {
  makeDraggable(host, ({ target }) => {
    const head = target.closest(".column > header");
    const view = head && pick(head);
    return view ? new ColumnDrag(host, view, put) : null;
  });
}

/** A column that is dragged: it takes the place of the one under the pointer. */
class ColumnDrag {
  constructor(host, view, put) {
    this.host = host;
    this.view = view;
    this.put = put;
    this.node = view.element;
    this.all = [...host.querySelectorAll(":scope > [data-column]")];
    this.before = this.all.indexOf(this.node); // its place
    this.place = this.before; // the one that it would take
  }

  begin() {
    this.node.classList.add("dragging-column");
    announce(`${this.view.column.title} is lifted.`);
  }

  over(x) {
    const under = this.all.findLastIndex((other) => other.getBoundingClientRect().left <= x);
    this.place = Math.max(0, under);
    this.showPlace(this.place);
  }

  /** Mark the column whose place it would take; none with null. */
  showPlace(place) {
    this.all.forEach((other, at) => {
      other.classList.toggle("drop-before", at === place && at < this.before);
      other.classList.toggle("drop-after", at === place && at > this.before);
    });
  }

  end() {
    this.node.classList.remove("dragging-column");
    this.showPlace(null);
  }

  drop(x) {
    this.over(x);
    this.end();
    if (this.place !== this.before) this.put(this.view, this.place);
  }

  cancel() {
    this.end();
    announce("Moved back.");
  }

  scrollers() {
    return [[this.host, "x", this.node.offsetWidth * COLUMNS_PER_SECOND_MAX]];
  }
}
