// What goes out and comes in: webhooks, which are told what happens, and the whole organization as a file.

import { ask, get, now, patch, post, remove, service } from "../core/api.js";
import { fill, h, mark, say } from "../core/dom.js";
import { organization } from "../core/organization.js";
import { age, brief, count, moment } from "../core/words.js";
import { bringExport, bringTrello, saveAs, size } from "../parts/files.js";
import { announce } from "../parts/float.js";
import { askFor, attempt, button, choice, removal, row, rows, section, sentence, switched } from "../parts/form.js";
import { showOnce } from "../parts/once.js";
import { acting, listing, plainScreen, untilDone } from "../parts/plainscreen.js";

const EMPTY = "No webhooks yet. One tells another service what happens here, signed, and again until it is heard.";
const PATTERNS = "Patterns, one a line: card.moved, card.* or * for everything.";
const address = ({ id }, rest = "") => `/webhooks/${encodeURIComponent(id)}${rest}`;

/** Show the one or the other, as the address says. */
export function show(host, { project }) {
  return project === "webhooks" ? webhooks(host) : data(host);
}

function webhooks(host) {
  return plainScreen(host, {
    title: "Webhooks",
    isSetting: true,
    read: () => get("/webhooks"),
    nouns: ["webhook"],
    tools: (_, done) => button("New webhook…", () => newWebhook().then(done), { kind: "main" }),
    draw: (hooks, done) => listing("Webhooks", hooks.map((one) => hookRow(one, done)), EMPTY)
  });
}

function hookRow(hook, done) {
  const { id, url, events, enabled } = hook;
  const name = brief(url, 60);
  const act = acting(name, done);
  return row({
    id,
    idle: !enabled,
    mark: mark("link"),
    title: h("strong", url),
    text: events.includes("*") ? "everything that happens" : events.join(", "),
    actions: [
      switched("On", enabled, (wanted) => turn(hook, wanted).finally(done), { name: `${name} is told` }),
      act("Deliveries…", () => showDeliveries(hook)),
      act("Edit…", () => edit(hook)),
      act("Remove…", () => dismiss(hook))
    ]
  });
}

function turn(hook, enabled) {
  const done = enabled ? "It is told what happens from now on." : "It misses what happens until it is switched on again.";
  return attempt(() => patch(address(hook), { enabled }), { done, failed: "The webhook stays as it was" });
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
    hint: PATTERNS
  }
];

async function newWebhook() {
  const hook = await askFor({
    title: "New webhook",
    fields: fields(),
    button: "Make it",
    send: (wanted) => post("/webhooks", wanted)
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
    hint: "At least 16 characters. Left empty the old one stays."
  };
  const send = ({ secret: fresh, ...wanted }) => patch(address(hook), fresh ? { ...wanted, secret: fresh } : wanted);
  return askFor({ title: "Edit the webhook", fields: [...fields(hook), secret], button: "Save", send });
}

function dismiss(hook) {
  const text = "What waits for it is not sent any more, and its secret is forgotten for good. To try that first, switch it off.";
  return removal(brief(hook.url, 60), text, () => remove(address(hook)), "The webhook");
}

// What became of each thing that a webhook was to be told: when, how often it was tried, what came back.
const PAGE = 20;
const STATES = [
  ["", "All"],
  ["delivered", "Delivered"],
  ["pending", "Under way"],
  ["failed", "Failed"]
];

/** Show the deliveries of a webhook until the person is done. */
function showDeliveries(hook) {
  const list = h("div");
  let [items, turn] = [[], 0];
  const state = choice("Which deliveries", STATES, "", () => read(1));
  const head = h("div.row", state, button("Look again", () => read(1)));
  read(1);
  return untilDone(`Deliveries to ${brief(hook.url, 60)}`, [head, list]);

  async function read(page) {
    const mine = ++turn;
    const kind = state.value && `&state=${state.value}`;
    try {
      const found = await get(address(hook, `/deliveries?page=${page}&pageSize=${PAGE}${kind}`));
      if (mine !== turn) return;
      items = page === 1 ? found.items : [...items, ...found.items];
      const more = items.length < found.total && button("Show more", () => read(page + 1));
      fill(list, h("div.deliveries", rows(items.map(deliveryRow), "Nothing was sent yet.", "Deliveries")), more);
    } catch (error) {
      if (mine === turn) fill(list, h("p.problem", { role: "alert" }, sentence(error)));
    }
  }
}

function deliveryRow(delivery) {
  const { id, type, state, attempts, statusCode, error, durationMs, nextAttemptAt, createdAt, deliveredAt } = delivery;
  const answered = statusCode && `answered ${statusCode}` + (durationMs === null ? "" : ` in ${durationMs} ms`);
  const next = nextAttemptAt && state === "pending" && `again at ${moment(nextAttemptAt)}`;
  const said = [attempts > 0 && count(attempts, "attempt"), answered, error, next].filter(Boolean);
  const words = { delivered: "delivered", pending: "under way", failed: "failed" }[state];
  return row({
    id,
    title: h("strong", type),
    note: h("span", { class: state === "failed" ? "problem" : "" }, words),
    text: [age(deliveredAt ?? createdAt, now()), said.length > 0 && ` · ${said.join(" · ")}`]
  });
}

// Data: the whole organization as a file, and a file brought in again.
function data(host) {
  const under = new AbortController();
  const stop = () => under.abort();
  service.addEventListener("ended", stop);
  const draw = () => [
    exported(under.signal),
    section("Import", null, bringExport(under.signal)),
    section("From Trello", null, bringTrello(under.signal))
  ];
  let parts = null; // drawn once: what is under way stays
  const screen = plainScreen(host, {
    title: "Data",
    isSetting: true,
    read: async () => organization.isArchitect,
    nouns: ["member"],
    draw: () =>
      organization.isArchitect ? (parts ??= draw()) : h("section.trouble", "Only Solution Architects see this.")
  });
  const leave = () => (stop(), service.removeEventListener("ended", stop), screen.leave());
  return { ...screen, leave };
}

function exported(signal) {
  const files = h("input", { type: "checkbox", role: "switch" });
  const state = h("p.small.muted", { role: "status" });
  const text = `Everything in ${organization.title || "the organization"} but secrets, as one JSON file.`;
  const start = button("Export", run, { kind: "main" });
  const choice = h("label.switch", files, h("span", "With the contents of files"));
  return section(
    "Export",
    null,
    h(
      "div.inline",
      h("p.small.muted", text),
      choice,
      h("div.row", start, state)
    )
  );

  async function run() {
    start.disabled = true;
    try {
      const response = await ask(`/admin/export?includeFiles=${files.checked}`, { method: "GET", signal });
      const name = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1] ?? "tandem.json";
      saveAs(await gathered(response, (bytes) => say(state, `${size(bytes)} so far…`)), name);
      say(state, `${name} is saved.`);
      announce("The export is saved.");
    } catch (error) {
      if (!signal.aborted)
        say(state, `Nothing was saved. ${"status" in error ? sentence(error) : "The connection broke off."}`);
    } finally {
      start.disabled = false;
    }
  }
}

async function gathered(response, tell) {
  const pieces = [];
  const reader = response.body.getReader();
  for (let bytes = 0; ;) {
    const { value, done } = await reader.read();
    if (done) return new Blob(pieces, { type: "application/json" });
    pieces.push(value);
    bytes += value.length;
    tell(bytes);
  }
}
