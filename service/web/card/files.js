// The files of a card.

import { h, replaceChildren } from "../core/dom.js";
import { formatBytes, phrase, quote, truncate } from "../core/format.js";
import { icon } from "../core/icons.js";
import { organization } from "../core/organization.js";
import { suspendShortcuts } from "../core/shortcuts.js";
import { acceptFileDrop, PICTURE_TYPES } from "../ui/file-drop.js";
import { drawRows } from "../ui/list.js";
import { confirmRemoval } from "../ui/request.js";
import { showError } from "../ui/toast.js";
import { boardErrorText } from "../board/store.js";

/** @import { CardView } from "./view.js" */

const THUMBNAIL_BYTES_MAX = 5 << 20; // a larger picture is loaded only when it is opened

/**
 * Create the file fields of an open card: {element, update(), take(files)}.
 * @param {CardView} view
 */
export function createFiles({ open, board }) {
  const type = board.type(open.card.cardTypeId);
  const canAdd = board.isAllowed("create", "File") && type?.filesEnabled !== false;
  const fields = open
    .fields()
    .filter(({ kind }) => kind === "file")
    .map((field) => createFileField(open, field, canAdd));
  const update = () => fields.forEach((field) => field.update());
  return { element: fields.map(({ element }) => element), update, take };

  /** Add files to the field that takes those of the card as a whole. */
  async function take(files) {
    const { findFileField } = await import("../ui/file-transfer.js");
    const { field, problem } = findFileField(type, open.files.length > 0);
    if (!field) showError("No file was added", problem, "files");
    else if (!canAdd) showError("No file was added", "You don't have permission to add files.", "files");
    else fields.find(({ id }) => id === field.id).take(files);
  }
}

/** Create a file field of an open card: {id, element, update(), take(files)}. */
function createFileField(open, field, canAdd) {
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
    const { FileRefused, uploadFiles } = await import("../ui/file-transfer.js");
    const uploadErrorText = (error) => error.text ?? boardErrorText(open.board, error);
    const send = (file, progress, signal) => {
      if (!field.multiple && file !== files[0]) throw new FileRefused(phrase`${field.label} holds one file.`);
      return open.addFile(field.id, file, progress, signal);
    };
    await uploadFiles(uploads, files, send, uploadErrorText);
    picker.value = "";
  }

  function renderRow(file) {
    const opener = h("button.link", { click: () => openFile(open, file) }, file.name);
    const attributes = { "aria-label": `Remove ${file.name}`, click: () => removeFile(open, file) };
    const removeButton = canRemove && h("button.plain-button", { ...attributes }, icon("close"));
    return h("li", renderThumbnail(open, file), opener, h("span.muted.small", formatBytes(file.sizeBytes)), removeButton);
  }

  function update() {
    const files = open.files.filter(({ fieldId }) => fieldId === field.id);
    const rows = drawRows(files, renderRow, { remove: canRemove && ((file) => removeFile(open, file)) });
    replaceChildren(list, rows.length ? rows : h("li.muted", "None"));
  }

  return { id: field.id, element, update, take: addFiles };
}

/** Ask for confirmation and delete a file permanently. */
function removeFile(open, { id, name }) {
  const text = "It is deleted permanently. This cannot be undone.";
  return confirmRemoval(quote(truncate(name, 60)), text, () => open.removeFile(id), "The file");
}

/** Return a small picture of a file that is one, else an icon. */
function renderThumbnail(open, { id, mimeType, sizeBytes }) {
  if (!PICTURE_TYPES.includes(mimeType) || sizeBytes > THUMBNAIL_BYTES_MAX) return icon("file");
  const image = h("img.thumbnail", { alt: "", "data-file": id });
  const fail = () => image.replaceWith(icon("file"));
  import("./pictures.js").then(({ showPicture }) => showPicture(open, image, fail));
  return image;
}

/** Show a file in place if that is possible, else download it. */
async function openFile(open, file) {
  (await suspendShortcuts(import("./file-preview.js"))).openFile(open, file);
}
