// Addresses: which screen an address names, and how to get there without loading the page anew.

const SCREENS = [
  ["now", /^\/$/],
  ["board", /^\/b\/([^/]+)$/],
  ["board", /^\/b\/([^/]+)\/c\/([^/]+)$/],
  [null, /^\/(agents|figures|me)$/],
  ["search", /^\/(search|archive)$/],
  ["members", /^\/settings\/(members|permissions)$/],
  ["keys", /^\/settings\/(keys|tools)$/],
  ["webhooks", /^\/settings\/(webhooks|data)$/],
  ["prompts", /^\/settings\/prompts$/],
  ["design", /^\/b\/([^/]+)\/design$/],
  ["agent", /^\/agents\/([^/]+)$/],
  ["signin", /^\/sign-in$/]
];

/** Tells `change` when the address has changed. */
export const route = new EventTarget();

/** Read an address: {name, project, card, query}, the project or what else a screen shows; without such a page no name. */
export function parse(url) {
  const { pathname, searchParams } = new URL(url, location.origin);
  for (const [name, pattern] of SCREENS) {
    const found = pattern.exec(pathname);
    if (found) return { name: name ?? found[1], project: part(found[1]), card: part(found[2]), query: searchParams, pathname };
  }
  return { name: null, project: null, card: null, query: searchParams, pathname };
}

function part(text) {
  try {
    return text === undefined ? null : decodeURIComponent(text);
  } catch {
    return text; // a stray % names nothing, and the service will say so
  }
}

/** Write the address of a board, or of a card on it. */
export function boardAddress(projectId, cardId, query = "") {
  const board = `/b/${encodeURIComponent(projectId)}`;
  return (cardId ? `${board}/c/${encodeURIComponent(cardId)}` : board) + query;
}

/** Write the address of a search over all boards. */
export function searchAddress(words) {
  return `/search?${new URLSearchParams({ q: words })}`;
}

/** Go to an address; `replace` leaves no step back. */
export function go(address, replace = false) {
  if (address === location.pathname + location.search) return;
  history[replace ? "replaceState" : "pushState"]({ within: true }, "", address);
  route.dispatchEvent(new Event("change"));
}

/** Go back where the page has been before, or to an address if it was opened just here. */
export function back(otherwise) {
  if (history.state?.within) history.back();
  else go(otherwise, true);
}

addEventListener("popstate", () => route.dispatchEvent(new Event("change")));

// A plain click on a link of the page stays in the page; with a modifier the browser does what it always does.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='/']");
  const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (!link || !isPlain || link.target || link.download || event.defaultPrevented || parse(link.href).name === null)
    return;
  event.preventDefault();
  go(link.getAttribute("href"));
});
