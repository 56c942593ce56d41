// The freeze of all agents: the banner, freezing and unfreezing.

import { post, remove } from "../core/api.js";
import { serverNow } from "../core/clock.js";
import { h } from "../core/dom.js";
import { errorText } from "../core/error-text.js";
import { formatAge, formatDateTime, phrase } from "../core/format.js";
import { icon } from "../core/icons.js";
import { organization, orgPath, setFreeze } from "../core/organization.js";
import { suspendShortcuts } from "../core/shortcuts.js";
import { showError } from "./toast.js";
import { offerUndo } from "./undo.js";

/** Return the banner of a freeze, or null if it has expired. */
export function renderFreezeBanner({ reason, until, frozenAt, frozenBy }) {
  if (until && Date.parse(until) <= serverNow()) return null;
  const details = [
    frozenBy?.label && phrase`by ${frozenBy.label}`,
    frozenAt && `${formatAge(frozenAt, serverNow())}`,
    until && `until ${formatDateTime(until)}`
  ].filter(Boolean);
  const unfreezeButton = h("button.button.small", { click: unfreezeAgents }, "Unfreeze agents");
  return h(
    "div.banner.frozen",
    { role: "status" },
    icon("snow"),
    h("span", `Agents are frozen: ${reason}`),
    h("span.small", details.join(" · ")),
    organization.isArchitect && unfreezeButton
  );
}

/** Ask for a reason and freeze all agents. */
export async function freezeAgents() {
  const { openForm } = await suspendShortcuts(import("./form.js"));
  const attributes = { kind: "textarea", rows: 3, required: true, maxLength: 500 };
  await openForm({
    title: "Freeze all agents",
    text: "Agents can read but not change anything until you unfreeze. People are not affected.",
    item: organization.id,
    fields: [{ name: "reason", label: "Reason, for people and agents", ...attributes }],
    button: "Freeze",
    send: ({ reason }) => sendFreeze({ reason: reason.trim().replace(/\s+/g, " ") })
  });
}

async function sendFreeze(freeze) {
  setFreeze(await post(orgPath("/freeze"), freeze));
}

async function unfreezeAgents() {
  const { reason, until } = organization.freeze;
  try {
    await remove(orgPath("/freeze"));
    setFreeze(null);
    offerUndo("Agents are unfrozen", () => sendFreeze(until ? { reason, until } : { reason }));
  } catch (error) {
    showError("Agents are still frozen", errorText(error), "freeze");
  }
}
