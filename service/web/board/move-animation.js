// Animates entries from their previous to their new position (FLIP).

const CARDS_MAX = 30; // more moves at once are not animated
const GLIDE = { duration: 220, easing: "cubic-bezier(.2,.7,.2,1)" };
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

export class MoveAnimation {
  constructor(nodeOf) {
    this.nodeOf = nodeOf;
  }

  /** Return the current positions of entries. */
  before(ids) {
    if (reducedMotion.matches || ids.size > CARDS_MAX || document.hidden) return [];
    return [...ids].flatMap((id) => {
      const node = this.nodeOf(id);
      return node?.isConnected && !node.classList.contains("hidden") ? [{ id, node, box: node.getBoundingClientRect() }] : [];
    });
  }

  /** Animate the entries that have moved since, and highlight the others. */
  after(positions) {
    for (const { id, node, box } of positions) {
      const now = this.nodeOf(id);
      if (!now || now.classList.contains("hidden")) continue;
      const { left, top } = now.getBoundingClientRect();
      const [x, y] = [box.left - left, box.top - top];
      if (Math.abs(x) + Math.abs(y) > 2) now.animate([{ transform: `translate(${x}px, ${y}px)`, zIndex: 1 }, {}], GLIDE);
      else if (node === now) this.light(now);
    }
  }

  light(node) {
    node.animate([{ backgroundColor: "var(--accent-soft)" }, {}], { duration: 900 });
  }
}
