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
  const found = await loadVersions(prompt);
  if (found) await new VersionsDialog(prompt, found).open();
}

function loadVersions(prompt) {
  return tryRequest(() => get(promptPath(prompt)), { failed: "The versions could not be loaded" });
}

class VersionsDialog {
  comparedId = ""; // the version that the shown one is compared with; empty: none
  body = h("div.stack");

  constructor(prompt, { versions }) {
    this.prompt = prompt;
    this.versions = versions;
    this.shownId = versions[0]?.id;
    this.draw();
  }

  open() {
    return openUntilClosed(phrase`Versions of ${this.prompt.name}`, this.body);
  }

  async reload() {
    const found = await loadVersions(this.prompt);
    if (found) this.versions = found.versions;
    this.draw();
  }

  draw() {
    const { versions } = this;
    const version = versions.find(({ id }) => id === this.shownId) ?? versions[0];
    const other = versions.find(({ id }) => id === this.comparedId);
    const text = other ? renderDifference(other, version) : renderText("lines", `Text of ${version.label}`, version.body);
    const head = h("div.versions-head", this.renderSelects(version, other));
    replaceChildren(this.body, head, text, organization.isArchitect && this.renderButtons(version));
  }

  renderSelects(version, other) {
    const all = this.versions.map((one) => [one.id, describeVersion(one)]);
    const compared = [["", "nothing"], ...all.filter(([id]) => id !== version.id)];
    return [
      this.renderSelect("Version", all, version.id, (id) => (this.shownId = id)),
      this.renderSelect("Compared with", compared, other?.id ?? "", (id) => (this.comparedId = id))
    ];
  }

  renderSelect(label, options, value, setId) {
    const choose = (id) => (setId(id), this.draw(), query(this.body, `[aria-label="${label}"]`).focus());
    return labelField(label, selectInput(label, options, value, choose, { class: "input" }));
  }

  renderButtons(version) {
    const state = version.active
      ? smallButton("Deactivate", () => this.setActive(version, false))
      : smallButton("Activate", () => this.setActive(version, true), { kind: "main" });
    return h(
      "div.row",
      state,
      smallButton("New version from this…", () => this.createFrom(version))
    );
  }

  async setActive(version, active) {
    const done = phrase`${version.label} is ${active ? "active" : "no longer active"}.`;
    const work = () => patch(promptPath(this.prompt, `/versions/${encodeURIComponent(version.id)}`), { active });
    if (await tryRequest(work, { done, failed: phrase`${version.label} stays as it was` })) await this.reload();
  }

  /** Create a version from another one, and compare it with the one that was shown. */
  async createFrom(version) {
    const created = await newVersion(this.prompt, version);
    if (!created) return;
    this.comparedId = this.shownId;
    this.shownId = created.id;
    await this.reload();
  }
}

function describeVersion({ label, active, createdAt }) {
  return phrase`${label}${active ? " (active)" : ""}, ${formatAge(createdAt, serverNow())}`;
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
