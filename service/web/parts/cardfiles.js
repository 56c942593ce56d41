// Files of an open card: added by a button or a drop, loaded by a link for a minute, never by an address with the token.

import { post } from "../core/api.js";
import { fill, h, icon } from "../core/dom.js";
import { organization } from "../core/organization.js";
import { brief, quoted, reasons } from "../core/words.js";
import { namesOf, tellRefused } from "./refused.js";
import { sure } from "./form.js";
import { droppable, sendAll, size } from "./sending.js";

/** Give one field for files of an open card: {element, update(), take(files)}. */
export function fileField(open, field, may) {
  const list = h("ul", { class: "files" });
  const mayRemove = organization.isArchitect && open.board.may("delete", "File");
  const sending = h("ul", { class: "files" });
  const named = { class: "unseen", tabindex: "-1", "aria-label": `Files for ${field.label}` };
  const picker = h("input", { type: "file", ...named, multiple: field.multiple });
  const pick = h("button", { class: "button small", type: "button", on: { click: () => picker.click() } }, "Add a file");
  const element = h("section", { class: "filefield" }, h("h3", null, field.label), list, may && [pick, picker], sending);
  picker.addEventListener("change", () => take([...picker.files]));
  if (may) droppable(element, take);

  async function take(files) {
    for (const told of sending.querySelectorAll(".problem")) told.remove();
    const words = (error) => error.words ?? reasons(error, namesOf(open.board)).join(" ");
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
      const save = h("button", { class: "link", type: "button", on: { click: () => download(open, file) } }, file.name);
      const press = { "aria-label": `Remove ${file.name}`, on: { click: () => drop(open, file) } };
      const away = mayRemove && h("button", { class: "plain", type: "button", ...press }, icon("close"));
      return h("li", null, icon("file"), save, h("span", { class: "muted small" }, size(file.sizeBytes)), away);
    });
    fill(list, rows.length ? rows : h("li", { class: "muted" }, "None"));
  }

  return { element, update, take };
}

/** Remove a file once that is asked for: its contents are kept nowhere. */
function drop(open, { id, name }) {
  const title = `Remove ${quoted(brief(name, 60))}?`;
  const asked = { title, text: "It is removed for good, and nobody can bring it back.", button: "Remove" };
  return sure(asked, () => open.removeFile(id), { done: "The file is removed.", failed: "The file was not removed" });
}

/** Have the browser fetch a file by a link that holds for a minute: it never lies in the page's memory. */
async function download(open, file) {
  try {
    const { url } = await post(`/files/${encodeURIComponent(file.id)}/link`);
    const link = h("a", { href: url, download: file.name });
    document.body.append(link);
    link.click();
    link.remove();
  } catch (error) {
    tellRefused(open.board, `${file.name} was not loaded`, error);
  }
}
