// The dialog that undoes what an agent did in a period.

import { post } from "../core/api.js";
import { serverNow } from "../core/clock.js";
import { h, replaceChildren, setText } from "../core/dom.js";
import { plainErrorText } from "../core/error-text.js";
import { formatCount, phrase, truncate } from "../core/format.js";
import { orgPath } from "../core/organization.js";
import { cardLink } from "../ui/card-link.js";
import { openDialog } from "../ui/dialog.js";
import { createField } from "../ui/form.js";
import { drawRows, listRow, renderList } from "../ui/list.js";
import { showToast } from "../ui/toast.js";

const HOUR = 3_600_000;
const SPANS = [
  [String(HOUR / 4), "The last 15 minutes"],
  [String(HOUR), "The last hour"],
  [String(4 * HOUR), "The last 4 hours"],
  [String(24 * HOUR), "The last 24 hours"],
  ["", "Another time span…"]
];
const PROPERTY_NAMES = {
  __proto__: null,
  columnId: "column",
  archivedAt: "in the archive",
  dueDate: "due date",
  assignedAgentId: "assigned agent",
  assignedUserId: "assignee",
  cardTypeId: "type",
  created: "the card itself"
};
const VALUE_CHARACTERS_MAX = 40; // of a quoted value

/** Ask for a period, show a preview, and undo the agent's changes; return whether it was done. */
export function openUndoDialog(agent, columns) {
  const opening = serverNow();
  const title = phrase`Undo the changes of ${agent.title}`;
  const span = createField({ name: "span", label: "Time span", kind: "select", options: SPANS, value: String(HOUR) });
  const from = createField({ name: "from", label: "From", kind: "datetime-local" });
  const to = createField({ name: "to", label: "To", kind: "datetime-local", hint: "Empty: until now." });
  const status = h("p", { role: "status" });
  const problem = h("p.problem", { role: "alert" });
  const list = h("div.deliveries");
  const submit = h("button.button.main", { type: "submit", disabled: true }, "Undo");
  const cancel = h("button.button", { click: () => opened.end() }, "Cancel");
  const text = "Cards go back to their earlier state. Later changes by others stay, and so do comments.";
  const form = h(
    "form.stack",
    { novalidate: true },
    h("h2", title),
    h("p.muted", text),
    [span, from, to].map(({ element }) => element),
    status,
    problem,
    list,
    h("div.row", cancel, submit)
  );
  let lastRequest = 0;
  let isDone = false;
  let opened = null;
  form.addEventListener("change", preview);
  form.addEventListener("submit", (event) => (event.preventDefault(), undo()));
  preview();
  return new Promise((resolve) => {
    opened = openDialog({
      label: title,
      className: "form-dialog wide",
      content: form,
      closed: () => void resolve(isDone)
    });
  });

  /** Return the period as the API expects it, or null if it is incomplete. */
  function readPeriod() {
    for (const { element } of [from, to]) element.hidden = span.value() !== null;
    if (span.value() !== null) return { from: new Date(opening - Number(span.value())).toISOString() };
    return from.value() && { from: from.value(), ...(to.value() ? { to: to.value() } : {}) };
  }

  async function preview() {
    const requestNumber = ++lastRequest;
    const period = readPeriod();
    submit.disabled = true;
    setText(problem, "");
    if (!period) return replaceChildren(status, "Choose a start time.");
    try {
      const found = await send(period, true);
      if (requestNumber !== lastRequest) return;
      const keptText = found.kept ? ` ${formatCount(found.kept, "change")} of it would stay.` : "";
      replaceChildren(
        status,
        found.cards ? `${formatCount(found.cards, "card")} would change.${keptText}` : `There is nothing to undo.${keptText}`
      );
      replaceChildren(
        list,
        found.items.length > 0 &&
          renderList(
            drawRows(found.items, (item) => renderCardRow(item, columns)),
            "",
            "What would change"
          )
      );
      submit.disabled = found.cards === 0;
      setText(submit, found.cards ? `Undo on ${formatCount(found.cards, "card")}` : "Undo");
    } catch (error) {
      if (requestNumber !== lastRequest) return;
      replaceChildren(status);
      replaceChildren(list);
      setText(problem, plainErrorText(error));
    }
  }

  function send(period, dryRun) {
    return post(orgPath("/undo"), { agentId: agent.id, ...period, dryRun });
  }

  async function undo() {
    const period = readPeriod();
    if (!period || submit.disabled) return;
    submit.disabled = true;
    try {
      const { cards, kept } = await send(period, false);
      const keptText = kept ? ` ${formatCount(kept, "change")} stayed, since others went on from there.` : "";
      showToast({
        title: phrase`${formatCount(cards, "card")} of ${agent.title} went back`,
        text: `The history of each card shows it.${keptText}`
      });
      isDone = true;
      opened.end();
    } catch (error) {
      setText(problem, plainErrorText(error));
      submit.disabled = false;
    }
  }
}

function renderCardRow({ cardId, cardKey, title, projectId, changes, kept }, columns) {
  const undoneTexts = Object.entries(changes).map(
    ([name, change]) => phrase`${propertyName(name)}: ${changeText(name, change, columns)}`
  );
  const keptTexts = kept.map(
    ({ name, message, by }) => phrase`${propertyName(name)} stays: ${message}` + (by?.label ? ` (${by.label})` : "")
  );
  return listRow({
    id: cardId,
    title: h("span", cardLink(projectId, cardKey, title, { target: "_blank" })),
    text: undoneTexts.length > 0 && h("bdi", undoneTexts.join(" · ")),
    below: keptTexts.map((text) => h("div.small", h("bdi", text)))
  });
}

function propertyName(name) {
  return (
    PROPERTY_NAMES[name] ??
    name
      .replace(/^fieldValues\./, "")
      .replace(/([A-Z])/g, " $1")
      .toLowerCase()
  );
}

function changeText(name, { from, to }, columns) {
  if (name === "archivedAt") return to ? "goes there" : "comes back";
  const show = (value) => {
    if (value === null || value === undefined) return "empty";
    if (name === "columnId") return columns.get(value) ?? "a column that is gone";
    return truncate(typeof value === "string" ? value : JSON.stringify(value), VALUE_CHARACTERS_MAX);
  };
  return `${show(from)} → ${show(to)}`;
}
