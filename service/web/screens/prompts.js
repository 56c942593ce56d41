// Prompts: texts that agents are handed where they work, with versions, and which of them holds.

import { get, now, patch, post, remove } from "../core/api.js";
import { fill, h, labelled, mark, swatch } from "../core/dom.js";
import { organization } from "../core/organization.js";
import { age } from "../core/words.js";
import { askFor, attempt, button, choice, colorField, nameField, removal, row } from "../parts/form.js";
import { acting, listing, onlyArchitects, plainScreen, untilDone } from "../parts/plainscreen.js";
import { change } from "../parts/refused.js";

const EMPTY = "No prompts yet. A column can name one, and agents who take a card there are handed it.";
const address = ({ id }, rest = "") => `/prompts/${encodeURIComponent(id)}${rest}`;
const categoryAddress = ({ id }) => `/prompt-categories/${encodeURIComponent(id)}`;

export function show(host) {
  return plainScreen(host, {
    title: "Prompts",
    isSetting: true,
    read,
    nouns: ["prompt", "promptCategory"],
    tools: ({ categories }, done) =>
      organization.isArchitect && button("New prompt…", () => newPrompt(categories).then(done), { kind: "main" }),
    draw: ({ prompts, categories }, done) => [
      onlyArchitects(),
      listing("Prompts", prompts.map((one) => promptRow(one, categories, done)), EMPTY),
      organization.isArchitect && categoriesSection(categories, prompts, done)
    ]
  });
}

async function read() {
  const [prompts, categories] = await Promise.all([get("/prompts"), get("/prompt-categories")]);
  return { prompts, categories };
}

function promptRow(prompt, categories, done) {
  const { id, name, categoryId, currentVersionId, updatedAt } = prompt;
  const act = acting(name, done);
  return row({
    id,
    idle: !currentVersionId,
    mark: mark("comment"),
    title: h("strong", name),
    note: categories.find((one) => one.id === categoryId)?.name,
    text: `${currentVersionId ? "in use" : "no version is active, so agents get none"} · changed ${age(updatedAt, now())}`,
    actions: [
      act("Versions…", () => showVersions(prompt)),
      organization.isArchitect && act("Edit…", () => editPrompt(prompt, categories)),
      organization.isArchitect && act("Remove…", () => removePrompt(prompt))
    ]
  });
}

const textField = (rows, value) => {
  return { name: "body", label: "Text", kind: "textarea", rows, value, required: true, most: 500_000 };
};

function categoryField(categories, value) {
  const options = [["", "none"], ...categories.map(({ id, name }) => [id, name])];
  return { name: "categoryId", label: "Category", kind: "select", options, value };
}

function newPrompt(categories) {
  return askFor({
    title: "New prompt",
    text: "Its first version is active at once.",
    wide: true,
    fields: [nameField(), categoryField(categories), textField(12)],
    button: "Make the prompt",
    send: (wanted) => post("/prompts", wanted)
  });
}

function editPrompt(prompt, categories) {
  const fields = [nameField(prompt.name), categoryField(categories, prompt.categoryId)];
  const send = (wanted) => patch(address(prompt), wanted);
  return askFor({ title: `Edit ${prompt.name}`, fields, button: "Save", send });
}

function removePrompt(prompt) {
  const text = "All its versions go with it, and columns that name it name none then. It cannot be undone.";
  return removal(prompt.name, text, () => remove(address(prompt)));
}

function categoriesSection(categories, prompts, done) {
  const make = button("New category…", () => editCategory(null).then(done));
  const all = categories.map((category) => categoryRow(category, prompts, done));
  return listing("Categories", all, "No categories yet.", make);
}

function categoryRow(category, prompts, done) {
  const { id, name, color } = category;
  const act = acting(`category ${name}`, done);
  return row({
    id,
    mark: h("span.mark", swatch(color)),
    title: h("strong", name),
    actions: [act("Edit…", () => editCategory(category)), act("Remove", () => removeCategory(category, prompts))]
  });
}

function editCategory(category) {
  const fields = [nameField(category?.name), colorField(category?.color)];
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

// The versions of a prompt: read, compared with each other, made active, and followed by a new one.
async function showVersions(prompt) {
  const read = () => attempt(() => get(address(prompt)), { failed: "The versions cannot be shown" });
  let found = await read();
  if (!found) return;
  let [shown, against] = [found.versions[0]?.id, ""];
  const body = h("div.once");
  const redraw = async () => ((found = (await read()) || found), draw());
  draw();
  await untilDone(`Versions of ${prompt.name}`, body);

  function draw() {
    const { versions } = found;
    const version = versions.find(({ id }) => id === shown) ?? versions[0];
    const other = versions.find(({ id }) => id === against);
    const label = (one) => `${one.label}${one.active ? " (active)" : ""}, ${age(one.createdAt, now())}`;
    const all = versions.map((one) => [one.id, label(one)]);
    const compared = [["", "nothing"], ...all.filter(([id]) => id !== version.id)];
    const heads = [
      chosen("Version", all, version.id, (id) => (shown = id)),
      chosen("Compared with", compared, other?.id ?? "", (id) => (against = id))
    ];
    const text = other ? changes(other, version) : lines("lines", `Text of ${version.label}`, version.body);
    fill(body, h("div.versions-head", heads), text, organization.isArchitect && buttons(version));
  }

  function chosen(words, options, value, take) {
    const choose = (id) => (take(id), draw(), body.querySelector(`[aria-label="${words}"]`).focus());
    const select = choice(words, options, value, choose, { class: "input" });
    return labelled(words, select);
  }

  function buttons(version) {
    const turn = async (active) => {
      const done = `${version.label} is ${active ? "active" : "no longer active"}.`;
      const work = () => patch(address(prompt, `/versions/${encodeURIComponent(version.id)}`), { active });
      if (await attempt(work, { done, failed: `${version.label} stays as it was` })) await redraw();
    };
    const next = async () => {
      const fresh = await newVersion(prompt, version);
      if (fresh) ((against = shown), (shown = fresh.id), await redraw());
    };
    const state = version.active
      ? button("Make inactive", () => turn(false))
      : button("Make active", () => turn(true), { kind: "main" });
    return h("div.row", state, button("New version from this…", next));
  }
}

function newVersion(prompt, version) {
  const label = { name: "label", label: "Label", most: 500, hint: "Left empty: the next number." };
  return askFor({
    title: `New version of ${prompt.name}`,
    text: "It holds once you make it active.",
    fields: [label, textField(14, version.body)],
    button: "Make the version",
    wide: true,
    send: async ({ label: words, body }) => {
      const { versions } = await post(address(prompt, "/versions"), words ? { label: words, body } : { body });
      return versions?.[0] ?? true;
    }
  });
}

function lines(className, label, content) {
  return h("pre", { class: className, tabindex: "0", role: "region", "aria-label": label }, content);
}

const SIGNS = { same: " ", gone: "−", new: "+" };

function changes(before, after) {
  const found = difference(before.body, after.body);
  const line = ({ kind, text }) => {
    const sign = h("span", { "aria-hidden": "true" }, `${SIGNS[kind]} `);
    return h(kind === "gone" ? "del" : kind === "new" ? "ins" : "span", { class: "line" }, sign, text || " ");
  };
  const isSame = found.every(({ kind }) => kind === "same");
  const content = isSame ? h("span.line.muted", "The texts are the same.") : found.map(line);
  return lines("lines difference", `What ${after.label} changes in ${before.label}`, content);
}

// The difference between two texts, line by line: what both have, what only the one has, what only the other has.
const LINES_MAX = 2000; // of what differs; more are told as taken away and put in whole

/** Compare two texts; give [{kind: "same" | "gone" | "new", text}] in the order of reading. */
export function difference(before, after) {
  const [one, two] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < one.length && start < two.length && one[start] === two[start]) start += 1;
  let end = 0;
  while (end < one.length - start && end < two.length - start && one.at(-1 - end) === two.at(-1 - end)) end += 1;
  const middle = between(one.slice(start, one.length - end), two.slice(start, two.length - end));
  const same = (lines) => lines.map((text) => ({ kind: "same", text }));
  return [...same(one.slice(0, start)), ...middle, ...same(end ? one.slice(-end) : [])];
}

/** Find the longest run of lines that both have, in order; the table of it is bounded. */
function between(one, two) {
  const gone = (text) => ({ kind: "gone", text });
  const fresh = (text) => ({ kind: "new", text });
  if (one.length * two.length > LINES_MAX * LINES_MAX) return [...one.map(gone), ...two.map(fresh)];
  const width = two.length + 1;
  const longest = new Uint16Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i -= 1)
    for (let j = two.length - 1; j >= 0; j -= 1)
      longest[i * width + j] =
        one[i] === two[j]
          ? longest[(i + 1) * width + j + 1] + 1
          : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
  const found = [];
  let [i, j] = [0, 0];
  while (i < one.length && j < two.length) {
    if (one[i] === two[j]) found.push({ kind: "same", text: one[(i++, j++, i - 1)] });
    else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) found.push(gone(one[i++]));
    else found.push(fresh(two[j++]));
  }
  return [...found, ...one.slice(i).map(gone), ...two.slice(j).map(fresh)];
}
