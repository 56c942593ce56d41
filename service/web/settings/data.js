// The time zone of the organization, its export and its import.

import { fetchResponse, get, patch } from "../core/api.js";
import { h, setText } from "../core/dom.js";
import { plainErrorText } from "../core/error-text.js";
import { formatBytes, phrase } from "../core/format.js";
import { organization, orgPath } from "../core/organization.js";
import { sessionEvents } from "../core/session.js";
import { smallButton } from "../ui/controls.js";
import { saveBlob } from "../ui/file-transfer.js";
import { openForm } from "../ui/form.js";
import { renderSection } from "../ui/list.js";
import { createPage } from "../ui/page.js";
import { timeZoneField } from "../ui/inputs/time-zone.js";
import { announce } from "../ui/toast.js";
import { renderExportImport, renderTrelloImport } from "./import.js";
import { renderBackups } from "./backups.js";
import { describeMissingFiles, renderLostFiles } from "./lost-files.js";
import { createSettingsNavigation } from "./navigation.js";
import { renderStorage } from "./storage.js";

export function show(host) {
  const abort = new AbortController();
  const stop = () => abort.abort();
  sessionEvents.addEventListener("ended", stop);
  const draw = () => [
    renderTimeZone(),
    renderStorage(),
    renderBackups(),
    renderLostFiles(),
    renderExport(abort.signal),
    renderSection("Import", null, renderExportImport(abort.signal)),
    renderSection("From Trello", null, renderTrelloImport(abort.signal))
  ];
  let sections = null; // rendered once, so that a running import is kept
  const screen = createPage(host, {
    title: "Data",
    navigation: createSettingsNavigation(),
    read: async () => organization.isArchitect,
    resources: ["member"],
    draw: () =>
      organization.isArchitect ? (sections ??= draw()) : h("section.page-error", "Only Solution Architects can see this.")
  });
  const leave = () => (stop(), sessionEvents.removeEventListener("ended", stop), screen.leave());
  return { ...screen, leave };
}

function renderTimeZone() {
  const current = h("p.small.muted", { role: "status" }, "…");
  const change = smallButton("Change", edit, { name: "Change the time zone" });
  let zone = "UTC";
  get(orgPath("")).then(draw, () => setText(current, "The time zone could not be read."));
  return renderSection("Time zone", null, h("div.inline", current, h("div.row", change)));

  function draw({ timezone }) {
    zone = timezone;
    setText(current, `${zone.replaceAll("_", " ")}: what is due on a day is overdue when that day has ended there.`);
  }

  async function edit() {
    const field = timeZoneField(zone, "What is due on a day is overdue when that day has ended there.");
    const send = (values) => patch(orgPath(""), values);
    const answer = await openForm({ title: "Time zone of the organization", fields: [field], button: "Save", send });
    if (answer) draw(answer);
  }
}

function renderExport(signal) {
  const files = h("input", { type: "checkbox", role: "switch" });
  const state = h("p.small.muted", { role: "status" });
  const text = phrase`Everything in ${organization.title || "the organization"} except secrets, as one JSON file.`;
  const start = smallButton("Export", run, { kind: "main" });
  const choice = h("label.switch", files, h("span", "With the contents of files"));
  return renderSection("Export", null, h("div.inline", h("p.small.muted", text), choice, h("div.row", start, state)));

  async function run() {
    start.disabled = true;
    try {
      const response = await fetchResponse(`/admin/export?includeFiles=${files.checked}`, { method: "GET", signal });
      const name = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1] ?? "tandem.json";
      const blob = await readBlob(response, (bytes) => setText(state, `${formatBytes(bytes)} so far…`));
      saveBlob(blob, name);
      setText(state, [`${name} is saved.`, await describeMissingFiles(blob)].filter(Boolean).join(" "));
      announce("The export is saved.");
    } catch (error) {
      if (!signal.aborted)
        setText(state, `Nothing was saved. ${"status" in error ? plainErrorText(error) : "The connection was lost."}`);
    } finally {
      start.disabled = false;
    }
  }
}

async function readBlob(response, progress) {
  const pieces = [];
  const reader = response.body.getReader();
  for (let bytes = 0; ;) {
    const { value, done } = await reader.read();
    if (done) return new Blob(pieces, { type: "application/json" });
    pieces.push(value);
    bytes += value.length;
    progress(bytes);
  }
}
