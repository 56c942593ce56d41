// Files: on their way to the service, those of an open card, and those that are brought in as a whole.

import { get, post, upload } from "../core/api.js";
import { add, attribute, fill, h, icon, say } from "../core/dom.js";
import { organization } from "../core/organization.js";
import { boardAddress, go } from "../core/route.js";
import { brief, moment, quoted } from "../core/words.js";
import { announce, openDialog } from "./float.js";
import { button, sentence, removal, sure } from "./form.js";
import { table } from "./plainscreen.js";
import { sentenceOf, tellRefused } from "./refused.js";

const SENT_AT_ONCE_MAX = 3; // a browser has few connections to one host
const MIB = 1 << 20;

/** Take files that are dropped on an element. */
export function droppable(element, take) {
  const over = (event, isOver) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    event.stopPropagation(); // the innermost place takes them
    element.classList.toggle("over", isOver);
  };
  element.addEventListener("dragover", (event) => over(event, true));
  element.addEventListener("dragleave", (event) => over(event, false));
  element.addEventListener("drop", (event) => {
    over(event, false);
    const files = [...event.dataTransfer.files];
    if (files.length) take(files);
  });
}

/** Send files, some at a time, each as a row of `list`; `send(file, tell, signal)` does it, `words(error)` says why not. */
async function sendAll(list, files, send, words) {
  const rows = files.map((file) => underWay(list, file));
  const waiting = [...rows];
  const worker = async () => {
    for (let row; (row = waiting.shift()); ) await row.run(send, words);
  };
  await Promise.all(Array.from({ length: SENT_AT_ONCE_MAX }, worker));
}

function underWay(list, file) {
  const stopping = new AbortController();
  const bar = h("progress", { "aria-label": file.name });
  const stop = h("button.button.small", { "aria-label": `Stop ${file.name}` }, "Stop");
  const row = h("li", h("bdi", file.name), h("span.muted.small", size(file.size)), bar, stop);
  stop.addEventListener("click", () => (stopping.abort(), row.remove()));
  list.append(row);
  return {
    async run(send, words) {
      if (stopping.signal.aborted) return;
      try {
        await send(file, (share) => attribute(bar, "value", share < 1 ? share : null), stopping.signal);
        row.remove();
        announce(`${file.name} is there.`);
      } catch (error) {
        if (stopping.signal.aborted) return announce(`${file.name} was stopped.`);
        row.className = "problem small";
        fill(row, h("span", { role: "alert" }, h("bdi", file.name), `: ${words(error)}`));
      }
    }
  };
}

/** Have the browser keep what is at an address as a file. */
function follow(href, download) {
  const link = h("a", { href, download });
  document.body.append(link);
  link.click();
  link.remove();
}

/** Have the browser keep a content as a file. */
export function saveAs(blob, name) {
  const href = URL.createObjectURL(blob);
  follow(href, name);
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/** Say how large something is. */
export function size(bytes) {
  return bytes < MIB ? `${Math.ceil(bytes / 1024)} KiB` : `${Math.round((bytes / MIB) * 10) / 10} MiB`;
}

// Files of an open card: added by a button or a drop, loaded by a link for a minute, never by an address with the token.
/** Give one field for files of an open card: {element, update(), take(files)}. */
export function fileField(open, field, may) {
  const list = h("ul.files");
  const mayRemove = organization.isArchitect && open.board.may("delete", "File");
  const sending = h("ul.files");
  const named = { class: "unseen", tabindex: "-1", "aria-label": `Files for ${field.label}` };
  const picker = h("input", { type: "file", ...named, multiple: field.multiple });
  const pick = h("button.button.small", { click: () => picker.click() }, "Add a file");
  const element = h("section.filefield", h("h3", field.label), list, may && [pick, picker], sending);
  picker.addEventListener("change", () => take([...picker.files]));
  if (may) droppable(element, take);

  async function take(files) {
    for (const told of sending.querySelectorAll(".problem")) told.remove();
    const words = (error) => error.words ?? sentenceOf(open.board, error);
    const send = (file, tell, signal) => {
      if (!field.multiple && file !== files[0]) throw { words: `${field.label} holds one file.` };
      return open.addFile(field.id, file, tell, signal);
    };
    await sendAll(sending, files, send, words);
    picker.value = "";
  }

  function update() {
    const files = open.files.filter(({ fieldId }) => fieldId === field.id);
    const rows = files.map((file) => {
      const save = h("button.link", { click: () => download(open, file) }, file.name);
      const press = { "aria-label": `Remove ${file.name}`, click: () => drop(open, file) };
      const away = mayRemove && h("button.plain", { ...press }, icon("close"));
      return h("li", icon("file"), save, h("span.muted.small", size(file.sizeBytes)), away);
    });
    fill(list, rows.length ? rows : h("li.muted", "None"));
  }

  return { element, update, take };
}

/** Remove a file once that is asked for: its contents are kept nowhere. */
function drop(open, { id, name }) {
  const text = "It is removed for good, and nobody can bring it back.";
  return removal(quoted(brief(name, 60)), text, () => open.removeFile(id), "The file");
}

/** Have the browser fetch a file by a link that holds for a minute: it never lies in the page's memory. */
async function download(open, file) {
  try {
    const { url } = await post(`/files/${encodeURIComponent(file.id)}/link`);
    follow(url, file.name);
  } catch (error) {
    tellRefused(open.board, `${file.name} was not loaded`, error);
  }
}

// What is brought in as a file: an export, or a board from Trello; what came of it is shown.
const LARGER = "a larger one comes on the machine of the service: python run.py import FILE";

/** Draw a place for an export that is brought in again. */
export function bringExport(signal) {
  const summary = h("div");
  const question = (file) => ({
    title: `Import ${file.name}?`,
    text: "What is there under the same ids is overwritten.",
    button: "Import"
  });
  const done = (report) => {
    const { imported, skipped } = report.summary;
    const kinds = [...new Set([...Object.keys(imported), ...Object.keys(skipped)])];
    const counts = kinds.map((kind) => [kind, imported[kind] ?? 0, skipped[kind] ?? 0]);
    const lines = counts.filter(([, one, other]) => one || other);
    fill(summary, h("p.small.muted", `Imported at ${moment(report.importedAt)}.`));
    add(summary, [table("numbers", ["What", "Imported", "Left out"], lines)]);
  };
  const text = "A file that an export made. It is looked at as a whole first: one with a mistake changes nothing.";
  const named = { text, label: "File to import", words: "Import…", path: "/admin/import", larger: `; ${LARGER}` };
  return place({ ...named, question, done, signal, below: summary });
}

/** Draw a place for a board from Trello; what came and what could not is shown in a dialog. */
export function bringTrello(signal) {
  const text = "Drop a board’s JSON here. In Trello: board menu, “Print, export, and share”, “Export as JSON”.";
  return place({ text, label: "Board from Trello", words: "Bring it in", path: "/admin/import/trello", done: brought, signal });
}

function place({ text, label, words, path, question = null, larger = "", done, signal, below = null }) {
  const field = h("input.input", { type: "file", accept: ".json,application/json", "aria-label": label });
  const most = h("span");
  const list = h("ul.files");
  const problem = (words) => fill(list, h("li.problem.small", h("span", { role: "alert" }, words)));
  const start = button(words, () => take([...field.files]), { kind: "main" });
  const about = h("p.small.muted", text, " ", most);
  const element = h("div.inline.drop", about, field, h("div.row", start), list, below);
  const bound = get("/admin/import").then(({ maxBytes }) => {
    say(most, `Up to ${size(maxBytes)}${larger}.`);
    return maxBytes;
  });
  bound.catch(() => {}); // then the service says it when it is asked
  droppable(element, take);
  return element;

  async function take(files) {
    const [file] = files;
    fill(list);
    if (!file) return problem("Choose a file first.");
    if (files.length > 1) return problem("One file at a time, please.");
    const maxBytes = await bound.catch(() => Infinity);
    if (file.size > maxBytes)
      return problem(`${size(file.size)} is too much: ${size(maxBytes)} is the most here${larger}.`);
    if (question) await sure(question(file), () => send(file), {});
    else await send(file);
  }

  async function send(file) {
    start.disabled = true;
    await sendAll(list, [file], async (one, tell, stop) => {
      const report = await upload(path, one, tell, AbortSignal.any([stop, signal]));
      field.value = "";
      done(report);
      announce("The import is done.");
    }, sentence);
    start.disabled = false;
  }
}

function brought({ project, taken, left, remarks }) {
  const rows = (counts) => counts.filter(({ count }) => count).map(({ what, count, note }) => [what, count, note]);
  const open = button("Open the board", () => (opened.end(), go(boardAddress(project.id))), { kind: "main" });
  const content = h(
    "div.once",
    h("h2", h("bdi", project.title), " is here"),
    table("numbers", ["Taken over", "How many", "How"], rows(taken)),
    left.length > 0 && [h("h3", "What could not come"), table("numbers", ["What", "How many", "Why"], rows(left))],
    remarks.map((remark) => h("p", remark)),
    h("div.row", button("Close", () => opened.end()), open)
  );
  const opened = openDialog({ label: "What came from Trello", className: "ask broad", content });
  open.focus();
}
