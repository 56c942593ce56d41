// The columns of a board's design: their order, flags as switches, limits, required fields, prompts.

import { get, patch, post, remove } from "../core/api.js";
import { fill, h, icon } from "../core/dom.js";
import { organization, path } from "../core/organization.js";
import { count } from "../core/words.js";
import { changedColumn, forAgents, grip, handed, needs, sortable } from "./design.js";
import { askFor, button, choice, section, sentence, switched, titleField } from "./form.js";
import { acting, untilDone } from "./plainscreen.js";
import { CARDS_MAX, change, former, offerUndo } from "./refused.js";

const FLAGS = [
  ["agentPickupEnabled", "Agents may work here", "Take cards, comment, ask"],
  ["agentCanModerate", "Agents may change and move cards", "Out of this column, along the ways below"],
  ["rejectsBlocked", "Takes no blocked cards", "Whatever blocks them must be done first"]
];
const address = ({ id }, rest = "") => path(`/columns/${encodeURIComponent(id)}${rest}`);

const list = h("ol.panel", { "aria-label": "Columns" }); // always the same, so that it is made draggable once
let drawn = null; // {design, done}

/** Draw the columns; `done` is told when one was changed. */
export function columnsSection(design, done) {
  const put = (column, order) => set(column, { order }, null, drawn.done);
  if (!drawn) sortable(list, (id) => drawn.design.columns.find((one) => one.id === id), put);
  drawn = { design, done };
  fill(list, design.columns.map((column) => columnRow(design, column, done)));
  const make = organization.isArchitect && button("New column…", () => newColumn(design).then(done));
  return section("Columns", design.columns.length, list, make);
}

function columnRow(design, column, done) {
  const { id, title, order } = column;
  const disabled = !organization.isArchitect;
  const save = (wanted, says) => set(column, wanted, says, done);
  const flag = ([key, words, why]) =>
    switched(words, column[key], (on) => save({ [key]: on }, changedColumn(title, key, on)), {
      disabled,
      why,
      name: `${title}: ${words}`
    });
  const isDone = switched(
    "Cards here are done",
    column.columnType === "done",
    (on) =>
      save({ columnType: on ? "done" : "standard" }, changedColumn(title, "columnType", on ? "done" : "standard")),
    { disabled, name: `${title}: Cards here are done` }
  );
  const act = acting(title, done);
  const move = (words, to) => {
    const named = { class: "plain", "aria-label": `${words}: ${title}` };
    return h("button", { ...named, click: () => save({ order: to }, null) }, icon(words.toLowerCase()));
  };
  const buttons = [
    order > 0 && move("Earlier", order - 1),
    order < design.columns.length - 1 && move("Later", order + 1),
    act("Rename…", () => rename(column, done)),
    act("Remove…", () => dismiss(design, column, done))
  ];
  const hold = !disabled && grip();
  const head = h("div.row", hold, h("strong", title), h("span.gap"), !disabled && buttons);
  const more = [limit(column, save, disabled), prompt(design, column, save, disabled), fieldsOf(design, column, done)];
  const flags = h("div.flags", FLAGS.map(flag), isDone);
  const says = h("p.small.muted", forAgents(design, column));
  return h("li.item.design", { "data-id": id }, head, flags, h("div.row.wrap", more), says);
}

function set(column, wanted, says, done) {
  const told = { says: says ?? `${column.title} has another place`, failed: `${column.title} stays as it was` };
  return change(() => patch(address(column), wanted), { ...told, back: back(column, wanted) }, done);
}

function back(column, wanted) {
  const list = path(`/columns?projectId=${encodeURIComponent(column.projectId)}`);
  return former({ list, address: address(column) }, column, wanted);
}

function limit(column, save, disabled) {
  const wishes = { type: "number", min: 1, max: 1_000_000, value: column.wipLimit ?? "", placeholder: "none", disabled };
  const field = h("input.input.small", { "aria-label": `${column.title}: Limit of cards`, ...wishes });
  field.addEventListener("change", () => {
    if (!field.validity.valid) return field.reportValidity();
    field.defaultValue = field.value;
    const wipLimit = field.value ? Number(field.value) : null;
    save({ wipLimit }, changedColumn(column.title, "wipLimit", wipLimit));
  });
  return h("label.row", h("span.small", "Limit"), field);
}

function prompt({ prompts }, column, save, disabled) {
  const options = [["", "none"], ...prompts.map(({ id, name }) => [id, name])];
  const give = (wanted) => {
    const name = prompts.find(({ id }) => id === wanted)?.name;
    save({ promptId: wanted || null }, handed(column.title, name));
  };
  const select = choice(`${column.title}: Prompt for agents`, options, column.promptId ?? "", give, { disabled });
  return h("label.row", h("span.small", "Prompt"), select);
}

function fieldsOf({ types }, column, done) {
  const all = types.flatMap(({ title, fields }) => fields.map((field) => ({ ...field, type: title })));
  const many = column.requiredFieldIds.length;
  const words = many ? `Required fields: ${many}…` : "Required fields…";
  const choose = () => required(column, all).then(done);
  const name = `${column.title}: ${words.replace("…", "")}`;
  return button(words, choose, { name, disabled: !organization.isArchitect });
}

/** Choose which fields a card needs before it comes in; each switch holds at once. */
function required(column, all) {
  const wanted = new Set(column.requiredFieldIds);
  const said = h("p.small.muted", { role: "status" }, sayNeeds());
  const problem = h("p.problem", { role: "alert" });
  const rows = all.map(({ id, label, type }) => switched(`${label} (${type})`, wanted.has(id), (on) => choose(id, on)));
  const none = !rows.length && h("p.muted", "No card type has fields yet.");
  return untilDone(`Required in ${column.title}`, [rows, none, said, problem], "ask");

  function sayNeeds() {
    const labels = all.filter(({ id }) => wanted.has(id)).map(({ label }) => label);
    return needs(column.title, labels);
  }

  async function choose(id, on) {
    on ? wanted.add(id) : wanted.delete(id);
    try {
      await patch(address(column), { requiredFieldIds: [...wanted] });
      said.textContent = sayNeeds();
      problem.textContent = "";
      return true;
    } catch (error) {
      on ? wanted.delete(id) : wanted.add(id);
      problem.textContent = sentence(error);
      return false;
    }
  }
}

function newColumn({ project }) {
  return askFor({
    title: "New column",
    text: "It comes last, for people only, with no way in or out; move it, switch it and draw its ways afterwards.",
    fields: [titleField()],
    button: "Make the column",
    send: ({ title }) => post(path("/columns"), { projectId: project.id, title })
  });
}

function rename(column, done) {
  return askFor({
    title: "Rename the column",
    fields: [titleField(column.title)],
    button: "Rename",
    send: async (wanted) => {
      await patch(address(column), wanted);
      const undo = back(column, wanted);
      offerUndo(`${column.title} is called ${wanted.title} now`, () => undo().finally(done));
    }
  });
}

function dismiss({ columns, ways }, column, done) {
  const others = columns.filter(({ id }) => id !== column.id).map(({ id, title }) => [id, title]);
  return askFor({
    title: `Remove ${column.title}?`,
    text: "The ways in and out of it go too. Its cards are moved to another column; Undo brings back those with a way.",
    fields: [{ name: "to", label: "Move its cards to", kind: "select", options: [["", "It has none"], ...others] }],
    button: "Remove",
    send: async ({ to }) => {
      const here = `/cards?columnId=${encodeURIComponent(column.id)}&pageSize=${CARDS_MAX}`;
      const cards = to ? await get(path(here)) : { items: [], total: 0 };
      await remove(address(column, to ? `?moveTo=${encodeURIComponent(to)}` : ""));
      offerUndo(`${column.title} is removed`, () => again(column, ways, cards).finally(done));
    }
  });
}

/** Make a column again as it was, with its ways and, where there is a way, its cards. */
async function again({ id, createdAt, ...column }, ways, { items, total }) {
  const made = await post(path("/columns"), column);
  const now = (other) => (other === id ? made.id : other);
  for (const { fromColumnId, toColumnId, requiresApproval } of ways)
    if ([fromColumnId, toColumnId].includes(id))
      await post(path("/transitions"), { fromColumnId: now(fromColumnId), toColumnId: now(toColumnId), requiresApproval });
  if (!total) return;
  const operations = items.map((card) => ({ cardId: card.id, move: { toColumnId: made.id } }));
  const { results } = await post(path("/cards/batch"), { operations });
  const left = total - results.filter(({ card }) => card).length;
  if (left) return `${column.title} is back; ${count(left, "card")} of it did not come along.`;
}
