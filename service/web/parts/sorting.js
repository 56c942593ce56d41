// Sorting a list by dragging: by mouse and finger, at a grip; keys have buttons of their own.

import { h, icon } from "../core/dom.js";
import { draggable } from "./carrying.js";
import { announce } from "./float.js";

const DOTS = "M5 3.5h.01M5 8h.01M5 12.5h.01M11 3.5h.01M11 8h.01M11 12.5h.01";

/** Draw what an entry of a list is dragged by. */
export function grip() {
  return h("span", { class: "grip", title: "Drag to another place" }, icon(DOTS));
}

/** Let the entries of a list be dragged: `find(id)` gives {title, order} of one, `put` is told its new place. */
export function sortable(list, find, put) {
  draggable(list, ({ target }) => {
    const node = target.closest(".grip")?.closest("li");
    const one = node && find(node.dataset.id);
    return one ? carried(list, node, one, put) : null;
  });
}

function carried(list, node, one, put) {
  let place = one.order;
  const others = () => [...list.children].filter(({ dataset }) => dataset.id !== one.id);
  const mark = (wanted) =>
    others().forEach((other, at, { length }) => {
      other.classList.toggle("drop-above", at === wanted);
      other.classList.toggle("drop-below", at === length - 1 && wanted === length);
    });
  const end = () => (node.classList.remove("lifted"), mark(null));

  function begin() {
    node.classList.add("lifted");
    announce(`${one.title} is lifted.`);
  }

  function over(x, y) {
    const isAbove = (other) => y < other.getBoundingClientRect().top + other.offsetHeight / 2;
    const found = others().findIndex(isAbove);
    mark((place = found < 0 ? others().length : found));
  }

  function drop(x, y) {
    over(x, y);
    end();
    if (place !== one.order) put(one, place);
  }

  function cancel() {
    end();
    announce("Put back.");
  }

  return { node, begin, over, drop, cancel, scrollers: () => [[list.closest(".now"), "y"]] };
}
