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
  return new Promise((resolve) => new UndoDialog(agent, columns, resolve));
}

class UndoDialog {
  opening = serverNow(); // from which time spans count back
  lastRequest = 0; // the number of the newest preview; only that one is shown
  isDone = false;
  span = createField({ name: "span", label: "Time span", kind: "select", options: SPANS, value: String(HOUR) });
  from = createField({ name: "from", label: "From", kind: "datetime-local" });
  to = createField({ name: "to", label: "To", kind: "datetime-local", hint: "Empty: until now." });
  status = h("p", { role: "status" });
  problem = h("p.problem", { role: "alert" });
  list = h("div.deliveries");
  submit = h("button.button.main", { type: "submit", disabled: true }, "Undo");

  /** `closed(isDone)` is called once it is closed. */
  constructor(agent, columns, closed) {
    this.agent = agent;
    this.columns = columns;
    const title = phrase`Undo the changes of ${agent.title}`;
    const form = this.render(title);
    form.addEventListener("change", () => this.preview());
    form.addEventListener("submit", (event) => (event.preventDefault(), this.undo()));
    this.preview();
    const whenClosed = () => void closed(this.isDone);
    this.opened = openDialog({ label: title, className: "form-dialog wide", content: form, closed: whenClosed });
  }

  render(title) {
    const text = "Cards go back to their earlier state. Later changes by others stay, and so do comments.";
    const cancel = h("button.button", { click: () => this.opened.end() }, "Cancel");
    const fields = [this.span, this.from, this.to].map(({ element }) => element);
    const shown = [this.status, this.problem, this.list, h("div.row", cancel, this.submit)];
    return h("form.stack", { novalidate: true }, h("h2", title), h("p.muted", text), fields, shown);
  }

  /** Return the period as the API expects it, or null if it is incomplete. */
  readPeriod() {
    const { span, from, to } = this;
    for (const { element } of [from, to]) element.hidden = span.value() !== null;
    if (span.value() !== null) return { from: new Date(this.opening - Number(span.value())).toISOString() };
    return from.value() && { from: from.value(), ...(to.value() ? { to: to.value() } : {}) };
  }

  send(period, dryRun) {
    return post(orgPath("/undo"), { agentId: this.agent.id, ...period, dryRun });
  }

  // Preview

  async preview() {
    const requestNumber = ++this.lastRequest;
    const period = this.readPeriod();
    this.submit.disabled = true;
    setText(this.problem, "");
    if (!period) return replaceChildren(this.status, "Choose a start time.");
    try {
      const found = await this.send(period, true);
      if (requestNumber === this.lastRequest) this.showPreview(found);
    } catch (error) {
      if (requestNumber === this.lastRequest) this.showPreviewError(error);
    }
  }

  showPreview({ cards, kept, items }) {
    const keptText = kept ? ` ${formatCount(kept, "change")} of it would stay.` : "";
    const text = cards ? `${formatCount(cards, "card")} would change.` : "There is nothing to undo.";
    replaceChildren(this.status, text + keptText);
    const rows = drawRows(items, (item) => renderCardRow(item, this.columns));
    replaceChildren(this.list, rows.length > 0 && renderList(rows, "", "What would change"));
    this.submit.disabled = cards === 0;
    setText(this.submit, cards ? `Undo on ${formatCount(cards, "card")}` : "Undo");
  }

  showPreviewError(error) {
    replaceChildren(this.status);
    replaceChildren(this.list);
    setText(this.problem, plainErrorText(error));
  }

  // Undo

  async undo() {
    const period = this.readPeriod();
    if (!period || this.submit.disabled) return;
    this.submit.disabled = true;
    try {
      this.showDone(await this.send(period, false));
      this.isDone = true;
      this.opened.end();
    } catch (error) {
      setText(this.problem, plainErrorText(error));
      this.submit.disabled = false;
    }
  }

  showDone({ cards, kept }) {
    const keptText = kept ? ` ${formatCount(kept, "change")} stayed, since others went on from there.` : "";
    showToast({
      title: phrase`${formatCount(cards, "card")} of ${this.agent.title} went back`,
      text: `The history of each card shows it.${keptText}`
    });
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
