// Settings that the page keeps in this browser.

/** Keep a value in the storage of the browser, if it has room: a setting that is not kept must not stop what a user does. */
export function storeValue(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The value applies until the page is closed.
  }
}
