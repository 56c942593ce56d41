// The banner over every screen while agents are frozen: why, by whom, since and until when.

import { now, post, remove } from "../core/api.js";
import { h, icon } from "../core/dom.js";
import { noteFreeze, organization, path } from "../core/organization.js";
import { age, moment, refusal } from "../core/words.js";
import { ask, notify } from "./float.js";
import { attempt } from "./form.js";
import { offerUndo } from "./refused.js";

/** Draw the banner of a freeze, or nothing if it is over by the clock. */
export function frozenBanner({ reason, until, frozenAt, frozenBy }) {
  if (until && Date.parse(until) <= now()) return null;
  const details = [
    frozenBy?.label && `by ${frozenBy.label}`,
    frozenAt && `${age(frozenAt, now())}`,
    until && `until ${moment(until)}`,
  ].filter(Boolean);
  const thaw = h(
    "button",
    { class: "button small", type: "button", on: { click: endFreeze } },
    "Let agents work again",
  );
  return h(
    "div",
    { class: "banner frozen", role: "status" },
    icon("snow"),
    h("span", null, `Agents are frozen: ${reason}`),
    h("span", { class: "small" }, details.join(" · ")),
    organization.isArchitect && thaw,
  );
}

/** Ask for a reason, and freeze all agents. */
export async function freezeAll() {
  const text = "Nothing that they send is done until you let them work again; people go on as before.";
  const wishes = { label: "Reason, for people and agents", button: "Freeze", required: true, most: 500 };
  const reason = await ask({ title: "Freeze all agents", text, ...wishes });
  const told = { failed: "Agents are not frozen", cause: "freeze" };
  if (reason) await attempt(() => freeze({ reason: reason.replace(/\s+/g, " ") }), told);
}

async function freeze(wanted) {
  noteFreeze(await post(path("/freeze"), wanted));
}

async function endFreeze() {
  const { reason, until } = organization.freeze;
  try {
    await remove(path("/freeze"));
    noteFreeze(null);
    offerUndo("Agents work again", () => freeze(until ? { reason, until } : { reason }));
  } catch (error) {
    notify({ title: "Agents are still frozen", text: refusal(error), kind: "refused", cause: "freeze" });
  }
}
