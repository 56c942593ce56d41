// Keeps the focus where elements are rendered again.

/** Draw something anew and give the focus back to what took its place. */
export function preserveFocus(place, draw) {
  const had = document.activeElement;
  const key = place.contains(had) ? elementKey(had) : null;
  draw();
  if (key !== null && !had.isConnected) restoreFocus(place, key);
}

function restoreFocus(place, key) {
  const all = [...place.querySelectorAll("a, button, input, select, textarea, [tabindex]")];
  const same = all.find((one) => elementKey(one) === key) ?? place.querySelector(".data-page");
  same?.focus({ preventScroll: true });
}

/** When a dialog closes whose opener was drawn anew meanwhile, the screen itself gets the focus: hand it on to the new one. */
export function trackFocus(host) {
  let key = null;
  const note = ({ target, relatedTarget }) => {
    if (target !== host) key = elementKey(target);
    else if (key !== null && !relatedTarget) restoreFocus(host, key);
  };
  host.addEventListener("focusin", note);
  return () => host.removeEventListener("focusin", note);
}

function elementKey(element) {
  const own = element.dataset.key ?? element.getAttribute("aria-label") ?? element.name ?? element.textContent;
  return `${element.closest("[data-id]")?.dataset.id ?? ""} ${element.tagName} ${own || element.textContent}`;
}
