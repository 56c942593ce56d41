// What cannot be drawn shows itself as such, and nothing else on the page fails.

import { h } from "./dom.js";

/**
 * Return what `draw()` returns. If it raises an error, report that in the console and return what `replace()` returns.
 * @template T
 * @param {() => T} draw
 * @param {() => T} replace
 * @returns {T}
 */
export function guard(draw, replace) {
  try {
    return draw();
  } catch (error) {
    console.error(error);
    return replace();
  }
}

/**
 * Return what `draw()` returns, a part of the page; instead of one that cannot be drawn, a sentence with its name.
 * @param {string} name
 * @param {() => import("./dom.js").Child} draw
 */
export function drawPart(name, draw) {
  return guard(draw, () => renderBroken(name));
}

/** Return a sentence that something cannot be shown. */
export function renderBroken(name) {
  return h("p.problem.small", `${name} cannot be shown.`);
}
