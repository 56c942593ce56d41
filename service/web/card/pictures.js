// Pictures of an open card: the service's own files, by links that are valid for a minute.

import { post } from "../core/api.js";
import { h } from "../core/dom.js";
import { openUntilClosed } from "../ui/dialog.js";

const links = new WeakMap(); // open card -> Map of file id -> promise of its link
const near = new IntersectionObserver(handleNear, { rootMargin: "300px" });

/** Show the pictures in a text when they come near; a click shows them large. Those that cannot be shown stay as text. */
export function showPictures(open, element) {
  for (const image of element.querySelectorAll("img[data-file]")) {
    showPicture(open, image);
    if (!image.closest("a")) makeZoomable(image);
  }
}

/** Show the picture of a file in an element when it comes near. */
export function showPicture(open, image) {
  image.openCard = open;
  image.addEventListener("error", () => handleError(image));
  near.observe(image);
}

function handleNear(entries) {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    near.unobserve(target);
    load(target);
  }
}

async function load(image) {
  try {
    image.src = await getLink(image.openCard, image.dataset.file);
  } catch {
    replaceByText(image);
  }
}

/** Return the link of a file. It is kept, so that a picture that is drawn again comes from the memory of the browser. */
function getLink(open, id) {
  if (!links.has(open)) links.set(open, new Map());
  const known = links.get(open);
  if (!known.has(id)) known.set(id, post(`/files/${encodeURIComponent(id)}/link`).then(({ url }) => url));
  return known.get(id);
}

/** Try once more with a new link, since the known one may be over. */
function handleError(image) {
  if (image.isRepeated) return replaceByText(image);
  image.isRepeated = true;
  links.get(image.openCard).delete(image.dataset.file);
  load(image);
}

function replaceByText(image) {
  const place = image.closest(".picture") ?? image;
  place.replaceWith(h("span.muted", image.alt || "Picture"));
}

function makeZoomable(image) {
  const label = `Show ${image.alt || "the picture"}`;
  const button = h("button.picture", { "aria-label": label, click: () => openPicture(image.alt, image.cloneNode()) });
  image.replaceWith(button);
  button.append(image);
}

/** Show a picture in a dialog. */
export function openPicture(name, image) {
  return openUntilClosed(name || "Picture", h("div.large-picture", image), "form-dialog preview-dialog");
}
