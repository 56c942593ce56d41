// The card types of the board settings.

import { patch, post } from "../core/api.js";
import { colorSwatch, h } from "../core/dom.js";
import { isolate, phrase } from "../core/format.js";
import { drawPart } from "../core/guard.js";
import { icon } from "../core/icons.js";
import { organization, orgPath } from "../core/organization.js";
import { actionButtonFor, smallButton, switchInput } from "../ui/controls.js";
import { colorField, openForm, titleField } from "../ui/form.js";
import { drawRows, listRow, renderList, renderSection } from "../ui/list.js";
import { changeWithUndo, offerUndo, revertTo } from "../ui/undo.js";
import { editOptionColors } from "./option-colors.js";
import { removeField, removeType } from "./removal.js";

/** @type {[kind: string, name: string][]} */
const KINDS = [
  ["text", "Short text"],
  ["richtext", "Formatted text"],
  ["number", "Number"],
  ["checkbox", "Checkbox"],
  ["select", "Single select"],
  ["multiselect", "Multi-select"],
  ["date", "Date"],
  ["url", "URL"],
  ["agent", "Agent"],
  ["user", "Person"],
  ["file", "File"]
];
const KIND_WORDS = new Map(KINDS);
const SAMPLES = {
  __proto__: null,
  text: "…",
  richtext: "…",
  number: "42",
  checkbox: "yes",
  date: "Nov 27",
  url: "a link",
  agent: "an agent",
  user: "a person",
  file: "a file"
};
const hasOptions = ({ kind }) => kind === "select" || kind === "multiselect";

const typeAddress = ({ id }) => orgPath(`/card-types/${encodeURIComponent(id)}`);
const fieldAddress = (type, { id }) => `${typeAddress(type)}/fields/${encodeURIComponent(id)}`;
const typePaths = (type) => ({ list: orgPath("/card-types"), address: typeAddress(type) });
const fieldPaths = (type, field) => ({ list: `${typeAddress(type)}/fields`, address: fieldAddress(type, field) });

/** Render the card types of the board; `done` is called after a change. */
export function renderCardTypes(design, done) {
  const createButton = organization.isArchitect && smallButton("New card type…", () => newType(design).then(done));
  const all = design.types.map((type) => drawPart(type.title, () => renderCardType(type, done)));
  return renderSection(
    "Card types",
    design.types.length,
    all.length ? all : renderList([], "No card types yet. Every card needs one."),
    createButton
  );
}

function renderCardType(type, done) {
  const { id, title, color, fields, projectId } = type;
  const disabled = !organization.isArchitect;
  const actionButton = actionButtonFor(title, done);
  const flagSwitch = (key, label, message) =>
    switchInput(label, type[key], (on) => updateWithUndo(typePaths(type), type, { [key]: on }, title, message(on), done), {
      disabled,
      name: `${title}: ${label}`
    });
  const note = h("span.muted.small", projectId ? "of this board" : "shared by all boards");
  const buttons = !disabled && [
    actionButton("New field…", () => newField(type)),
    actionButton("Edit…", () => editType(type, done)),
    actionButton("Remove…", () => removeType(typeAddress(type), type))
  ];
  const commentsMessage = (on) => phrase`Agents and people may ${on ? "now" : "no longer"} comment on cards of type ${title}.`;
  const filesMessage = (on) => phrase`Cards of type ${title} take ${on ? "files now" : "no files any more"}.`;
  const list = renderList(
    drawRows(fields, (field) => fieldRow(type, field, fields.indexOf(field), done), {
      remove: (field) => removeField(fieldAddress(type, field), field).then(done)
    }),
    "No fields yet.",
    `Fields of ${title}`
  );
  return h(
    "article.card-type",
    { "data-id": id, "aria-label": title },
    h("div.row.wrap", colorSwatch(color), h("h3", title), note, h("span.spacer"), buttons),
    h(
      "div.flags",
      flagSwitch("commentsEnabled", "Takes comments", commentsMessage),
      flagSwitch("filesEnabled", "Takes files", filesMessage)
    ),
    h("div.type-halves", list, renderSample(type))
  );
}

function updateWithUndo(paths, resource, changes, title, message, done) {
  const messages = { message: message ?? phrase`${title} has another place`, failed: phrase`${title} stays as it was` };
  return changeWithUndo(() => patch(paths.address, changes), { ...messages, undo: revertTo(paths, resource, changes) }, done);
}

function fieldRow(type, field, at, done) {
  const { id, label, name, kind, options, validation } = field;
  const disabled = !organization.isArchitect;
  const save = (changes, message) => updateWithUndo(fieldPaths(type, field), field, changes, label, message, done);
  const requiredMessage = (on) =>
    on ? phrase`A card needs ${label} before it leaves the first column.` : phrase`Cards no longer need ${label}.`;
  const requiredSwitch = switchInput("Required", field.required, (on) => save({ required: on }, requiredMessage(on)), {
    disabled,
    name: `${label}: Required`
  });
  const shownMessage = (on) => phrase`Cards on boards ${on ? "show" : "no longer show"} ${label}.`;
  const shownSwitch = switchInput("On cards", field.showOnCard, (on) => save({ showOnCard: on }, shownMessage(on)), {
    disabled,
    name: `${label}: Show on cards`
  });
  const colors = () =>
    editOptionColors(field, (optionColors) => saveAndOfferUndo(fieldPaths(type, field), field, { optionColors }, label, done));
  const up = () => save({ order: at - 1 }, null);
  const earlier = h("button.plain-button", { "aria-label": `Earlier: ${label}`, click: up }, icon("earlier"));
  const actionButton = actionButtonFor(label, done);
  return listRow({
    id,
    title: h("strong", label),
    note: KIND_WORDS.get(kind),
    text: [name, options.length > 0 && ` · ${options.map(isolate).join(", ")}`, validation && ` · pattern ${validation}`],
    below: h("div.flags", kind !== "file" && shownSwitch, requiredSwitch),
    actions: [
      !disabled && at > 0 && earlier,
      !disabled && hasOptions(field) && actionButton("Colours…", colors),
      !disabled && actionButton("Edit…", () => editField(type, field, done)),
      !disabled && actionButton("Remove…", () => removeField(fieldAddress(type, field), field))
    ]
  });
}

/** Render a sample card of a type with its fields. */
function renderSample({ title, color, fields, commentsEnabled, filesEnabled }) {
  const kind = h("span.kind", colorSwatch(color), title);
  const value = ({ kind: fieldKind, options }) => options[0] ?? SAMPLES[fieldKind] ?? "…";
  const shown = fields.filter((field) => field.kind !== "file" || filesEnabled);
  const pair = (field) => h("div", h("dt", field.label, field.required && " *"), h("dd.muted", value(field)));
  const commentsNote = h("p.small.muted", commentsEnabled ? "Comments below." : "No comments.");
  const body = h("div.sample-card", h("div.name", "A card of this type"), kind, h("dl", shown.map(pair)), commentsNote);
  return h("figure.sample", h("figcaption.small.muted", "Sample"), body);
}

const typeFields = (type) => [titleField(type?.title), colorField(type?.color)];

function newType({ project }) {
  const scope = { name: "isShared", label: "For all boards of the organization", kind: "switch" };
  return openForm({
    title: "New card type",
    fields: [...typeFields(), scope],
    button: "Create card type",
    send: ({ isShared, ...changes }) => post(orgPath("/card-types"), isShared ? changes : { ...changes, projectId: project.id })
  });
}

function editType(type, done) {
  const send = (changes) => saveAndOfferUndo(typePaths(type), type, changes, type.title, done);
  return openForm({ title: phrase`Edit ${type.title}`, fields: typeFields(type), button: "Save", send });
}

async function saveAndOfferUndo(paths, resource, changes, title, done) {
  await patch(paths.address, changes);
  const changed = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const undo = revertTo(paths, resource, changed);
  offerUndo(phrase`${title} is changed`, () => undo().finally(done));
}

const fieldFields = (field) => [
  { name: "label", label: "Label", value: field?.label, required: true, maxLength: 500 },
  {
    name: "name",
    label: "Name for agents",
    value: field?.name,
    required: true,
    maxLength: 64,
    hint: "Letters, digits, _ and -; begins with a letter."
  },
  ...(field ? [] : [{ name: "kind", label: "Kind", kind: "select", options: KINDS }]),
  {
    name: "options",
    label: "Options, one per line",
    kind: "lines",
    rows: 4,
    value: field?.options,
    when: (values) => hasOptions(field ?? values)
  },
  {
    name: "multiple",
    label: "Takes several files",
    kind: "switch",
    value: field?.multiple,
    when: (values) => (field ?? values).kind === "file"
  },
  {
    name: "validation",
    label: "Pattern",
    value: field?.validation,
    maxLength: 1000,
    hint: "A regular expression (RE2) that values must match; left empty: any value.",
    when: (values) => ["text", "richtext", "url"].includes((field ?? values).kind)
  }
];

function newField(type) {
  const send = (changes) => post(`${typeAddress(type)}/fields`, changes);
  const title = phrase`New field of ${type.title}`;
  return openForm({ title, item: type.id, fields: fieldFields(), button: "Create field", send });
}

function editField(type, field, done) {
  const send = (changes) => saveAndOfferUndo(fieldPaths(type, field), field, changes, field.label, done);
  return openForm({ title: phrase`Edit ${field.label}`, item: field.id, fields: fieldFields(field), button: "Save", send });
}
