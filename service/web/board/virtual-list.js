// A list that keeps only the visible entries in the document.

import { closest, h, reconcile, setAttribute } from "../core/dom.js";
import { guard } from "../core/guard.js";

const HEIGHT_PIXELS = 60; // of an entry that cannot be estimated
const OVERSCAN_PIXELS = 700; // pixels beyond the visible area that are rendered
const REDRAW_PIXELS = 150; // rendered pixels beyond the visible area below which more is rendered

/**
 * A virtual list inside a scrolling element. `draw(id, node)` returns the node of an entry, a new or the given one;
 * `estimate(id)` returns its estimated height.
 */
export class VirtualList {
  /** @type {string[]} */
  ids = [];
  /** @type {Map<string, number> | null} */
  indexes = null; // by id, made when it is asked for
  /** @type {{before: string | null, node: HTMLElement} | null} */
  placeholder = null;
  list = h("ol.entries");
  /** @type {Map<string, number>} */
  heights = new Map(); // measured heights by id
  /** @type {Map<string, HTMLElement>} */
  nodes = new Map(); // rendered nodes by id
  offsets = new Float64Array(1); // the offset of each entry
  /** @type {Set<string>} */
  pinned = new Set(); // stay in the document even if not visible
  from = 0;
  to = 0;
  isComplete = false; // whether all entries are rendered
  /** @type {number | undefined} */
  width = undefined; // of the scroller, when it was last measured
  /** @type {number | undefined} */
  height = undefined;

  /**
   * @param {HTMLElement} scroller
   * @param {{draw: (id: string, node?: HTMLElement) => HTMLElement, estimate: (id: string) => number}} options
   */
  constructor(scroller, { draw, estimate }) {
    this.scroller = scroller;
    this.draw = draw;
    this.estimate = (id) =>
      guard(
        () => estimate(id),
        () => HEIGHT_PIXELS
      );
    scroller.append(this.list);
    scroller.addEventListener("scroll", () => this.isCovered() || this.update(), { passive: true });
    this.resizing = new ResizeObserver(() => this.resize());
    this.resizing.observe(scroller);
  }

  /** Set the order of the entries. */
  set(ids) {
    this.ids = ids;
    this.indexes = null;
    const present = new Set(ids);
    for (const id of this.nodes.keys()) if (!present.has(id)) this.nodes.delete(id);
    this.updateOffsets();
    this.update();
  }

  /** Discard the measured heights of changed entries; the next set() renders and measures them. */
  discardHeights(ids) {
    for (const id of ids) this.heights.delete(id);
  }

  /**
   * Scroll to an entry and return its node.
   * @param {string} id
   * @param {ScrollLogicalPosition} [block]
   */
  reveal(id, block = "nearest") {
    const at = this.indexOf(id);
    if (at === undefined) return null;
    if (at < this.from || at >= this.to) {
      this.scroller.scrollTop = Math.max(0, this.offsets[at] - this.scroller.clientHeight / 3);
      this.update();
    }
    const node = this.nodes.get(id);
    node?.scrollIntoView({ block, inline: "nearest" });
    return node;
  }

  /** Return the index of an entry. */
  indexOf(id) {
    this.indexes ??= new Map(this.ids.map((id, at) => [id, at]));
    return this.indexes.get(id);
  }

  /** Show the placeholder `node` before an entry (null: at the end), or remove it (undefined). */
  showPlaceholder(before, node) {
    if (this.placeholder?.before === before && this.placeholder?.node === node) return;
    this.placeholder = before === undefined ? null : { before, node };
    this.render();
  }

  /** Render all entries, for a printer, or only the visible ones again. */
  renderAll(isComplete) {
    this.isComplete = isComplete;
    this.update();
  }

  resize() {
    const { clientWidth, clientHeight } = this.scroller;
    if (clientWidth !== this.width) this.heights.clear();
    if (clientWidth === this.width && clientHeight === this.height) return;
    this.keepFocusVisible(this.height - clientHeight);
    [this.width, this.height] = [clientWidth, clientHeight];
    this.updateOffsets();
    this.update();
  }

  /** Scroll to the focused entry if it was visible until the list lost some pixels of its height, as to a notice. */
  keepFocusVisible(lost) {
    const focused = document.activeElement.closest("li");
    if (!this.list.contains(focused)) return;
    const hidden = focused.getBoundingClientRect().bottom - this.scroller.getBoundingClientRect().bottom;
    if (hidden > 0 && hidden <= lost) this.scroller.scrollTop += hidden;
  }

  updateOffsets() {
    const { ids, heights } = this;
    const starts = new Float64Array(ids.length + 1);
    for (let at = 0; at < ids.length; at += 1) starts[at + 1] = starts[at] + (heights.get(ids[at]) ?? this.estimate(ids[at]));
    this.offsets = starts;
  }

  indexAt(pixel) {
    let [low, high] = [0, this.ids.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.offsets[middle + 1] <= pixel) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  isCovered() {
    const { scrollTop } = this.scroller;
    const isAbove = this.from === 0 || this.offsets[this.from] <= scrollTop - REDRAW_PIXELS;
    const isBelow = this.to >= this.ids.length || this.offsets[this.to] >= scrollTop + this.height + REDRAW_PIXELS;
    return isAbove && isBelow;
  }

  /** Render the visible entries and those near them. */
  update() {
    if (this.height === undefined) [this.width, this.height] = [this.scroller.clientWidth, this.scroller.clientHeight];
    const { scrollTop } = this.scroller;
    const first = this.indexAt(scrollTop);
    const anchor = this.ids[first];
    const offset = this.offsets[first] - scrollTop;
    this.from = this.isComplete ? 0 : this.indexAt(scrollTop - OVERSCAN_PIXELS);
    const last = this.isComplete ? this.ids.length : this.indexAt(scrollTop + this.height + OVERSCAN_PIXELS) + 1;
    this.to = Math.min(this.ids.length, last);
    this.render();
    if (this.isComplete) return;
    if (this.measure()) this.restoreScroll(anchor, offset);
  }

  render() {
    const visible = new Set(this.ids.slice(this.from, this.to));
    const [above, below] = [[], []];
    for (const id of this.pinnedIds()) {
      if (!visible.has(id)) (this.indexOf(id) < this.from ? above : below).push(id);
    }
    const rendered = new Set([...above, ...visible, ...below]);
    for (const id of this.nodes.keys()) if (!rendered.has(id)) this.nodes.delete(id);
    const nodes = [];
    for (const id of rendered) {
      if (this.placeholder?.before === id) nodes.push(this.placeholder.node);
      const node = this.draw(id, this.nodes.get(id));
      node.classList.toggle("hidden", !visible.has(id));
      setAttribute(node, "aria-posinset", this.indexOf(id) + 1);
      setAttribute(node, "aria-setsize", this.ids.length);
      this.nodes.set(id, node);
      nodes.push(node);
    }
    if (this.placeholder?.before === null) nodes.push(this.placeholder.node);
    reconcile(this.list, nodes);
    this.applyPadding();
  }

  pinnedIds() {
    const focused = this.list.contains(document.activeElement) ? closest(document.activeElement, "li")?.dataset.id : null;
    return [...this.pinned, focused].filter((id) => id && this.indexOf(id) !== undefined);
  }

  applyPadding() {
    this.list.style.paddingTop = `${this.offsets[this.from]}px`;
    this.list.style.paddingBottom = `${this.offsets[this.ids.length] - this.offsets[this.to]}px`;
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
      isOther ||= height !== this.offsets[at + 1] - this.offsets[at];
    }
    return isOther;
  }

  /** Keep the scroll position of an entry after the heights above it have changed. */
  restoreScroll(anchor, offset) {
    this.updateOffsets();
    this.applyPadding();
    if (anchor === undefined || this.scroller.scrollTop === 0) return;
    const visible = this.offsets[this.indexOf(anchor)] - offset;
    if (Math.abs(visible - this.scroller.scrollTop) >= 1) this.scroller.scrollTop = visible;
    if (!this.isCovered()) this.update();
  }
}
