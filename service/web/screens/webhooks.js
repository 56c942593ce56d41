// Webhooks: which addresses are told what happens, and what became of each delivery.

import { get, now, patch, post, remove } from "../core/api.js";
import { fill, h, icon } from "../core/dom.js";
import { age, brief, count, moment } from "../core/words.js";
import { openDialog } from "../parts/float.js";
import { askFor, attempt, button, row, rows, section, sentence, sure, switched } from "../parts/form.js";
import { showOnce } from "../parts/once.js";
import { plainScreen, Resource, settingsNav, SHEETS } from "../parts/plainscreen.js";

export { SHEETS };

const EMPTY = "No webhooks yet. One tells another service what happens here, signed, and again until it is heard.";
const PATTERNS = "Patterns, one a line: card.moved, card.* or * for everything.";
const address = ({ id }) => `/webhooks/${encodeURIComponent(id)}`;

export function show(host) {
  const resource = new Resource(() => get("/webhooks"), ["webhook"]);
  const done = () => resource.load();
  return plainScreen(host, {
    title: "Webhooks",
    nav: settingsNav(),
    resource,
    tools: () => button("New webhook…", () => newWebhook().then(done), { kind: "main" }),
    draw: (hooks) =>
      section(
        "Webhooks",
        hooks.length,
        rows(
          hooks.map((one) => hookRow(one, done)),
          EMPTY,
          "Webhooks",
        ),
      ),
  });
}

function hookRow(hook, done) {
  const { id, url, events, enabled } = hook;
  const name = brief(url, 60);
  const act = (words, run) => button(words, () => run(hook).then(done), { name: `${words.replace("…", "")} ${name}` });
  return row({
    id,
    idle: !enabled,
    mark: h("span", { class: "mark" }, icon("link")),
    title: h("strong", null, url),
    text: events.includes("*") ? "everything that happens" : events.join(", "),
    actions: [
      switched("On", enabled, (wanted) => turn(hook, wanted, done), { name: `${name} is told` }),
      act("Deliveries…", showDeliveries),
      act("Edit…", edit),
      act("Remove…", dismiss),
    ],
  });
}

async function turn(hook, enabled, done) {
  const said = enabled
    ? "It is told what happens from now on."
    : "It misses what happens until it is switched on again.";
  const isDone = await attempt(() => patch(address(hook), { enabled }), {
    done: said,
    failed: "The webhook stays as it was",
  });
  done();
  return isDone;
}

const fields = (before) => [
  { name: "url", label: "Address", value: before?.url, required: true, most: 2000, hint: "Public, http or https." },
  {
    name: "events",
    label: "What it is told",
    kind: "lines",
    rows: 3,
    value: before?.events ?? ["*"],
    required: true,
    hint: PATTERNS,
  },
];

async function newWebhook() {
  const hook = await askFor({
    title: "New webhook",
    fields: fields(),
    button: "Make it",
    send: (wanted) => post("/webhooks", wanted),
  });
  if (!hook) return;
  const text =
    "The receiver proves with it that a delivery is from here (HMAC-SHA-256). It is shown now and never again.";
  await showOnce({ title: "The webhook's secret", text, label: "Secret", secret: hook.secret });
}

function edit(hook) {
  const secret = {
    name: "secret",
    label: "New secret",
    kind: "password",
    most: 200,
    hint: "At least 16 characters. Left empty the old one stays.",
  };
  const send = ({ secret: fresh, ...wanted }) => patch(address(hook), fresh ? { ...wanted, secret: fresh } : wanted);
  return askFor({ title: "Edit the webhook", fields: [...fields(hook), secret], button: "Save", send });
}

function dismiss(hook) {
  const told = { done: "The webhook is removed.", failed: "The webhook was not removed" };
  const text = "What waits for it is not sent any more, and its secret is forgotten for good. To try that first, switch it off.";
  return sure({ title: `Remove ${brief(hook.url, 60)}?`, text, button: "Remove" }, () => remove(address(hook)), told);
}

// What became of each thing that a webhook was to be told: when, how often it was tried, what came back.
const PAGE = 20;
const STATES = [
  ["", "All"],
  ["delivered", "Delivered"],
  ["pending", "Under way"],
  ["failed", "Failed"],
];

/** Show the deliveries of a webhook until the person is done. */
function showDeliveries({ id, url }) {
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
