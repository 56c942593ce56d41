// Webhooks.

import { get, patch, post, remove } from "../core/api.js";
import { h } from "../core/dom.js";
import { truncate } from "../core/format.js";
import { markIcon } from "../core/icons.js";
import { actionButtonFor, smallButton, switchInput } from "../ui/controls.js";
import { openForm } from "../ui/form.js";
import { listRow, listSection } from "../ui/list.js";
import { createPage } from "../ui/page.js";
import { confirmRemoval, tryRequest } from "../ui/request.js";
import { showSecret } from "../ui/secret-dialog.js";
import { showDeliveries, webhookPath } from "./webhook-deliveries.js";
import { createSettingsNavigation } from "./navigation.js";

const EMPTY = "No webhooks yet. One tells another service what happens here, signed, and again until it is heard.";
const PATTERNS = "Patterns, one a line: card.moved, card.* or * for everything.";

export function show(host) {
  return createPage(host, {
    title: "Webhooks",
    navigation: createSettingsNavigation(),
    read: () => get("/webhooks"),
    nouns: ["webhook"],
    tools: (_, done) => smallButton("New webhook…", () => newWebhook().then(done), { kind: "main" }),
    draw: (hooks, done) =>
      listSection(
        "Webhooks",
        hooks.map((one) => renderWebhook(one, done)),
        EMPTY
      )
  });
}

function renderWebhook(hook, done) {
  const { id, url, events, enabled } = hook;
  const name = truncate(url, 60);
  const actionButton = actionButtonFor(name, done);
  return listRow({
    id,
    idle: !enabled,
    mark: markIcon("link"),
    title: h("strong", url),
    text: events.includes("*") ? "everything that happens" : events.join(", "),
    actions: [
      switchInput("On", enabled, (wanted) => setWebhookEnabled(hook, wanted).finally(done), {
        name: `${name} is told`
      }),
      actionButton("Deliveries…", () => showDeliveries(hook)),
      actionButton("Edit…", () => editWebhook(hook)),
      actionButton("Remove…", () => removeWebhook(hook))
    ]
  });
}

function setWebhookEnabled(hook, enabled) {
  const done = enabled
    ? "It is told what happens from now on."
    : "It misses what happens until it is switched on again.";
  return tryRequest(() => patch(webhookPath(hook), { enabled }), { done, failed: "The webhook stays as it was" });
}

const webhookFields = (before) => [
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
  const hook = await openForm({
    title: "New webhook",
    fields: webhookFields(),
    button: "Make it",
    send: (wanted) => post("/webhooks", wanted)
  });
  if (!hook) return;
  const text =
    "The receiver proves with it that a delivery is from here (HMAC-SHA-256). It is shown now and never again.";
  await showSecret({ title: "The webhook's secret", text, label: "Secret", secret: hook.secret });
}

function editWebhook(hook) {
  const secret = {
    name: "secret",
    label: "New secret",
    kind: "password",
    most: 200,
    hint: "At least 16 characters. Left empty the old one stays."
  };
  const send = ({ secret: fresh, ...wanted }) =>
    patch(webhookPath(hook), fresh ? { ...wanted, secret: fresh } : wanted);
  return openForm({ title: "Edit the webhook", fields: [...webhookFields(hook), secret], button: "Save", send });
}

function removeWebhook(hook) {
  const text =
    "What waits for it is not sent any more, and its secret is forgotten for good. To try that first, switch it off.";
  return confirmRemoval(truncate(hook.url, 60), text, () => remove(webhookPath(hook)), "The webhook");
}
