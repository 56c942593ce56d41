// Helpers that create and update DOM elements, from text nodes and properties only.

// The elements that show or take texts that people write. Each follows the direction of its own text.
const TEXT_TAGS = /^(h\d|p|a|span|strong|t[dh]|d[dt]|pre|option|input|textarea)$/;

/** Create an element as `createElement` does; a text in it is shown and written in its own direction. */
export function h(name, attributes, ...children) {
  const element = createElement(name, attributes, ...children);
  if (TEXT_TAGS.test(element.localName)) element.dir ||= "auto";
  return element;
}

/**
 * Create an element by tag and classes (`p.small.muted`). Attributes are optional: functions become listeners, `style` holds
 * properties, null and false are skipped.
 */
export function createElement(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (tag === "button") element.type = "button"; // else it would submit a form
  if (classes.length) element.className = classes.join(" ");
  if (attributes?.constructor !== Object) return appendChildren(element, [attributes, ...children]);
  for (const key in attributes) applyAttribute(element, key, attributes[key]);
  return appendChildren(element, children);
}

const isNone = (value) => (value ?? false) === false;

function applyAttribute(element, name, value) {
  if (isNone(value)) return;
  if (typeof value === "function") element.addEventListener(name, value);
  else if (name === "style") for (const key in value) element.style.setProperty(key, value[key]);
  else if (name === "class") element.className = value;
  else element.setAttribute(name, value === true ? "" : value);
}

/** Append children to an element. Arrays are flattened, null and false skipped. */
export function appendChildren(element, children) {
  for (const child of children) {
    if (isNone(child)) continue;
    if (Array.isArray(child)) appendChildren(element, child);
    else element.append(child);
  }
  return element;
}

/** Replace the children of an element. Arrays are flattened, null and false skipped. */
export function replaceChildren(element, ...children) {
  element.replaceChildren();
  return appendChildren(element, children);
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

/** Set an attribute, or remove it with null or false. An unchanged value is not written. */
export function setAttribute(element, name, value) {
  if (isNone(value)) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/** Set the text of an element. An unchanged text is not written. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Return a colour swatch. */
export function colorSwatch(color) {
  return h("span.swatch", { style: { background: color } });
}

/** Return a field with a label above it. */
export function labelField(label, field) {
  return h("label.labelled", h("span", label), field);
}
