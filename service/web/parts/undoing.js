// Taking back what an agent did: a span of time, what would change and what would stay, and then all of it at once.

import { now, post } from "../core/api.js";
import { fill, h, say } from "../core/dom.js";
import { path } from "../core/organization.js";
import { brief, count } from "../core/words.js";
import { notify, openDialog } from "./float.js";
import { formField, row, rows, sentence } from "./form.js";
import { cardTitle } from "./face.js";

const HOUR = 3_600_000;
const SPANS = [
  [String(HOUR / 4), "The last 15 minutes"],
  [String(HOUR), "The last hour"],
  [String(4 * HOUR), "The last 4 hours"],
  [String(24 * HOUR), "The last 24 hours"],
  ["", "Another span…"]
];
const NAMES = {
  columnId: "column",
  archivedAt: "in the archive",
  dueDate: "due date",
  assignedAgentId: "agent",
  assignedUserId: "person",
  cardTypeId: "type",
  created: "the card itself"
};
const SHOWN = 40; // characters of a value

/** Ask for a span, show what undoing it would do, and do it; give whether it was done. */
export function undoWhatItDid(agent, columns) {
  const opening = now();
  const title = `Undo what ${agent.title} did`;
  const span = formField({ name: "span", label: "Which time", kind: "select", options: SPANS, value: String(HOUR) });
  const from = formField({ name: "from", label: "From", kind: "datetime-local" });
  const to = formField({ name: "to", label: "To", kind: "datetime-local", hint: "Left empty: until now." });
  const told = h("p", { role: "status" });
  const problem = h("p.problem", { role: "alert" });
  const list = h("div.deliveries");
  const submit = h("button.button.main", { type: "submit", disabled: true }, "Undo");
  const cancel = h("button.button", { click: () => opened.end() }, "Cancel");
  const text = "Cards go back to where they were. What others changed since stays, and so do comments.";
  const form = h(
    "form.once",
    { novalidate: true },
    h("h2", title),
    h("p.muted", text),
    [span, from, to].map(({ element }) => element),
    told,
    problem,
    list,
    h("div.row", cancel, submit)
  );
  let turn = 0;
  let isDone = false;
  let opened = null;
  form.addEventListener("change", look);
  form.addEventListener("submit", (event) => (event.preventDefault(), carryOut()));
  look();
  return new Promise((resolve) => {
    opened = openDialog({ label: title, className: "ask broad", content: form, closed: () => void resolve(isDone) });
    span.focus();
  });

  /** The span as the service takes it, or null as long as it is not whole. */
  function wanted() {
    for (const { element } of [from, to]) element.hidden = span.value() !== null;
    if (span.value() !== null) return { from: new Date(opening - Number(span.value())).toISOString() };
    return from.value() && { from: from.value(), ...(to.value() ? { to: to.value() } : {}) };
  }

  async function look() {
    const mine = ++turn;
    const asked = wanted();
    submit.disabled = true;
    say(problem, "");
    if (!asked) return fill(told, "Choose from when on.");
    try {
      const found = await send(asked, true);
      if (mine !== turn) return;
      const stays = found.kept ? ` ${count(found.kept, "change")} of it would stay.` : "";
      fill(
        told,
        found.cards ? `${count(found.cards, "card")} would change.${stays}` : `Nothing is to be undone.${stays}`
      );
      fill(
        list,
        found.items.length > 0 &&
          rows(
            found.items.map((item) => cardRow(item, columns)),
            "",
            "What would change"
          )
      );
      submit.disabled = found.cards === 0;
      say(submit, found.cards ? `Undo on ${count(found.cards, "card")}` : "Undo");
    } catch (error) {
      if (mine !== turn) return;
      fill(told);
      fill(list);
      say(problem, sentence(error));
    }
  }

  function send(asked, dryRun) {
    return post(path("/undo"), { agentId: agent.id, ...asked, dryRun });
  }

  async function carryOut() {
    const asked = wanted();
    if (!asked || submit.disabled) return;
    submit.disabled = true;
    try {
      const { cards, kept } = await send(asked, false);
      const stays = kept ? ` ${count(kept, "change")} stayed, since others went on from there.` : "";
      notify({
        title: `${count(cards, "card")} of ${agent.title} went back`,
        text: `The history of each tells it.${stays}`
      });
      isDone = true;
      opened.end();
    } catch (error) {
      say(problem, sentence(error));
      submit.disabled = false;
    }
  }
}

function cardRow({ cardId, cardKey, title, projectId, changes, kept }, columns) {
  const back = Object.entries(changes).map(([name, change]) => `${nameOf(name)}: ${way(name, change, columns)}`);
  const stays = kept.map(
    ({ name, message, by }) => `${nameOf(name)} stays: ${message}` + (by?.label ? ` (${by.label})` : "")
  );
  return row({
    id: cardId,
    title: h("span", cardTitle(projectId, cardKey, title, { target: "_blank" })),
    text: back.length > 0 && h("bdi", back.join(" · ")),
    below: stays.map((words) => h("div.small", h("bdi", words)))
  });
}

function nameOf(name) {
  return (
    NAMES[name] ??
    name
      .replace(/^fieldValues\./, "")
      .replace(/([A-Z])/g, " $1")
      .toLowerCase()
  );
}

function way(name, { from, to }, columns) {
  if (name === "archivedAt") return to ? "goes there" : "comes back";
  const show = (value) => {
    if (value === null || value === undefined) return "empty";
    if (name === "columnId") return columns.get(value) ?? "a column that is gone";
    return brief(typeof value === "string" ? value : JSON.stringify(value), SHOWN);
  };
  return `${show(from)} → ${show(to)}`;
}
