// Prompts: texts that agents are handed where they work, with versions, and which of them holds.

import { get, now, patch, post, remove } from "../core/api.js";
import { h, icon } from "../core/dom.js";
import { organization } from "../core/organization.js";
import { age } from "../core/words.js";
import { askFor, button, row, rows, section, sure } from "../parts/form.js";
import { onlyArchitects, plainScreen, Resource, settingsNav, SHEETS as PLAIN } from "../parts/plainscreen.js";
import { showVersions } from "../parts/promptversions.js";
import { change } from "../parts/refused.js";

export const SHEETS = [...PLAIN, "/css/design.css"];

const EMPTY = "No prompts yet. A column can name one, and agents who take a card there are handed it.";
const address = ({ id }) => `/prompts/${encodeURIComponent(id)}`;
const categoryAddress = ({ id }) => `/prompt-categories/${encodeURIComponent(id)}`;

export function show(host) {
  const resource = new Resource(read, ["prompt", "promptCategory"]);
  const done = () => resource.load();
  return plainScreen(host, {
    title: "Prompts",
    nav: settingsNav(),
    resource,
    tools: ({ categories }) =>
      organization.isArchitect && button("New prompt…", () => newPrompt(categories).then(done), { kind: "main" }),
    draw: ({ prompts, categories }) => [
      onlyArchitects(),
      section(
        "Prompts",
        prompts.length,
        rows(
          prompts.map((one) => promptRow(one, categories, done)),
          EMPTY,
          "Prompts",
        ),
      ),
      organization.isArchitect && categoriesSection(categories, prompts, done),
    ],
  });
}

async function read() {
  const [prompts, categories] = await Promise.all([get("/prompts"), get("/prompt-categories")]);
  return { prompts, categories };
}

function promptRow(prompt, categories, done) {
  const { id, name, categoryId, currentVersionId, updatedAt } = prompt;
  const category = categories.find((one) => one.id === categoryId)?.name;
  const act = (words, run) =>
    button(words, () => run(prompt).then(done), { name: `${words.replace("…", "")} ${name}` });
  return row({
    id,
    idle: !currentVersionId,
    mark: h("span", { class: "mark" }, icon("comment")),
    title: h("strong", null, name),
    note: category,
    text: `${currentVersionId ? "in use" : "no version is active, so agents get none"} · changed ${age(updatedAt, now())}`,
    actions: [
      act("Versions…", showVersions),
      organization.isArchitect && act("Edit…", (one) => editPrompt(one, categories)),
      organization.isArchitect && act("Remove…", removePrompt),
    ],
  });
}

const choices = (categories) => [["", "none"], ...categories.map(({ id, name }) => [id, name])];

function newPrompt(categories) {
  return askFor({
    title: "New prompt",
    text: "Its first version is active at once.",
    wide: true,
    fields: [
      { name: "name", label: "Name", required: true, most: 500 },
      { name: "categoryId", label: "Category", kind: "select", options: choices(categories) },
      { name: "body", label: "Text", kind: "textarea", rows: 12, required: true, most: 500_000 },
    ],
    button: "Make the prompt",
    send: (wanted) => post("/prompts", wanted),
  });
}

function editPrompt(prompt, categories) {
  const fields = [
    { name: "name", label: "Name", value: prompt.name, required: true, most: 500 },
    { name: "categoryId", label: "Category", kind: "select", options: choices(categories), value: prompt.categoryId },
  ];
  return askFor({
    title: `Edit ${prompt.name}`,
    fields,
    button: "Save",
    send: (wanted) => patch(address(prompt), wanted),
  });
}

function removePrompt(prompt) {
  const text = "All its versions go with it, and columns that name it name none then. It cannot be undone.";
  const told = { done: `${prompt.name} is removed.`, failed: `${prompt.name} was not removed` };
  return sure({ title: `Remove ${prompt.name}?`, text, button: "Remove" }, () => remove(address(prompt)), told);
}

function categoriesSection(categories, prompts, done) {
  const make = button("New category…", () => editCategory(null).then(done));
  const all = categories.map((category) => categoryRow(category, prompts, done));
  return section("Categories", categories.length, rows(all, "No categories yet.", "Categories"), make);
}

function categoryRow(category, prompts, done) {
  const { id, name, color } = category;
  const act = (words, run) =>
    button(words, () => run(category).then(done), { name: `${words.replace("…", "")} category ${name}` });
  const mark = h("span", { class: "mark" }, h("span", { class: "swatch", style: { background: color } }));
  return row({
    id,
    mark,
    title: h("strong", null, name),
    actions: [act("Edit…", editCategory), act("Remove", (one) => removeCategory(one, prompts))],
  });
}

function editCategory(category) {
  const fields = [
    { name: "name", label: "Name", value: category?.name, required: true, most: 500 },
    { name: "color", label: "Colour", kind: "color", value: category?.color ?? "#64748b" },
  ];
  const send = (wanted) => (category ? patch(categoryAddress(category), wanted) : post("/prompt-categories", wanted));
  return askFor({ title: category ? `Edit ${category.name}` : "New category", fields, button: "Save", send });
}

function removeCategory(category, prompts) {
  const { name, color } = category;
  const told = { says: `${name} is removed; its prompts are in no category`, failed: `${name} was not removed` };
  const mine = prompts.filter(({ categoryId }) => categoryId === category.id);
  const back = async () => {
    const { id } = await post("/prompt-categories", { name, color });
    for (const prompt of mine) await patch(address(prompt), { categoryId: id });
  };
  return change(() => remove(categoryAddress(category)), { ...told, back });
}
