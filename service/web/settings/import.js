// The forms that import an export or a Trello board.

import { get, upload } from "../core/api.js";
import { SERVICE_URL } from "../core/base-path.js";
import { appendChildren, h, replaceChildren, setText } from "../core/dom.js";
import { plainErrorText } from "../core/error-text.js";
import { formatBytes, formatDateTime, phrase } from "../core/format.js";
import { smallButton } from "../ui/controls.js";
import { acceptFileDrop } from "../ui/file-drop.js";
import { FileRefused, uploadFiles } from "../ui/file-transfer.js";
import { promptDialog } from "../ui/dialog.js";
import { confirmRequest } from "../ui/request.js";
import { renderTable } from "../ui/table.js";
import { announce } from "../ui/toast.js";
import { lookUp } from "../core/lookup.js";

const TRELLO = "/admin/import/trello";
const LARGER_FILES = `send a larger one by command: tandem import FILE --url ${SERVICE_URL}`;

/** Render the form that imports an export. */
export function renderExportImport(signal) {
  const summary = h("div");
  const question = (file) => ({
    title: phrase`Import ${file.name}?`,
    text: "Existing items with the same ids are overwritten.",
    button: "Import"
  });
  const done = (report, file, send) => {
    const { imported, skipped } = report.summary;
    const kinds = [...new Set([...Object.keys(imported), ...Object.keys(skipped)])];
    const counts = kinds.map((kind) => [kind, lookUp(imported, kind) ?? 0, lookUp(skipped, kind) ?? 0]);
    const lines = counts.filter(([, importedCount, skippedCount]) => importedCount || skippedCount);
    replaceChildren(summary, h("p.small.muted", `Imported at ${formatDateTime(report.importedAt)}.`));
    const missing = renderMissingPeople(report.missingPeople, () => send(file, "/admin/import?only=people"));
    appendChildren(summary, [renderTable("numbers", ["What", "Imported", "Left out"], lines), missing]);
    announce("The import is done.");
  };
  const text = "A file created by Export. It is checked as a whole first: a file with a mistake changes nothing.";
  const options = {
    text,
    label: "File to import",
    buttonLabel: "Import…",
    path: "/admin/import?unlessChanged=true",
    send: uploadUnlessChanged,
    larger: `; ${LARGER_FILES}`
  };
  return new FilePicker({ ...options, question, done, signal, below: summary }).element;
}

/** Say which people are no members, with a button that fills in what belongs to them once they are. */
function renderMissingPeople(people, fill) {
  if (people.length === 0) return null;
  const text = `These people are no members: ${people.join(", ")}. Invite them, then restore what they were assigned to.`;
  return h("div.inline", h("p.small", h("bdi", text)), h("div.row", smallButton("Restore people", fill)));
}

/** Upload an export; ask first if that would undo newer work. */
async function uploadUnlessChanged(path, file, ...options) {
  try {
    return await upload(path, file, ...options);
  } catch (error) {
    if (error.details?.state !== "changed") throw error;
    if ((await promptDialog(newerWorkQuestion(error.details))) === null) throw new FileRefused("Nothing was imported.");
    return upload("/admin/import", file, ...options);
  }
}

function newerWorkQuestion({ changed, archived, removed }) {
  const counts = `${changed} changed, ${archived} archived and ${removed} removed`;
  const text = `Since the export, items were edited here: ${counts}. The import overwrites them and brings them back.`;
  return { title: "Undo newer work?", text, button: "Import anyway" };
}

/** Render the form that imports a Trello board, after a dialog that asks which lists are done. */
export function renderTrelloImport(signal) {
  const text = "Drop a board’s JSON here. In Trello: board menu, “Print, export, and share”, “Export as JSON”.";
  return new FilePicker({
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
  }).element;
}

/**
 * A field for a file that is sent to `path`; `done(report, file, send)` is called with the answer. `question(file)` returns
 * the confirmation to ask for before, `larger` says what to do with a file that is too large, `below` is shown at the end.
 */
class FilePicker {
  limitText = h("span");
  list = h("ul.files");

  constructor({ text, label, buttonLabel, path, send = upload, question = null, larger = "", done, signal, below = null }) {
    this.path = path;
    this.upload = send;
    this.question = question;
    this.larger = larger;
    this.done = done;
    this.signal = signal;
    this.field = h("input.input", { type: "file", accept: ".json,application/json", "aria-label": label });
    this.startButton = smallButton(buttonLabel, () => this.take([...this.field.files]), { kind: "main" });
    const about = h("p.small.muted", text, " ", this.limitText);
    this.element = h("div.inline.drop", about, this.field, h("div.row", this.startButton), this.list, below);
    this.limit = this.loadLimit();
    this.limit.catch(() => {}); // then the service reports it during the import
    acceptFileDrop(this.element, (files) => this.take(files));
  }

  async loadLimit() {
    const { maxBytes } = await get("/admin/import");
    setText(this.limitText, `Up to ${formatBytes(maxBytes)}${this.larger}.`);
    return maxBytes;
  }

  async take(files) {
    const [file] = files;
    replaceChildren(this.list);
    const problem = await this.findProblem(files);
    if (problem) this.showProblem(problem);
    else if (this.question) await confirmRequest(this.question(file), () => this.send(file), {});
    else await this.send(file);
  }

  /** Return why the files cannot be imported, or null. */
  async findProblem(files) {
    const [file] = files;
    if (!file) return "Choose a file first.";
    if (files.length > 1) return "One file at a time, please.";
    const maxBytes = await this.limit.catch(() => Infinity);
    if (file.size <= maxBytes) return null;
    return `${formatBytes(file.size)} is too much: ${formatBytes(maxBytes)} is the most here${this.larger}.`;
  }

  showProblem(message) {
    replaceChildren(this.list, h("li.problem.small", h("span", { role: "alert" }, message)));
  }

  async send(file, path = this.path, done = this.done) {
    this.startButton.disabled = true;
    let report = null;
    const work = async (file, progress, stop) => {
      report = await this.upload(path, file, progress, AbortSignal.any([stop, this.signal]));
    };
    const reason = (error) => (error instanceof FileRefused ? error.text : plainErrorText(error));
    await uploadFiles(this.list, [file], work, reason);
    this.startButton.disabled = false;
    if (!report) return;
    this.field.value = "";
    await done(report, file, (...next) => this.send(...next));
  }
}
