// Prompts and their categories.

import { get, patch, post, remove } from "../core/api.js";
import { serverNow } from "../core/clock.js";
import { colorSwatch, h } from "../core/dom.js";
import { formatAge, phrase } from "../core/format.js";
import { markIcon } from "../core/icons.js";
import { organization } from "../core/organization.js";
import { actionButtonFor, smallButton } from "../ui/controls.js";
import { colorField, nameField, openForm } from "../ui/form.js";
import { drawRows, listRow, listSection } from "../ui/list.js";
import { architectsOnlyNote, createPage } from "../ui/page.js";
import { confirmRemoval } from "../ui/request.js";
import { changeWithUndo } from "../ui/undo.js";
import { promptPath, showVersions, textField } from "./prompt-versions.js";
import { createSettingsNavigation } from "./navigation.js";

/** @import { Right } from "../ui/rights.js" */

const EMPTY = "No prompts yet. A column can have one; agents that claim a card there get it.";
const categoryPath = ({ id }) => `/prompt-categories/${encodeURIComponent(id)}`;

export function show(host) {
  return createPage(host, {
    title: "Prompts",
    navigation: createSettingsNavigation(),
    read: loadPrompts,
    resources: ["prompt", "promptCategory"],
    tools: ({ categories }, done) =>
      organization.isArchitect && smallButton("New prompt…", () => newPrompt(categories).then(done), { kind: "main" }),
    draw: ({ prompts, categories }, done) => [
      architectsOnlyNote(),
      listSection(
        "Prompts",
        drawRows(prompts, (prompt) => renderPromptRow(prompt, categories, done), {
          remove: (prompt) => removePrompt(prompt).then(done)
        }),
        EMPTY
      ),
      organization.isArchitect && renderCategories(categories, prompts, done)
    ]
  });
}

async function loadPrompts() {
  const [prompts, categories] = await Promise.all([get("/prompts"), get("/prompt-categories")]);
  return { prompts, categories };
}

function renderPromptRow(prompt, categories, done) {
  const { id, name, categoryId, currentVersionId, updatedAt } = prompt;
  const actionButton = actionButtonFor(name, done);
  return listRow({
    id,
    idle: !currentVersionId,
    mark: markIcon("comment"),
    title: h("strong", name),
    note: categories.find((category) => category.id === categoryId)?.name,
    text: [
      currentVersionId ? "in use" : "no version is active, so agents get none",
      ` · changed ${formatAge(updatedAt, serverNow())}`
    ],
    actions: [
      actionButton("Versions…", () => showVersions(prompt)),
      organization.isArchitect && actionButton("Edit…", () => editPrompt(prompt, categories)),
      organization.isArchitect && actionButton("Remove…", () => removePrompt(prompt))
    ]
  });
}

function categoryField(categories, value) {
  const options = [["", "none"], ...categories.map(({ id, name }) => [id, name])];
  return { name: "categoryId", label: "Category", kind: "select", options, value };
}

function newPrompt(categories) {
  return openForm({
    title: "New prompt",
    item: `prompts of ${organization.id}`,
    text: "Its first version is active at once.",
    wide: true,
    fields: [nameField(), categoryField(categories), textField(12)],
    button: "Create prompt",
    send: (values) => post("/prompts", values)
  });
}

function editPrompt(prompt, categories) {
  const fields = [nameField(prompt.name), categoryField(categories, prompt.categoryId)];
  const send = (values) => patch(promptPath(prompt), values);
  return openForm({ title: phrase`Edit ${prompt.name}`, fields, button: "Save", send });
}

function removePrompt(prompt) {
  const text = "All its versions are deleted too, and columns that use it have no prompt then. This cannot be undone.";
  return confirmRemoval(prompt.name, text, () => remove(promptPath(prompt)));
}

function renderCategories(categories, prompts, done) {
  const createButton = smallButton("New category…", () => editCategory(null).then(done));
  const rows = drawRows(categories, (category) => renderCategoryRow(category, prompts, done));
  return listSection("Categories", rows, "No categories yet.", createButton);
}

function renderCategoryRow(category, prompts, done) {
  const { id, name, color } = category;
  const actionButton = actionButtonFor(`category ${name}`, done);
  return listRow({
    id,
    mark: h("span.mark", colorSwatch(color)),
    title: h("strong", name),
    actions: [
      actionButton("Edit…", () => editCategory(category)),
      actionButton("Remove", () => removeCategory(category, prompts))
    ]
  });
}

function editCategory(category) {
  const fields = [nameField(category?.name), colorField(category?.color)];
  const send = (values) => (category ? patch(categoryPath(category), values) : post("/prompt-categories", values));
  return openForm({ title: category ? phrase`Edit ${category.name}` : "New category", fields, button: "Save", send });
}

function removeCategory(category, prompts) {
  const { name, color } = category;
  const message = phrase`${name} is removed; its prompts are in no category`;
  const messages = { message, failed: phrase`${name} was not removed` };
  const categoryPrompts = prompts.filter(({ categoryId }) => categoryId === category.id);
  const undo = async () => {
    const { id } = await post("/prompt-categories", { name, color });
    for (const prompt of categoryPrompts) await patch(promptPath(prompt), { categoryId: id });
  };
  /** @type {Right[]} */
  const needs = [
    ["create", "Prompt"],
    ["update", "Prompt"]
  ];
  return changeWithUndo(() => remove(categoryPath(category)), { ...messages, undo, needs });
}
