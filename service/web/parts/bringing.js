// What is brought in as a file: an export, or a board from Trello; what came of it is shown.

import { get, upload } from "../core/api.js";
import { add, fill, h, say } from "../core/dom.js";
import { boardAddress, go } from "../core/route.js";
import { moment } from "../core/words.js";
import { announce, openDialog } from "./float.js";
import { button, sentence, sure } from "./form.js";
import { droppable, sendAll, size } from "./sending.js";

const LARGER = "a larger one comes on the machine of the service: python run.py import FILE";

/** Draw a place for an export that is brought in again. */
export function bringExport(signal) {
  const summary = h("div");
  const question = (file) => ({
    title: `Import ${file.name}?`,
    text: "What is there under the same ids is overwritten.",
    button: "Import",
  });
  const done = (report) => {
    const { imported, skipped } = report.summary;
    const kinds = [...new Set([...Object.keys(imported), ...Object.keys(skipped)])];
    const counts = kinds.map((kind) => [kind, imported[kind] ?? 0, skipped[kind] ?? 0]);
    const lines = counts.filter(([, one, other]) => one || other);
    fill(summary, h("p", { class: "small muted" }, `Imported at ${moment(report.importedAt)}.`));
    add(summary, [table(["What", "Imported", "Left out"], lines)]);
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
  const field = h("input", { class: "input", type: "file", accept: ".json,application/json", "aria-label": label });
  const most = h("span");
  const list = h("ul", { class: "files" });
  const problem = (words) => fill(list, h("li", { class: "problem small" }, h("span", { role: "alert" }, words)));
  const start = button(words, () => take([...field.files]), { kind: "main" });
  const about = h("p", { class: "small muted" }, text, " ", most);
  const element = h("div", { class: "inline drop" }, about, field, h("div", { class: "row" }, start), list, below);
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
    "div",
    { class: "once" },
    h("h2", null, h("bdi", null, project.title), " is here"),
    table(["Taken over", "How many", "How"], rows(taken)),
    left.length > 0 && [h("h3", null, "What could not come"), table(["What", "How many", "Why"], rows(left))],
    remarks.map((remark) => h("p", null, remark)),
    h("div", { class: "row" }, button("Close", () => opened.end()), open),
  );
  const opened = openDialog({ label: "What came from Trello", className: "ask broad", content });
  open.focus();
}

function table(heads, lines) {
  const head = h("tr", null, heads.map((words) => h("th", { scope: "col" }, words)));
  const cells = (values) => values.map((value) => h("td", null, String(value)));
  const row = ([first, ...more]) => h("tr", null, h("th", { scope: "row" }, first), cells(more));
  return h("table", { class: "numbers" }, h("thead", null, head), h("tbody", null, lines.map(row)));
}
