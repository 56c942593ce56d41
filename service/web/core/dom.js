// Helpers that create and update DOM elements, from text nodes and properties only. They limit the marks of texts.

import { limitMarks } from "./marks.js";

/**
 * What an element contains; null, undefined and false are skipped.
 * @typedef {Node | string | false | null | undefined | Child[]} Child
 */

/**
 * Attributes of an element by name; functions are listeners, `style` holds properties.
 * @typedef {string | number | boolean | null | undefined | ((event: any) => unknown) | Record<string, string>} Attribute
 * @typedef {Record<string, Attribute>} Attributes
 */

/**
 * The class of an element that is created by tag and classes ("p.small.muted").
 * @template {string} Name
 * @typedef {TagOf<Name> extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[TagOf<Name>] : HTMLElement} ElementOf
 */

/**
 * @template {string} Name
 * @typedef {Name extends `${infer Tag}.${string}` ? Tag : Name} TagOf
 */

/**
 * The class of the elements that a selector finds: HTMLAnchorElement by "nav a[href]", HTMLElement by several or no tag.
 * @template {string} Selector
 * @typedef {Selector extends `${string},${string}` ? HTMLElement :
 *   Selector extends `${string} ${infer Last}` ? Selected<Last> :
 *   Selector extends `${infer Start}${"." | "[" | ":" | "#"}${string}` ? ElementOf<Start> : ElementOf<Selector>} Selected
 */

// The elements that show or take texts that people write. Each follows the direction of its own text.
const TEXT_TAGS = /^(h\d|p|a|span|strong|t[dh]|d[dt]|pre|option|input|textarea)$/;

/**
 * Create an element as `createElement` does; a text in it is shown and written in its own direction.
 * @template {string} Name
 * @param {Name} name
 * @param {Attributes | Child} [attributes]
 * @param {...Child} children
 * @returns {ElementOf<Name>}
 */
export function h(name, attributes, ...children) {
  const element = createElement(name, attributes, ...children);
  if (TEXT_TAGS.test(element.localName)) element.dir ||= "auto";
  return element;
}

/**
 * Create an element by tag and classes (`p.small.muted`). Attributes are optional: functions become listeners, `style` holds
 * properties, null and false are skipped.
 * @template {string} Name
 * @param {Name} name
 * @param {Attributes | Child} [attributes]
 * @param {...Child} children
 * @returns {ElementOf<Name>}
 */
export function createElement(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = /** @type {ElementOf<Name>} */ (document.createElement(tag));
  if (element instanceof HTMLButtonElement) element.type = "button"; // else it would submit a form
  if (classes.length) element.className = classes.join(" ");
  if (!isAttributes(attributes)) return appendChildren(element, [attributes, ...children]);
  for (const [key, value] of Object.entries(attributes)) applyAttribute(element, key, value);
  return appendChildren(element, children);
}

const SHOWN = new Set(["alt", "aria-label", "label", "placeholder", "title"]); // attributes that people see or hear

const shownValue = (/** @type {string} */ name, value) =>
  SHOWN.has(name) && typeof value === "string" ? limitMarks(value) : value;

/** @returns {value is Attributes} */
const isAttributes = (/** @type {Attributes | Child} */ value) => value?.constructor === Object;

/** @returns {value is false | null | undefined} */
const isNone = (/** @type {unknown} */ value) => (value ?? false) === false;

function applyAttribute(element, name, value) {
  if (isNone(value)) return;
  if (typeof value === "function") element.addEventListener(name, value);
  else if (name === "style") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
  else if (name === "class") element.className = value;
  else element.setAttribute(name, value === true ? "" : shownValue(name, value));
}

/**
 * Append children to an element and return it. Arrays are flattened, null and false skipped.
 * @template {Element} T
 * @param {T} element
 * @param {Child[]} children
 */
export function appendChildren(element, children) {
  for (const child of children) {
    if (isNone(child)) continue;
    if (Array.isArray(child)) appendChildren(element, child);
    else element.append(typeof child === "string" ? limitMarks(child) : child);
  }
  return element;
}

/**
 * Replace the children of an element and return it. Arrays are flattened, null and false skipped.
 * @template {Element} T
 * @param {T} element
 * @param {...Child} children
 */
export function replaceChildren(element, ...children) {
  element.replaceChildren();
  return appendChildren(element, children);
}

/**
 * Return the first element that a selector finds, or null.
 * @template {string} Selector
 * @param {ParentNode} root
 * @param {Selector} selector
 * @returns {Selected<Selector> | null}
 */
export function query(root, selector) {
  return /** @type {any} */ (root.querySelector(selector));
}

/**
 * Return all elements that a selector finds.
 * @template {string} Selector
 * @param {ParentNode} root
 * @param {Selector} selector
 * @returns {Selected<Selector>[]}
 */
export function queryAll(root, selector) {
  return /** @type {any} */ ([...root.querySelectorAll(selector)]);
}

/**
 * Return the element around an event's target, or the target itself, that a selector finds; null without one.
 * @template {string} Selector
 * @param {EventTarget | null} target
 * @param {Selector} selector
 * @returns {Selected<Selector> | null}
 */
export function closest(target, selector) {
  return target instanceof Element ? /** @type {any} */ (target.closest(selector)) : null;
}

/** Make `nodes` the children of `parent`, so that focus and scroll positions survive where the browser can move nodes. */
export function reconcile(parent, nodes) {
  const keep = new Set(nodes);
  for (const node of [...parent.childNodes]) if (!keep.has(node)) node.remove();
  let place = parent.firstChild;
  for (const node of nodes) {
    if (node === place) place = place.nextSibling;
    else if (parent.moveBefore && node.parentNode === parent) parent.moveBefore(node, place);
    else parent.insertBefore(node, place);
  }
}

/**
 * Return the element that has the focus.
 * @returns {HTMLElement | null}
 */
export function focusedElement() {
  return /** @type {HTMLElement | null} */ (document.activeElement);
}

/** Set an attribute, or remove it with null or false. An unchanged value is not written. */
export function setAttribute(element, name, value) {
  if (isNone(value)) return element.removeAttribute(name);
  const shown = String(shownValue(name, value));
  if (element.getAttribute(name) !== shown) element.setAttribute(name, shown);
}

/** Set the text of an element. An unchanged text is not written. */
export function setText(element, text) {
  const shown = limitMarks(String(text ?? ""));
  if (element.textContent !== shown) element.textContent = shown;
}

/** Return a colour swatch. */
export function colorSwatch(color) {
  return h("span.swatch", { style: { background: color } });
}

/** Return a field with a label above it. */
export function labelField(label, field) {
  return h("label.labelled", h("span", label), field);
}
