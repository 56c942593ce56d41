// The session: the token of the signed-in user, shared by all tabs.

import { serverNow } from "./clock.js";

const SESSION_KEY = "tandem.session";

/** Tells `session` when somebody signs in, or out in another tab, and `ended` when the token no longer holds. */
export const sessionEvents = new EventTarget();

let session = JSON.parse(localStorage.getItem(SESSION_KEY) || "null"); // {token, issuedAt, expiresAt, orgId, userId}

/** Give who is signed in: {orgId, userId}, or null. */
export function currentSession() {
  return session;
}

/** Keep a login answer for this and all other tabs. */
export function saveSession({ token, expiresAt, user }) {
  session = { token, issuedAt: new Date(serverNow()).toISOString(), expiresAt, orgId: user.orgId, userId: user.id };
  localStorage.setItem(SESSION_KEY, JSON.stringify(session));
  sessionEvents.dispatchEvent(new Event("session"));
}

/** Forget the token, in all tabs. */
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
  if (session?.token !== token) return; // somebody has signed in anew meanwhile
  clearSession();
  sessionEvents.dispatchEvent(new Event("ended"));
}
