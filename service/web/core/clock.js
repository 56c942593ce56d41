// The service's clock as this page knows it, and the time that a claim has left by it.

let skew = 0;

/** Return the service's time in milliseconds. */
export function serverNow() {
  return Date.now() + skew;
}

/** Correct the clock by a time that the service sent. */
export function syncClock(text) {
  const offset = Date.parse(text) - Date.now();
  if (Math.abs(offset - skew) > 400) skew = offset;
}

/** Return the milliseconds that a claim has left, and the scale of its progress bar. */
export function claimProgress({ claimedAt, renewedAt, expiresAt }) {
  const left = Date.parse(expiresAt) - serverNow();
  const total = Date.parse(expiresAt) - Date.parse(renewedAt ?? claimedAt);
  return { rest: left, scale: `scaleX(${Math.max(0, Math.min(1, left / total))})` };
}
