// A list that keeps only the visible entries in the document.

import { h, reconcile, setAttribute } from "../core/dom.js";

const OVERSCAN_PIXELS = 700; // pixels beyond the visible area that are rendered
const REDRAW_PIXELS = 150; // rendered pixels beyond the visible area below which more is rendered

/**
 * A virtual list inside a scrolling element. `draw(id, node)` returns the node of an entry, a new or the given one; `guess(id)`
 * returns its estimated height.
 */
export class VirtualList {
  constructor(scroller, { draw, guess }) {
    Object.assign(this, { scroller, draw, guess, ids: [], places: new Map(), gap: null });
    this.list = h("ol.entries");
    this.heights = new Map(); // measured heights by id
    this.nodes = new Map(); // rendered nodes by id
    this.starts = new Float64Array(1); // the offset of each entry
    this.kept = new Set(); // stay in the document even if not visible
    this.from = this.to = 0;
    scroller.append(this.list);
    scroller.addEventListener("scroll", () => this.isNear() || this.show(), { passive: true });
    this.resizing = new ResizeObserver(() => this.resize());
    this.resizing.observe(scroller);
  }

  /** Set the order of the entries. */
  set(ids) {
    this.ids = ids;
    this.places = null;
    const known = new Set(ids);
    for (const id of this.nodes.keys()) if (!known.has(id)) this.nodes.delete(id);
    this.sum();
    this.show();
  }

  /** Discard the measured heights of changed entries; the next set() renders and measures them. */
  forget(ids) {
    for (const id of ids) this.heights.delete(id);
  }

  /** Scroll to an entry and return its node. */
  reveal(id, block = "nearest") {
    const at = this.place(id);
    if (at === undefined) return null;
    if (at < this.from || at >= this.to) {
      this.scroller.scrollTop = Math.max(0, this.starts[at] - this.scroller.clientHeight / 3);
      this.show();
    }
    const node = this.nodes.get(id);
    node?.scrollIntoView({ block, inline: "nearest" });
    return node;
  }

  /** Return the index of an entry. */
  place(id) {
    this.places ??= new Map(this.ids.map((one, at) => [one, at]));
    return this.places.get(id);
  }

  /** Show the placeholder `node` before an entry (null: at the end), or remove it (undefined). */
  open(before, node) {
    if (this.gap?.before === before && this.gap?.node === node) return;
    this.gap = before === undefined ? null : { before, node };
    this.fill();
  }

  resize() {
    const { clientWidth, clientHeight } = this.scroller;
    if (clientWidth !== this.width) this.heights.clear();
    if (clientWidth === this.width && clientHeight === this.height) return;
    [this.width, this.height] = [clientWidth, clientHeight];
    this.sum();
    this.show();
  }

  sum() {
    const { ids, heights } = this;
    const starts = new Float64Array(ids.length + 1);
    for (let at = 0; at < ids.length; at += 1)
      starts[at + 1] = starts[at] + (heights.get(ids[at]) ?? this.guess(ids[at]));
    this.starts = starts;
  }

  at(pixel) {
    let [low, high] = [0, this.ids.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.starts[middle + 1] <= pixel) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  isNear() {
    const { scrollTop } = this.scroller;
    const isAbove = this.from === 0 || this.starts[this.from] <= scrollTop - REDRAW_PIXELS;
    const isBelow = this.to >= this.ids.length || this.starts[this.to] >= scrollTop + this.height + REDRAW_PIXELS;
    return isAbove && isBelow;
  }

  /** Render the visible entries and those near them. */
  show() {
    if (this.height === undefined) [this.width, this.height] = [this.scroller.clientWidth, this.scroller.clientHeight];
    const { scrollTop } = this.scroller;
    const first = this.at(scrollTop);
    const anchor = this.ids[first];
    const offset = this.starts[first] - scrollTop;
    this.from = this.at(scrollTop - OVERSCAN_PIXELS);
    this.to = Math.min(this.ids.length, this.at(scrollTop + this.height + OVERSCAN_PIXELS) + 1);
    this.fill();
    if (this.measure()) this.hold(anchor, offset);
  }

  fill() {
    const wanted = new Set(this.ids.slice(this.from, this.to));
    const [above, below] = [[], []];
    for (const id of this.staying()) {
      if (!wanted.has(id)) (this.place(id) < this.from ? above : below).push(id);
    }
    const shown = new Set([...above, ...wanted, ...below]);
    for (const id of this.nodes.keys()) if (!shown.has(id)) this.nodes.delete(id);
    const nodes = [];
    for (const id of shown) {
      if (this.gap?.before === id) nodes.push(this.gap.node);
      const node = this.draw(id, this.nodes.get(id));
      node.classList.toggle("hidden", !wanted.has(id));
      setAttribute(node, "aria-posinset", this.place(id) + 1);
      setAttribute(node, "aria-setsize", this.ids.length);
      this.nodes.set(id, node);
      nodes.push(node);
    }
    if (this.gap?.before === null) nodes.push(this.gap.node);
    reconcile(this.list, nodes);
    this.pad();
  }

  staying() {
    const focused = this.list.contains(document.activeElement)
      ? document.activeElement.closest("li")?.dataset.id
      : null;
    return [...this.kept, focused].filter((id) => id && this.place(id) !== undefined);
  }

  pad() {
    this.list.style.paddingTop = `${this.starts[this.from]}px`;
    this.list.style.paddingBottom = `${this.starts[this.ids.length] - this.starts[this.to]}px`;
  }

  /** Measure rendered entries whose height was estimated; return whether an estimate was wrong. */
  measure() {
    let isOther = false;
    for (let at = this.from; at < this.to; at += 1) {
      const id = this.ids[at];
      if (this.heights.has(id)) continue;
      const height = this.nodes.get(id).offsetHeight;
      if (!height) return isOther; // not visible
      this.heights.set(id, height);
      isOther ||= height !== this.starts[at + 1] - this.starts[at];
    }
    return isOther;
  }

  /** Keep the scroll position of an entry after the heights above it have changed. */
  hold(anchor, offset) {
    this.sum();
    this.pad();
    if (anchor === undefined || this.scroller.scrollTop === 0) return;
    const wanted = this.starts[this.place(anchor)] - offset;
    if (Math.abs(wanted - this.scroller.scrollTop) >= 1) this.scroller.scrollTop = wanted;
    if (!this.isNear()) this.show();
  }
}
