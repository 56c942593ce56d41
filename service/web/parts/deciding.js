// Deciding about agents: approve what they ask for or reject it with a reason, answer them, freeze all and let them go on.

import { now, post, remove } from "../core/api.js";
import { answer, decide } from "../core/cards.js";
import { h, icon, labelled, say } from "../core/dom.js";
import { noteFreeze, organization, path } from "../core/organization.js";
import { age, brief, moment, quoted, reasons, refusal } from "../core/words.js";
import { announce, ask, refuse } from "./float.js";
import { attempt, choice } from "./form.js";
import { offerUndo } from "./refused.js";

const NOTE = 2000; // characters

/** Approve a request; give null, or the sentences of what stands in the way. */
export async function approve(requestId, title, names) {
  try {
    await decide(requestId, true);
    announce(`Approved: ${brief(title)}.`);
    return null;
  } catch (error) {
    return refused(requestId, "It was not approved", error, names);
  }
}

/** Ask for a reason and reject a request with it; give null if that is done, false if the person gave up. */
export async function reject(requestId, title, who, names, ways = []) {
  const back = backTo(ways);
  const stays = `The card stays where it is${ways.length ? ", unless you send it back" : ""}.`;
  const note = await ask({
    title: `Reject the move of ${quoted(brief(title, 60))}`,
    text: `${who} reads your reason and goes on from there. ${stays}`,
    more: ways.length ? [back.element] : [],
    label: "Reason",
    button: "Reject",
    required: true,
    most: NOTE
  });
  if (!note) return false;
  try {
    await decide(requestId, false, note, back.value());
    announce(`Rejected: ${brief(title)}.`);
    return null;
  } catch (error) {
    return refused(requestId, "It was not rejected", error, names);
  }
}

/** Where a card could be sent with the rejection. */
function backTo(ways) {
  const options = [["", "Leave it where it is"], ...ways.map(({ id, title }) => [id, title])];
  const select = choice(null, options, "", () => {}, { class: "input", name: "back" });
  const element = labelled("Send the card to", select);
  return { element, value: () => select.value || null };
}

function refused(requestId, title, error, names) {
  const said = reasons(error, names);
  refuse(title, said.join(" "), `request ${requestId}`);
  return said;
}

// Questions that agents ask people, answered where they are read: by one of the options, or in other words.
const ANSWER_CHARACTERS_MAX = 20_000; // characters of an answer

/** Draw what answers a question {cardId, commentId, options}; `done` is told when it is answered. */
export function answerForm({ cardId, commentId, options }, names, done) {
  const wording = { "aria-label": "Answer", placeholder: "Answer in your own words" };
  const field = h("input.input", { ...wording, maxlength: ANSWER_CHARACTERS_MAX });
  const problem = h("p.problem.small", { role: "alert" });
  const send = h("button.button.small.main", { type: "submit" }, "Answer");
  const choose = (words) => h("button.button.small", { click: () => give(words) }, words);
  const choices = options?.length ? h("div.row.wrap", options.map(choose)) : null;
  const form = h("form.answer", choices, h("div.row", field, send), problem);
  form.addEventListener("submit", (event) => (event.preventDefault(), field.value.trim() && give(field.value)));

  async function give(words) {
    form.inert = true;
    say(problem, "");
    try {
      await answer(cardId, commentId, words);
      announce("Answered.");
      done();
    } catch (error) {
      say(problem, reasons(error, names).join(" "));
    } finally {
      form.inert = false;
    }
  }

  return form;
}

// The banner over every screen while agents are frozen: why, by whom, since and until when.
/** Draw the banner of a freeze, or nothing if it is over by the clock. */
export function frozenBanner({ reason, until, frozenAt, frozenBy }) {
  if (until && Date.parse(until) <= now()) return null;
  const details = [
    frozenBy?.label && `by ${frozenBy.label}`,
    frozenAt && `${age(frozenAt, now())}`,
    until && `until ${moment(until)}`
  ].filter(Boolean);
  const thaw = h(
    "button.button.small",
    { click: endFreeze },
    "Let agents work again"
  );
  return h(
    "div.banner.frozen",
    { role: "status" },
    icon("snow"),
    h("span", `Agents are frozen: ${reason}`),
    h("span.small", details.join(" · ")),
    organization.isArchitect && thaw
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
    refuse("Agents are still frozen", refusal(error), "freeze");
  }
}
