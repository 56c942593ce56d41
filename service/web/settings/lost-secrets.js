// Secrets that must be set again, because the secret of the service has changed.

import { get } from "../core/api.js";
import { h } from "../core/dom.js";
import { organization } from "../core/organization.js";

/** Read a list of webhooks or tool servers; `isSecretLost` says which of them need a secret again (architects only). */
export async function readWithLostSecrets(path) {
  const [items, lost] = await Promise.all([get(path), organization.isArchitect ? readLostSecrets() : []]);
  const ids = new Set(lost.map(({ id }) => id));
  return items.map((item) => ({ ...item, isSecretLost: ids.has(item.id) }));
}

async function readLostSecrets() {
  try {
    return await get("/admin/lost-secrets");
  } catch (error) {
    if (error.status === 403) return []; // no architect any more, which this page learns in a moment
    throw error;
  }
}

/** Return what a row says about a lost secret, or nothing. */
export function lostSecretNote({ isSecretLost }) {
  const text = "Its secret is lost, because that of the service has changed. Set it again with Edit…";
  return isSecretLost && h("div.small", h("strong", text));
}
