// The base path: the path of the service's public address, below which everything of the page lies.

/** The base path, without a slash at its end: "/tandem", or "" as usual. */
export const BASE_PATH = new URL("..", import.meta.url).pathname.slice(0, -1);

/** The address of the service. */
export const SERVICE_URL = location.origin + BASE_PATH;

/** Return the address of a path of the service, such as "/search". */
export function pageUrl(path) {
  return BASE_PATH + path;
}
