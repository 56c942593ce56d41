// Data: the whole organization as a file, and a file brought in again.

import { ask, service } from "../core/api.js";
import { h, say } from "../core/dom.js";
import { organization } from "../core/organization.js";
import { bringExport, bringTrello, size } from "../parts/files.js";
import { announce } from "../parts/float.js";
import { button, section, sentence } from "../parts/form.js";
import { plainScreen, Resource, settingsNav, SHEETS } from "../parts/plainscreen.js";

export { SHEETS };

export function show(host) {
  const under = new AbortController();
  const resource = new Resource(async () => organization.isArchitect, ["member"]);
  const stop = () => under.abort();
  service.addEventListener("ended", stop);
  const draw = () => [
    exported(under.signal),
    section("Import", null, bringExport(under.signal)),
    section("From Trello", null, bringTrello(under.signal)),
  ];
  let parts = null; // drawn once: what is under way stays
  const screen = plainScreen(host, {
    title: "Data",
    nav: settingsNav(),
    resource,
    draw: () =>
      organization.isArchitect ? (parts ??= draw()) : h("section", { class: "trouble" }, "Only Solution Architects see this."),
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
