// The session: the token of the signed-in user, shared by all tabs.

import { BASE_PATH } from "./base-path.js";
import { serverNow } from "./clock.js";
import { storeValue } from "./storage.js";

const SESSION_KEY = "tandem.session" + BASE_PATH; // another service may have the same origin

/** Dispatches `session` after a sign-in, or a sign-out in another tab, and `ended` when the token is no longer valid. */
export const sessionEvents = new EventTarget();

let session = JSON.parse(localStorage.getItem(SESSION_KEY) || "null"); // {token, issuedAt, expiresAt, orgId, userId}

/** Return the session, {token, issuedAt, expiresAt, orgId, userId}, or null. */
export function currentSession() {
  return session;
}

/** Save the session of a login response, for all tabs. */
export function saveSession({ token, expiresAt, user }) {
  session = { token, issuedAt: new Date(serverNow()).toISOString(), expiresAt, orgId: user.orgId, userId: user.id };
  storeValue(SESSION_KEY, JSON.stringify(session));
  sessionEvents.dispatchEvent(new Event("session"));
}

/** Sign out, in all tabs. */
export function clearSession() {
  session = null;
  localStorage.removeItem(SESSION_KEY);
}

addEventListener("storage", ({ key, newValue }) => {
  if (key !== SESSION_KEY && key !== null) return;
  session = JSON.parse(newValue || "null");
  sessionEvents.dispatchEvent(new Event("session"));
});

export function expireSession(token) {
  if (session?.token !== token) return; // there is a newer session
  clearSession();
  sessionEvents.dispatchEvent(new Event("ended"));
}
