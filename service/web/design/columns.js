// The columns of the board settings.

import { patch } from "../core/api.js";
import { h, replaceChildren, setText } from "../core/dom.js";
import { plainErrorText } from "../core/error-text.js";
import { formatNumber, phrase } from "../core/format.js";
import { icon } from "../core/icons.js";
import { organization } from "../core/organization.js";
import { columnPath, createColumn, NEW_COLUMN_TEXT, removeColumn, renameColumn, updateColumn } from "../ui/column-changes.js";
import { choiceButton } from "../ui/choice-button.js";
import { actionButtonFor, smallButton, switchInput } from "../ui/controls.js";
import { openUntilClosed } from "../ui/dialog.js";
import { openForm, titleField } from "../ui/form.js";
import { drawRows, renderSection } from "../ui/list.js";
import { dragHandle, makeSortable } from "./sortable-list.js";
import { agentRightsText, columnChangeText, promptText, requiredFieldsText } from "./texts.js";

const FLAGS = [
  ["agentPickupEnabled", "Agents may work here", "Take cards, comment, ask"],
  ["agentCanModerate", "Agents may change and move cards", "Out of this column, by the transitions below"],
  ["rejectsBlocked", "Block cards with open blockers", "Their blockers must be done first"]
];

const list = h("ol.panel", { "aria-label": "Columns" }); // never replaced, since it is made sortable once
let drawn = null; // {design, done}

/** Render the columns; `done` is called after a change. */
export function renderColumns(design, done) {
  const put = (column, order) => updateColumn(column, { order }, null, drawn.done);
  if (!drawn) makeSortable(list, (id) => drawn.design.columns.find((candidate) => candidate.id === id), put);
  drawn = { design, done };
  replaceChildren(
    list,
    drawRows(design.columns, (column) => columnRow(design, column, done), {
      remove: (column) => removeColumn(design, column, done)
    })
  );
  const createButton = organization.isArchitect && smallButton("New column…", () => newColumn(design, done).then(done));
  return renderSection("Columns", design.columns.length, list, createButton);
}

function columnRow(design, column, done) {
  const { id, title, order } = column;
  const disabled = !organization.isArchitect;
  const save = (changes, message) => updateColumn(column, changes, message, done);
  const flag = ([key, label, hint]) =>
    switchInput(label, column[key], (on) => save({ [key]: on }, columnChangeText(title, key, on)), {
      disabled,
      why: hint,
      name: `${title}: ${label}`
    });
  const isDone = switchInput(
    "Cards here are done",
    column.columnType === "done",
    (on) => save({ columnType: on ? "done" : "standard" }, columnChangeText(title, "columnType", on ? "done" : "standard")),
    { disabled, name: `${title}: Cards here are done` }
  );
  const actionButton = actionButtonFor(title, done);
  const move = (label, to) => {
    const attributes = { class: "plain-button", "aria-label": `${label}: ${title}` };
    return h("button", { ...attributes, click: () => save({ order: to }, null) }, icon(label.toLowerCase()));
  };
  const buttons = [
    order > 0 && move("Earlier", order - 1),
    order < design.columns.length - 1 && move("Later", order + 1),
    actionButton("Rename…", () => openRename(column, done)),
    actionButton("Remove…", () => removeColumn(design, column, done))
  ];
  const handle = !disabled && dragHandle();
  const head = h("div.row", handle, h("strong", title), h("span.spacer"), !disabled && buttons);
  const more = [
    renderLimit(column, save, disabled),
    renderPromptChoice(design, column, save, disabled),
    renderRequiredFields(design, column, done)
  ];
  const flags = h("div.flags", FLAGS.map(flag), isDone);
  const rights = h("p.small.muted", agentRightsText(design, column));
  return h("li.item.design", { "data-id": id }, head, flags, h("div.row.wrap", more), rights);
}

function renderLimit(column, save, disabled) {
  const attributes = {
    type: "number",
    min: 1,
    max: 1_000_000,
    value: column.wipLimit ?? "",
    placeholder: "none",
    disabled
  };
  const field = h("input.input.small", { "aria-label": `${column.title}: Limit of cards`, ...attributes });
  const saveLimit = () => {
    if (field.value === field.defaultValue && field.validity.valid) return;
    const isWhole = /^\d*$/.test(field.value); // 1.000 is one, or a thousand
    field.setCustomValidity(isWhole ? "" : "Type a whole number in digits only.");
    if (!field.validity.valid) return field.reportValidity();
    field.defaultValue = field.value;
    const wipLimit = field.value ? Number(field.value) : null;
    save({ wipLimit }, columnChangeText(column.title, "wipLimit", wipLimit));
  };
  field.addEventListener("blur", saveLimit); // an arrow key is a change, too, but not yet what is meant
  field.addEventListener("keydown", ({ key }) => key === "Enter" && saveLimit());
  return h("label.row", h("span.small", "Limit"), field);
}

function renderPromptChoice({ prompts }, column, save, disabled) {
  const options = [["", "none"], ...prompts.map(({ id, name }) => [id, name])];
  const savePrompt = (promptId) => {
    const name = prompts.find(({ id }) => id === promptId)?.name;
    save({ promptId: promptId || null }, promptText(column.title, name));
  };
  const button = choiceButton(`${column.title}: Prompt for agents`, options, column.promptId ?? "", savePrompt, { disabled });
  return h("div.row", h("span.small", "Prompt"), button);
}

function renderRequiredFields({ types }, column, done) {
  const all = types.flatMap(({ title, fields }) => fields.map((field) => ({ ...field, type: title })));
  const count = column.requiredFieldIds.length;
  const label = count ? `Required fields: ${formatNumber(count)}…` : "Required fields…";
  const choose = () => openRequiredFields(column, all).then(done);
  const name = `${column.title}: ${label.replace("…", "")}`;
  return smallButton(label, choose, { name, disabled: !organization.isArchitect });
}

/** Choose the fields required to enter a column; each switch applies at once. */
function openRequiredFields(column, all) {
  const requiredIds = new Set(column.requiredFieldIds);
  const status = h("p.small.muted", { role: "status" }, describeRequired());
  const problem = h("p.problem", { role: "alert" });
  const rows = all.map(({ id, label, type }) => switchInput(`${label} (${type})`, requiredIds.has(id), (on) => choose(id, on)));
  const none = !rows.length && h("p.muted", "No card type has fields yet.");
  return openUntilClosed(phrase`Required in ${column.title}`, [rows, none, status, problem], "form-dialog");

  function describeRequired() {
    const labels = all.filter(({ id }) => requiredIds.has(id)).map(({ label }) => label);
    return requiredFieldsText(column.title, labels);
  }

  async function choose(id, on) {
    on ? requiredIds.add(id) : requiredIds.delete(id);
    try {
      await patch(columnPath(column), { requiredFieldIds: [...requiredIds] });
      setText(status, describeRequired());
      setText(problem, "");
      return true;
    } catch (error) {
      on ? requiredIds.delete(id) : requiredIds.add(id);
      setText(problem, plainErrorText(error));
      return false;
    }
  }
}

function newColumn({ project }, done) {
  return openForm({
    title: "New column",
    text: NEW_COLUMN_TEXT,
    fields: [titleField()],
    button: "Create column",
    send: ({ title }) => createColumn(project.id, title, done)
  });
}

function openRename(column, done) {
  return openForm({
    title: "Rename the column",
    fields: [titleField(column.title)],
    button: "Rename",
    send: ({ title }) => renameColumn(column, title, done)
  });
}
