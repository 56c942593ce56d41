// The service's clock as this page knows it, and the time that a claim has left by it.

let skew = 0;

/** Give the service's time in milliseconds, as well as it is known here. */
export function serverNow() {
  return Date.now() + skew;
}

/** Note the service's time as an answer told it. */
export function syncClock(text) {
  const told = Date.parse(text) - Date.now();
  if (Math.abs(told - skew) > 400) skew = told;
}

/** Give the milliseconds that a claim has left, and how far that shrinks its bar. */
export function claimProgress({ claimedAt, renewedAt, expiresAt }) {
  const rest = Date.parse(expiresAt) - serverNow();
  const whole = Date.parse(expiresAt) - Date.parse(renewedAt ?? claimedAt);
  return { rest, scale: `scaleX(${Math.max(0, Math.min(1, rest / whole))})` };
}
