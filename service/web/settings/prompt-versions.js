// The versions of a prompt: view, compare, activate, create.

import { get, patch, post } from "../core/api.js";
import { serverNow } from "../core/clock.js";
import { h, labelField, query, replaceChildren } from "../core/dom.js";
import { formatAge, phrase } from "../core/format.js";
import { organization } from "../core/organization.js";
import { selectInput, smallButton } from "../ui/controls.js";
import { openUntilClosed } from "../ui/dialog.js";
import { openForm } from "../ui/form.js";
import { tryRequest } from "../ui/request.js";
import { compareLines } from "./text-difference.js";

export const promptPath = ({ id }, rest = "") => `/prompts/${encodeURIComponent(id)}${rest}`;

export const textField = (rows, value) => {
  return { name: "body", label: "Text", kind: "textarea", rows, value, required: true, maxLength: 500_000 };
};

export async function showVersions(prompt) {
  const read = () => tryRequest(() => get(promptPath(prompt)), { failed: "The versions could not be loaded" });
  let found = await read();
  if (!found) return;
  let [shownId, comparedId] = [found.versions[0]?.id, ""];
  const body = h("div.stack");
  const redraw = async () => ((found = (await read()) || found), draw());
  draw();
  await openUntilClosed(phrase`Versions of ${prompt.name}`, body);

  function draw() {
    const { versions } = found;
    const version = versions.find(({ id }) => id === shownId) ?? versions[0];
    const other = versions.find(({ id }) => id === comparedId);
    const label = ({ label: name, active, createdAt }) =>
      phrase`${name}${active ? " (active)" : ""}, ${formatAge(createdAt, serverNow())}`;
    const all = versions.map((version) => [version.id, label(version)]);
    const compared = [["", "nothing"], ...all.filter(([id]) => id !== version.id)];
    const selects = [
      versionSelect("Version", all, version.id, (id) => (shownId = id)),
      versionSelect("Compared with", compared, other?.id ?? "", (id) => (comparedId = id))
    ];
    const text = other ? renderDifference(other, version) : renderText("lines", `Text of ${version.label}`, version.body);
    replaceChildren(body, h("div.versions-head", selects), text, organization.isArchitect && buttons(version));
  }

  function versionSelect(label, options, value, setId) {
    const choose = (id) => (setId(id), draw(), query(body, `[aria-label="${label}"]`).focus());
    const select = selectInput(label, options, value, choose, { class: "input" });
    return labelField(label, select);
  }

  function buttons(version) {
    const setActive = async (active) => {
      const done = phrase`${version.label} is ${active ? "active" : "no longer active"}.`;
      const work = () => patch(promptPath(prompt, `/versions/${encodeURIComponent(version.id)}`), { active });
      if (await tryRequest(work, { done, failed: phrase`${version.label} stays as it was` })) await redraw();
    };
    const createNext = async () => {
      const created = await newVersion(prompt, version);
      if (created) ((comparedId = shownId), (shownId = created.id), await redraw());
    };
    const state = version.active
      ? smallButton("Deactivate", () => setActive(false))
      : smallButton("Activate", () => setActive(true), { kind: "main" });
    return h("div.row", state, smallButton("New version from this…", createNext));
  }
}

function newVersion(prompt, version) {
  const label = { name: "label", label: "Label", maxLength: 500, hint: "Empty: the next number." };
  return openForm({
    title: phrase`New version of ${prompt.name}`,
    item: version.id,
    text: "It is used once you activate it.",
    fields: [label, textField(14, version.body)],
    button: "Create version",
    wide: true,
    send: async ({ label, body }) => {
      const { versions } = await post(promptPath(prompt, "/versions"), label ? { label, body } : { body });
      return versions?.[0] ?? true;
    }
  });
}

function renderText(className, label, content) {
  return h("pre", { class: className, tabindex: "0", role: "region", "aria-label": label }, content);
}

const SIGNS = { __proto__: null, same: " ", gone: "−", new: "+" };

function renderDifference(before, after) {
  const found = compareLines(before.body, after.body);
  const line = ({ kind, text }) => {
    const sign = h("span", { "aria-hidden": "true" }, `${SIGNS[kind]} `);
    return h(kind === "gone" ? "del" : kind === "new" ? "ins" : "span", { class: "line" }, sign, text || " ");
  };
  const isSame = found.every(({ kind }) => kind === "same");
  const content = isSame ? h("span.line.muted", "The texts are the same.") : found.map(line);
  return renderText("lines difference", `What ${after.label} changes in ${before.label}`, content);
}
