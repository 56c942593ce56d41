// Pictures of an open card: the service's own files, by links that are valid for a minute.

import { post } from "../core/api.js";
import { h } from "../core/dom.js";

const links = new WeakMap(); // open card -> Map of file id -> promise of its link
const near = new IntersectionObserver(handleNear, { rootMargin: "300px" });

/** Show the pictures in a text when they come near; a click calls `zoom({id, name})`. Missing ones become text. */
export function showPictures(open, element, zoom) {
  for (const image of element.querySelectorAll("img[data-file]")) {
    const place = image.closest("a") ? image : makeButton(image, zoom);
    showPicture(open, image, () => place.replaceWith(h("span.muted", image.alt || "Picture")));
  }
}

function makeButton(image, zoom) {
  const file = { id: image.dataset.file, name: image.alt };
  const attributes = { class: "picture", "aria-label": `Show ${image.alt || "the picture"}` };
  const button = h("button", { ...attributes, click: () => zoom(file) });
  image.replaceWith(button);
  button.append(image);
  return button;
}

/** Show the picture of a file in an element when it comes near; `fail()` is called if it cannot be shown. */
export function showPicture(open, image, fail) {
  let isRepeated = false;
  image.load = async () => {
    try {
      image.src = await getLink(open, image.dataset.file);
    } catch {
      fail();
    }
  };
  image.addEventListener("error", () => {
    if (isRepeated) return fail();
    isRepeated = true; // once more with a new link, since the known one may be over
    links.get(open).delete(image.dataset.file);
    image.load();
  });
  near.observe(image);
}

function handleNear(entries) {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    near.unobserve(target);
    target.load();
  }
}

/** Return the link of a file. It is kept, so that a picture that is drawn again comes from the memory of the browser. */
function getLink(open, id) {
  if (!links.has(open)) links.set(open, new Map());
  const known = links.get(open);
  if (!known.has(id)) {
    const link = post(`/files/${encodeURIComponent(id)}/link`).then(({ url }) => url);
    known.set(id, link);
    link.catch(() => known.delete(id)); // so that it is asked for again when the text is drawn again
  }
  return known.get(id);
}
