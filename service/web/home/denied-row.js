// A denied request of an agent as a row of Home.

import { serverNow } from "../core/clock.js";
import { h } from "../core/dom.js";
import { denialText } from "../core/error-text.js";
import { formatAge, formatDateTime, formatNumber, isolate, phrase } from "../core/format.js";
import { markIcon } from "../core/icons.js";

/** Render a denied request of an agent with the number of attempts. */
export function renderDeniedRow(refusal, { agents, names }) {
  const who = agents.find(({ id }) => id === refusal.agentId)?.title ?? refusal.agentId;
  const times = refusal.count > 1 ? `${formatNumber(refusal.count)}× · ` : "";
  const to = refusal.toColumnId ? phrase`→ ${names.column(refusal.toColumnId)}` : "";
  const about = [isolate(refusal.title ?? ""), to].filter(Boolean).join(" ");
  const when = h(
    "span.muted.small.number",
    { title: formatDateTime(refusal.lastAt) },
    `${times}${formatAge(refusal.lastAt, serverNow())}`
  );
  const sentence = h("div", h("strong", who), `: ${denialText(refusal.code)}`);
  const what = h("div.what", sentence, h("div.small", about));
  return h("li.item", markIcon("stop", "danger"), what, when);
}
