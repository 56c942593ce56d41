// What became of each thing that a webhook was to be told: when, how often it was tried, what came back.

import { get, now } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { age, brief, count, moment } from "../core/words.js";
import { openDialog } from "./dialog.js";
import { sentence } from "./form.js";
import { button, row, rows } from "./rows.js";

const PAGE = 20;
const STATES = [
  ["", "All"],
  ["delivered", "Delivered"],
  ["pending", "Under way"],
  ["failed", "Failed"],
];

/** Show the deliveries of a webhook until the person is done. */
export function showDeliveries({ id, url }) {
  const list = h("div");
  const state = h("select", { class: "input small", "aria-label": "Which deliveries" });
  for (const [value, words] of STATES) state.append(h("option", { value }, words));
  let [items, page] = [[], 1];
  state.addEventListener("change", () => read(1));
  const again = button("Look again", () => read(1));
  const close = h("button", { class: "button main", type: "button", on: { click: () => opened.close() } }, "Done");
  const head = h("div", { class: "row" }, state, again);
  const title = `Deliveries to ${brief(url, 60)}`;
  const content = h("div", { class: "once" }, h("h2", null, title), head, list, h("div", { class: "row" }, close));
  read(1);
  let opened = null;
  return new Promise((resolve) => {
    opened = openDialog({ label: title, className: "ask broad", content, closed: () => void resolve() });
  });

  async function read(wanted) {
    page = wanted;
    const kind = state.value && `&state=${state.value}`;
    try {
      const found = await get(`/webhooks/${encodeURIComponent(id)}/deliveries?page=${page}&pageSize=${PAGE}${kind}`);
      items = page === 1 ? found.items : [...items, ...found.items];
      const more = items.length < found.total && button("Show more", () => read(page + 1));
      fill(
        list,
        h("div", { class: "deliveries" }, rows(items.map(deliveryRow), "Nothing was sent yet.", "Deliveries")),
        more,
      );
    } catch (error) {
      fill(list, h("p", { class: "problem", role: "alert" }, sentence(error)));
    }
  }
}

function deliveryRow({
  id,
  type,
  state,
  attempts,
  statusCode,
  error,
  durationMs,
  nextAttemptAt,
  createdAt,
  deliveredAt,
}) {
  const answered = statusCode && `answered ${statusCode}` + (durationMs === null ? "" : ` in ${durationMs} ms`);
  const next = nextAttemptAt && state === "pending" && `again at ${moment(nextAttemptAt)}`;
  const said = [attempts > 0 && count(attempts, "attempt"), answered, error, next].filter(Boolean);
  const words = { delivered: "delivered", pending: "under way", failed: "failed" }[state];
  return row({
    id,
    title: h("strong", null, type),
    note: h("span", { class: state === "failed" ? "problem" : "" }, words),
    text: [age(deliveredAt ?? createdAt, now()), said.length > 0 && ` · ${said.join(" · ")}`],
  });
}
