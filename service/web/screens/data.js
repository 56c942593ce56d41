// Data: the whole organization as a file, and a file brought in again.

import { ask, service } from "../core/api.js";
import { fill, h, say } from "../core/dom.js";
import { organization } from "../core/organization.js";
import { Resource } from "../core/resource.js";
import { count, moment } from "../core/words.js";
import { sentence } from "../parts/form.js";
import { plainScreen, SHEETS } from "../parts/plainscreen.js";
import { announce } from "../parts/notice.js";
import { button, section, sure } from "../parts/rows.js";
import { settingsNav } from "../parts/settingsnav.js";

export { SHEETS };

const MIB = 1 << 20;
const IMPORT_BYTES_MAX = 64 * MIB;
const IN_PARTS = "python run.py import FILE";

export function show(host) {
  const under = new AbortController();
  const resource = new Resource(async () => organization.isArchitect, ["member"]);
  const stop = () => under.abort();
  service.addEventListener("ended", stop);
  const parts = [exported(under.signal), imported(under.signal)];
  const screen = plainScreen(host, {
    title: "Data",
    nav: settingsNav(),
    resource,
    draw: () =>
      organization.isArchitect ? parts : h("section", { class: "trouble" }, "Only Solution Architects see this."),
  });
  const leave = () => (stop(), service.removeEventListener("ended", stop), screen.leave());
  return { ...screen, leave };
}

function exported(signal) {
  const files = h("input", { type: "checkbox", role: "switch" });
  const state = h("p", { class: "small muted", role: "status" });
  const text = `Everything in ${organization.title || "the organization"} but secrets, as one JSON file.`;
  const start = button("Export", run, { kind: "main" });
  const choice = h("label", { class: "switch" }, files, h("span", null, "With the contents of files"));
  return section(
    "Export",
    null,
    h(
      "div",
      { class: "inline" },
      h("p", { class: "small muted" }, text),
      choice,
      h("div", { class: "row" }, start, state),
    ),
  );

  async function run() {
    start.disabled = true;
    try {
      const response = await ask(`/admin/export?includeFiles=${files.checked}`, { method: "GET", signal });
      const name = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1] ?? "tandem.json";
      save(await gathered(response, (bytes) => say(state, `${size(bytes)} so far…`)), name);
      say(state, `${name} is saved.`);
      announce("The export is saved.");
    } catch (error) {
      if (!signal.aborted)
        say(state, `Nothing was saved. ${"status" in error ? sentence(error) : "The connection broke off."}`);
    } finally {
      start.disabled = false;
    }
  }
}

async function gathered(response, tell) {
  const pieces = [];
  const reader = response.body.getReader();
  for (let bytes = 0; ;) {
    const { value, done } = await reader.read();
    if (done) return new Blob(pieces, { type: "application/json" });
    pieces.push(value);
    bytes += value.length;
    tell(bytes);
  }
}

function save(blob, name) {
  const href = URL.createObjectURL(blob);
  const link = h("a", { href, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

function size(bytes) {
  return bytes < MIB ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / MIB).toFixed(1)} MiB`;
}

function imported(signal) {
  const field = h("input", {
    class: "input",
    type: "file",
    accept: ".json,application/json",
    "aria-label": "File to import",
  });
  const state = h("p", { class: "small muted", role: "status" });
  const problem = h("p", { class: "problem", role: "alert" });
  const summary = h("div");
  const start = button("Import…", run, { kind: "main" });
  const text = "A file that an export made. It is looked at as a whole first: one with a mistake changes nothing.";
  const content = [
    h("p", { class: "small muted" }, text),
    field,
    h("div", { class: "row" }, start, state),
    problem,
    summary,
  ];
  return section("Import", null, h("div", { class: "inline" }, content));

  async function run() {
    const [file] = field.files;
    fill(summary);
    say(problem, "");
    if (!file) return say(problem, "Choose a file first.");
    if (file.size > IMPORT_BYTES_MAX)
      return say(problem, `It is larger than 64 MiB; on the command line any size goes: ${IN_PARTS}`);
    const asked = {
      title: `Import ${file.name}?`,
      text: "What is there under the same ids is overwritten.",
      button: "Import",
    };
    start.disabled = true;
    await sure(asked, () => send(file), { failed: "Nothing was imported" }).finally(() => (start.disabled = false));
  }

  async function send(file) {
    say(state, `Sending ${size(file.size)}…`);
    const headers = { "Content-Type": "application/json" };
    try {
      const response = await ask("/admin/import", { method: "POST", headers, body: file, signal });
      const report = await response.json();
      say(state, `Imported at ${moment(report.importedAt)}.`);
      fill(summary, table(report.summary));
      announce("The import is done.");
    } catch (error) {
      say(state, "");
      say(problem, sentence(error));
      throw error;
    }
  }
}

function table({ imported: took, skipped }) {
  const kinds = [...new Set([...Object.keys(took), ...Object.keys(skipped)])].filter(
    (kind) => took[kind] || skipped[kind],
  );
  const head = h(
    "tr",
    null,
    h("th", { scope: "col" }, "What"),
    h("th", { scope: "col" }, "Imported"),
    h("th", { scope: "col" }, "Left out"),
  );
  const line = (kind) =>
    h(
      "tr",
      null,
      h("th", { scope: "row" }, kind),
      h("td", null, String(took[kind] ?? 0)),
      h("td", null, String(skipped[kind] ?? 0)),
    );
  const caption = h("caption", { class: "small muted" }, `${count(kinds.length, "kind")} of rows`);
  return h("table", { class: "numbers" }, caption, h("thead", null, head), h("tbody", null, kinds.map(line)));
}
