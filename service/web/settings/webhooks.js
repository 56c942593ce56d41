// Webhooks.

import { patch, post, remove } from "../core/api.js";
import { h } from "../core/dom.js";
import { truncate } from "../core/format.js";
import { markIcon } from "../core/icons.js";
import { organization } from "../core/organization.js";
import { actionButtonFor, smallButton, switchInput } from "../ui/controls.js";
import { openForm } from "../ui/form.js";
import { drawRows, listRow, listSection } from "../ui/list.js";
import { createPage } from "../ui/page.js";
import { confirmRemoval, tryRequest } from "../ui/request.js";
import { lostSecretNote, readWithLostSecrets } from "./lost-secrets.js";
import { showSecret } from "./secret-dialog.js";
import { showDeliveries, webhookPath } from "./webhook-deliveries.js";
import { createSettingsNavigation } from "./navigation.js";

const EMPTY = "No webhooks yet. Webhooks send signed events to another service and retry until delivered.";
const PATTERNS = "Patterns, one per line: card.moved, card.* or * for everything.";

export function show(host) {
  return createPage(host, {
    title: "Webhooks",
    navigation: createSettingsNavigation(),
    read: () => readWithLostSecrets("/webhooks"),
    resources: ["webhook"],
    tools: (_, done) => smallButton("New webhook…", () => newWebhook().then(done), { kind: "main" }),
    draw: (hooks, done) =>
      listSection(
        "Webhooks",
        drawRows(hooks, (hook) => renderWebhook(hook, done), { remove: (hook) => removeWebhook(hook).then(done) }),
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
    below: lostSecretNote(hook),
    actions: [
      switchInput("On", enabled, (values) => setWebhookEnabled(hook, values).finally(done), {
        name: `${name} is told`
      }),
      actionButton("Deliveries…", () => showDeliveries(hook)),
      actionButton("Edit…", () => editWebhook(hook)),
      actionButton("Remove…", () => removeWebhook(hook))
    ]
  });
}

function setWebhookEnabled(hook, enabled) {
  const done = enabled ? "It receives events from now on." : "It receives no events until it is enabled again.";
  return tryRequest(() => patch(webhookPath(hook), { enabled }), { done, failed: "The webhook was not changed" });
}

const webhookFields = (before) => [
  { name: "url", label: "Address", value: before?.url, required: true, maxLength: 2000, hint: "Public, http or https." },
  {
    name: "events",
    label: "Events",
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
    item: `webhooks of ${organization.id}`,
    fields: webhookFields(),
    button: "Create",
    send: (values) => post("/webhooks", values)
  });
  if (!hook) return;
  const text = "The receiver verifies the signature of deliveries with it (HMAC-SHA-256). It is shown only once.";
  await showSecret({ title: "The webhook's secret", text, label: "Secret", secret: hook.secret });
}

function editWebhook(hook) {
  const secret = {
    name: "secret",
    label: "New secret",
    kind: "password",
    maxLength: 200,
    hint: "At least 16 characters. Leave empty to keep the old one."
  };
  const send = ({ secret: fresh, ...values }) => patch(webhookPath(hook), fresh ? { ...values, secret: fresh } : values);
  return openForm({ title: "Edit the webhook", item: hook.id, fields: [...webhookFields(hook), secret], button: "Save", send });
}

function removeWebhook(hook) {
  const text = "Pending deliveries are dropped and its secret is deleted. To try that first, disable it.";
  return confirmRemoval(truncate(hook.url, 60), text, () => remove(webhookPath(hook)), "The webhook");
}
