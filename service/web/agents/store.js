// Actions on agents: approve, stop, resume, remove.

import { patch, remove } from "../core/api.js";
import { serverNow } from "../core/clock.js";
import { formatAge, phrase } from "../core/format.js";
import { openForm } from "../ui/form.js";
import { confirmRemoval, tryRequest } from "../ui/request.js";

/** What stopping an agent means, for the dialog that asks for a reason. */
const STOP_EFFECT = "It cannot change anything until it is resumed; the cards that it has claimed are released.";

const REASON_CHARACTERS_MAX = 500;

/** Return the state of an agent in words. */
export function agentStatusText({ status, isOnline, lastSeenAt, stopReason }, online = "online") {
  if (status === "pending") return "waits for approval";
  if (status === "stopped") return `stopped${stopReason ? ": " + stopReason : ""}`;
  const seen = lastSeenAt ? `seen ${formatAge(lastSeenAt, serverNow())}` : "never seen";
  return `${isOnline ? online : "offline"} · ${seen}`;
}

const STATUS_LABELS = { __proto__: null, approve: "approved", resume: "resumed" };

export async function setAgentStatus({ id, title }, verb, done) {
  const status = STATUS_LABELS[verb];
  const messages = { done: phrase`${title} is ${status}.`, failed: phrase`${title} was not ${status}` };
  await tryRequest(() => patch(`/agents/${encodeURIComponent(id)}/${verb}`), messages);
  await done();
}

/** Ask for a reason and stop an agent. */
export async function stopAgent({ id, title }, done) {
  await openForm({
    title: phrase`Stop ${title}?`,
    text: STOP_EFFECT,
    fields: [
      {
        name: "reason",
        label: "Reason",
        maxLength: REASON_CHARACTERS_MAX,
        hint: "Shown to other people and to the agent."
      }
    ],
    button: "Stop agent",
    send: ({ reason }) => patch(`/agents/${encodeURIComponent(id)}/stop`, reason ? { reason } : {})
  });
  await done();
}

/** Ask for confirmation and remove an agent; return whether it was removed. */
export function removeAgent({ id, title }) {
  const text =
    "Its cards become unassigned and its questions are withdrawn; its actions stay in the history. This cannot be undone.";
  return confirmRemoval(title, text, () => remove(`/agents/${encodeURIComponent(id)}`));
}
