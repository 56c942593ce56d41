// Keeps the focus where elements are rendered again.

/** Render again with `draw()`, and restore the focus to the new version of the focused element. */
export function preserveFocus(place, draw) {
  const focused = document.activeElement;
  const key = place.contains(focused) ? elementKey(focused) : null;
  draw();
  if (key !== null && !focused.isConnected) restoreFocus(place, key);
}

function restoreFocus(place, key) {
  const all = [...place.querySelectorAll("a, button, input, select, textarea, [tabindex]")];
  const match = all.find((element) => elementKey(element) === key) ?? place.querySelector(".data-page");
  match?.focus({ preventScroll: true });
}

/** If a dialog closes whose opener was rendered again meanwhile, move the focus from the page to the new opener. */
export function trackFocus(host) {
  let key = null;
  const track = ({ target, relatedTarget }) => {
    if (target !== host) key = elementKey(target);
    else if (key !== null && !relatedTarget) restoreFocus(host, key);
  };
  host.addEventListener("focusin", track);
  return () => host.removeEventListener("focusin", track);
}

function elementKey(element) {
  const label = element.dataset.key ?? element.getAttribute("aria-label") ?? element.name ?? element.textContent;
  return `${element.closest("[data-id]")?.dataset.id ?? ""} ${element.tagName} ${label || element.textContent}`;
}
