// The card that an agent has claimed, with the time left.

import { claimProgress, serverNow } from "../core/clock.js";
import { h, setText } from "../core/dom.js";
import { formatAge, formatTimeLeft, phrase } from "../core/format.js";
import { boardUrl } from "../core/router.js";

/** Return a claimed card with the time left. */
export function renderClaimRow(claim) {
  const time = h("span.number");
  const bar = h("i");
  const link = h("a.title", { href: boardUrl(claim.projectId, claim.cardKey) }, claim.title);
  const since = h("span.muted", phrase` · ${claim.column} · ${formatAge(claim.claimedAt, serverNow())}`);
  const description = h("div.small", link, since);
  const row = h("div.claim-row", description, time, h("span.claim-bar", bar));
  return Object.assign(row, { claim, time, bar });
}

/** Update the time left. */
export function updateClaimRow({ claim, time, bar }) {
  const { rest, scale } = claimProgress(claim);
  setText(time, rest > 0 ? formatTimeLeft(rest) : "over");
  bar.style.transform = scale;
}

/** Update the time left of all claims every second, until the page is left. */
export function keepClaimsCurrent(host, screen) {
  const timer = setInterval(() => document.hidden || host.querySelectorAll(".claim-row").forEach(updateClaimRow), 1000);
  return { ...screen, leave: () => (clearInterval(timer), screen.leave()) };
}
