// Helpers that create and update DOM elements, from text nodes and properties only.

/**
 * Make an element, named with its classes (`p.small.muted`); of attributes, which may be left out, functions are listeners,
 * `style` holds properties, and null and false are none.
 */
export function h(name, attributes, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (tag === "button") element.type = "button"; // sends no form unless it says so
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

/** Put children behind those that an element has; lists are opened, null and false left out. */
export function appendChildren(element, children) {
  for (const child of children) {
    if (isNone(child)) continue;
    if (Array.isArray(child)) appendChildren(element, child);
    else element.append(child);
  }
  return element;
}

/** Give an element these children instead of those it has. */
export function replaceChildren(element, ...children) {
  element.replaceChildren();
  return appendChildren(element, children);
}

/** Bring children into this order and drop all others, moving only what is out of place: focus and scroll survive. */
export function reconcile(parent, nodes) {
  const wanted = new Set(nodes);
  for (const node of [...parent.childNodes]) if (!wanted.has(node)) node.remove();
  let place = parent.firstChild;
  for (const node of nodes) {
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
  }
}

/** Set an attribute, or take it away with null or false; nothing is written that is there already. */
export function setAttribute(element, name, value) {
  if (isNone(value)) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/** Change a text without touching the document if it says so already. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Draw a colour. */
export function colorSwatch(color) {
  return h("span.swatch", { style: { background: color } });
}

/** Put words over a field. */
export function labelField(words, field) {
  return h("label.labelled", h("span", words), field);
}
