// The banner over every screen while agents are frozen: why, by whom, since and until when.

import { now, remove } from "../core/api.js";
import { h, icon } from "../core/dom.js";
import { noteFreeze, organization, path } from "../core/organization.js";
import { age, moment, refusal } from "../core/words.js";
import { notify } from "./notice.js";

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

async function endFreeze() {
  try {
    await remove(path("/freeze"));
    noteFreeze(null);
  } catch (error) {
    notify({ title: "Agents are still frozen", text: refusal(error), kind: "refused", cause: "freeze" });
  }
}
