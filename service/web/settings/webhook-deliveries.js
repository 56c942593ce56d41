// The deliveries of a webhook.

import { get } from "../core/api.js";
import { serverNow } from "../core/clock.js";
import { h, replaceChildren } from "../core/dom.js";
import { plainErrorText } from "../core/error-text.js";
import { formatAge, formatCount, formatDateTime, truncate } from "../core/format.js";
import { selectInput, smallButton } from "../ui/controls.js";
import { openUntilClosed } from "../ui/dialog.js";
import { drawRows, listRow, renderList } from "../ui/list.js";

export const webhookPath = ({ id }, rest = "") => `/webhooks/${encodeURIComponent(id)}${rest}`;

const PAGE_SIZE = 20;
const STATES = [
  ["", "All"],
  ["delivered", "Delivered"],
  ["pending", "In progress"],
  ["failed", "Failed"]
];

/** Show the deliveries of a webhook in a dialog: time, attempts, response. */
export function showDeliveries(hook) {
  const list = h("div");
  let [items, lastRequest] = [[], 0];
  const state = selectInput("Status of deliveries", STATES, "", () => read(1));
  const head = h(
    "div.row",
    state,
    smallButton("Refresh", () => read(1))
  );
  read(1);
  return openUntilClosed(`Deliveries to ${truncate(hook.url, 60)}`, [head, list]);

  async function read(page) {
    const requestNumber = ++lastRequest;
    const kind = state.value && `&state=${state.value}`;
    try {
      const found = await get(webhookPath(hook, `/deliveries?page=${page}&pageSize=${PAGE_SIZE}${kind}`));
      if (requestNumber !== lastRequest) return;
      items = page === 1 ? found.items : [...items, ...found.items];
      const more = items.length < found.total && smallButton("Show more", () => read(page + 1));
      replaceChildren(
        list,
        h("div.deliveries", renderList(drawRows(items, renderDelivery), "Nothing has been sent yet.", "Deliveries")),
        more
      );
    } catch (error) {
      if (requestNumber === lastRequest) replaceChildren(list, h("p.problem", { role: "alert" }, plainErrorText(error)));
    }
  }
}

function renderDelivery(delivery) {
  const { id, type, state, attempts, statusCode, error, durationMs, nextAttemptAt, createdAt, deliveredAt } = delivery;
  const answered = statusCode && `answered ${statusCode}` + (durationMs === null ? "" : ` in ${durationMs} ms`);
  const next = nextAttemptAt && state === "pending" && `again at ${formatDateTime(nextAttemptAt)}`;
  const said = [attempts > 0 && formatCount(attempts, "attempt"), answered, error, next].filter(Boolean);
  const stateLabel = { __proto__: null, delivered: "delivered", pending: "under way", failed: "failed" }[state];
  return listRow({
    id,
    title: h("strong", type),
    note: h("span", { class: state === "failed" ? "problem" : "" }, stateLabel),
    text: [formatAge(deliveredAt ?? createdAt, serverNow()), said.length > 0 && ` · ${said.join(" · ")}`]
  });
}
