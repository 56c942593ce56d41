// The forms that import an export or a Trello board.

import { get, upload } from "../core/api.js";
import { SERVICE_URL } from "../core/base-path.js";
import { appendChildren, h, replaceChildren, setText } from "../core/dom.js";
import { plainErrorText } from "../core/error-text.js";
import { formatBytes, formatDateTime, phrase } from "../core/format.js";
import { smallButton } from "../ui/controls.js";
import { acceptFileDrop } from "../ui/file-drop.js";
import { uploadFiles } from "../ui/file-transfer.js";
import { confirmRequest } from "../ui/request.js";
import { renderTable } from "../ui/table.js";
import { announce } from "../ui/toast.js";
import { lookUp } from "../core/lookup.js";

const TRELLO = "/admin/import/trello";
const LARGER_FILES = `send a larger one by command: python run.py import FILE --url ${SERVICE_URL}`;

/** Render the form that imports an export. */
export function renderExportImport(signal) {
  const summary = h("div");
  const confirmation = (file) => ({
    title: phrase`Import ${file.name}?`,
    text: "Existing items with the same ids are overwritten.",
    button: "Import"
  });
  const done = (report) => {
    const { imported, skipped } = report.summary;
    const kinds = [...new Set([...Object.keys(imported), ...Object.keys(skipped)])];
    const counts = kinds.map((kind) => [kind, lookUp(imported, kind) ?? 0, lookUp(skipped, kind) ?? 0]);
    const lines = counts.filter(([, importedCount, skippedCount]) => importedCount || skippedCount);
    replaceChildren(summary, h("p.small.muted", `Imported at ${formatDateTime(report.importedAt)}.`));
    appendChildren(summary, [renderTable("numbers", ["What", "Imported", "Left out"], lines)]);
    announce("The import is done.");
  };
  const text = "A file created by Export. It is checked as a whole first: a file with a mistake changes nothing.";
  const options = { text, label: "File to import", buttonLabel: "Import…", path: "/admin/import", larger: `; ${LARGER_FILES}` };
  return renderFilePicker({ ...options, question: confirmation, done, signal, below: summary });
}

/** Render the form that imports a Trello board, after a dialog that asks which lists are done. */
export function renderTrelloImport(signal) {
  const text = "Drop a board’s JSON here. In Trello: board menu, “Print, export, and share”, “Export as JSON”.";
  return renderFilePicker({
    text,
    label: "Board from Trello",
    buttonLabel: "Import board",
    path: `${TRELLO}?dryRun=true`,
    done: async (preview, file, send) => {
      const { chooseDoneLists, showTrelloReport } = await import("./trello-import.js");
      const titles = await chooseDoneLists(preview);
      const query = new URLSearchParams((titles?.length ? titles : [""]).map((title) => ["doneLists", title]));
      if (titles) await send(file, `${TRELLO}?${query}`, showTrelloReport);
    },
    signal
  });
}

function renderFilePicker({
  text,
  label,
  buttonLabel,
  path,
  question: confirmation = null,
  larger = "",
  done,
  signal,
  below = null
}) {
  const field = h("input.input", { type: "file", accept: ".json,application/json", "aria-label": label });
  const limitElement = h("span");
  const list = h("ul.files");
  const problem = (message) => replaceChildren(list, h("li.problem.small", h("span", { role: "alert" }, message)));
  const start = smallButton(buttonLabel, () => take([...field.files]), { kind: "main" });
  const about = h("p.small.muted", text, " ", limitElement);
  const element = h("div.inline.drop", about, field, h("div.row", start), list, below);
  const limit = get("/admin/import").then(({ maxBytes }) => {
    setText(limitElement, `Up to ${formatBytes(maxBytes)}${larger}.`);
    return maxBytes;
  });
  limit.catch(() => {}); // then the service reports it during the import
  acceptFileDrop(element, take);
  return element;

  async function take(files) {
    const [file] = files;
    replaceChildren(list);
    if (!file) return problem("Choose a file first.");
    if (files.length > 1) return problem("One file at a time, please.");
    const maxBytes = await limit.catch(() => Infinity);
    if (file.size > maxBytes)
      return problem(`${formatBytes(file.size)} is too much: ${formatBytes(maxBytes)} is the most here${larger}.`);
    if (confirmation) await confirmRequest(confirmation(file), () => send(file), {});
    else await send(file);
  }

  async function send(file, address = path, finish = done) {
    start.disabled = true;
    let report = null;
    const work = async (file, progress, stop) => {
      report = await upload(address, file, progress, AbortSignal.any([stop, signal]));
    };
    await uploadFiles(list, [file], work, plainErrorText);
    start.disabled = false;
    if (!report) return;
    field.value = "";
    await finish(report, file, send);
  }
}
