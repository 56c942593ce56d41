// Addresses of the page: which page an address names, and navigation without reloading.

import { BASE_PATH, pageUrl } from "./base-path.js";
import { closest } from "./dom.js";

/** @type {[name: string, pattern: RegExp][]} */
const PAGES = [
  ["home", /^\/$/],
  ["my-cards", /^\/my-cards$/],
  ["board", /^\/b\/([^/]+)$/],
  ["board", /^\/b\/([^/]+)\/c\/([^/]+)$/],
  ["board-settings", /^\/b\/([^/]+)\/design$/],
  ["agents", /^\/agents$/],
  ["agent", /^\/agents\/([^/]+)$/],
  ["reports", /^\/(?:reports|figures)$/], // /figures: its former address
  ["search", /^\/search$/],
  ["archive", /^\/archive$/],
  ["profile", /^\/me$/],
  ["members", /^\/settings\/members$/],
  ["permissions", /^\/settings\/permissions$/],
  ["api-keys", /^\/settings\/keys$/],
  ["tool-servers", /^\/settings\/tools$/],
  ["prompts", /^\/settings\/prompts$/],
  ["webhooks", /^\/settings\/webhooks$/],
  ["data", /^\/settings\/data$/],
  ["signin", /^\/sign-in$/]
];

/** Dispatches `change` when the address has changed. */
export const router = new EventTarget();

/**
 * Parse an address into {name, project, card, query, pathname}, whose pathname lacks the base path. `project` is the first
 * id in it, `name` null without a page.
 */
export function parseAddress(url) {
  const { pathname: path, searchParams } = new URL(url, location.origin);
  const pathname = path.startsWith(pageUrl("/")) ? path.slice(BASE_PATH.length) : path === BASE_PATH ? "/" : path;
  for (const [name, pattern] of PAGES) {
    const found = pattern.exec(pathname);
    if (found) return { name, project: decodePart(found[1]), card: decodePart(found[2]), query: searchParams, pathname };
  }
  return { name: null, project: null, card: null, query: searchParams, pathname };
}

function decodePart(text) {
  try {
    return text === undefined ? null : decodeURIComponent(text);
  } catch {
    return text; // an invalid escape; the service will not find it
  }
}

/** Return the address of a board, or of a card on it. */
export function boardUrl(projectId, cardId, query = "") {
  const board = pageUrl(`/b/${encodeURIComponent(projectId)}`);
  return (cardId ? `${board}/c/${encodeURIComponent(cardId)}` : board) + query;
}

/** Navigate to an address; with `replace`, without an entry in the history. */
export function navigate(address, replace = false) {
  const target = keepFilter(address);
  if (target === location.pathname + location.search) return;
  history[replace ? "replaceState" : "pushState"](null, "", target);
  router.dispatchEvent(new Event("change"));
}

/** Return an address; that of a card on the board that is shown with the filter of the board. */
function keepFilter(address) {
  const [here, there] = [parseAddress(location.href), parseAddress(address)];
  const isOnBoard = there.card && here.name === "board" && here.project === there.project && !there.query.size;
  return isOnBoard ? address.replace(/(?=#)|$/, () => location.search) : address;
}

addEventListener("popstate", () => router.dispatchEvent(new Event("change")));

// A plain click on a link of the page navigates without reloading; with a modifier the browser does what it always does.
document.addEventListener("click", (event) => {
  const link = closest(event.target, "a[href^='/']");
  const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
  if (!link || !isPlain || link.target || link.download || event.defaultPrevented) return;
  if (link.origin !== location.origin || parseAddress(link.href).name === null) return;
  event.preventDefault();
  navigate(link.getAttribute("href"));
});
