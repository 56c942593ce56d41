// The files of a card.

import { post } from "../core/api.js";
import { h, replaceChildren } from "../core/dom.js";
import { formatBytes, quote, truncate } from "../core/format.js";
import { icon } from "../core/icons.js";
import { organization } from "../core/organization.js";
import { acceptFileDrop } from "../ui/file-drop.js";
import { startDownload, uploadFiles } from "../ui/file-transfer.js";
import { confirmRemoval } from "../ui/request.js";
import { boardErrorText, showBoardError } from "../board/store.js";

/** Create a file field of an open card: {id, element, update(), take(files)}. */
export function createFileField(open, field, canAdd) {
  const list = h("ul.files");
  const canRemove = organization.isArchitect && open.board.isAllowed("delete", "File");
  const uploads = h("ul.files");
  const attributes = { class: "visually-hidden", tabindex: "-1", "aria-label": `Files for ${field.label}` };
  const picker = h("input", { type: "file", ...attributes, multiple: field.multiple });
  const pick = h("button.button.small", { click: () => picker.click() }, "Add a file");
  const element = h("section.file-field", h("h3", field.label), list, canAdd && [pick, picker], uploads);
  picker.addEventListener("change", () => addFiles([...picker.files]));
  if (canAdd) acceptFileDrop(element, addFiles);

  async function addFiles(files) {
    for (const problem of uploads.querySelectorAll(".problem")) problem.remove();
    const uploadErrorText = (error) => error.text ?? boardErrorText(open.board, error);
    const send = (file, progress, signal) => {
      if (!field.multiple && file !== files[0]) throw { text: `${field.label} holds one file.` };
      return open.addFile(field.id, file, progress, signal);
    };
    await uploadFiles(uploads, files, send, uploadErrorText);
    picker.value = "";
  }

  function update() {
    const files = open.files.filter(({ fieldId }) => fieldId === field.id);
    const rows = files.map((file) => {
      const downloadLink = h("button.link", { click: () => downloadFile(open, file) }, file.name);
      const attributes = { "aria-label": `Remove ${file.name}`, click: () => removeFile(open, file) };
      const removeButton = canRemove && h("button.plain-button", { ...attributes }, icon("close"));
      return h("li", icon("file"), downloadLink, h("span.muted.small", formatBytes(file.sizeBytes)), removeButton);
    });
    replaceChildren(list, rows.length ? rows : h("li.muted", "None"));
  }

  return { id: field.id, element, update, take: addFiles };
}

/** Ask for confirmation and delete a file permanently. */
function removeFile(open, { id, name }) {
  const text = "It is deleted permanently. This cannot be undone.";
  return confirmRemoval(quote(truncate(name, 60)), text, () => open.removeFile(id), "The file");
}

/** Download a file by a signed link that is valid for a minute, so that the page does not hold it in memory. */
async function downloadFile(open, file) {
  try {
    const { url } = await post(`/files/${encodeURIComponent(file.id)}/link`);
    startDownload(url, file.name);
  } catch (error) {
    showBoardError(open.board, `${file.name} was not loaded`, error);
  }
}
