// Pictures in texts: pasted, dropped or picked, they are uploaded, and the text shows them where they were put.

import { h } from "../../core/dom.js";
import { acceptFileDrop, PICTURE_TYPES } from "../file-drop.js";
import { uploadFiles } from "../file-transfer.js";
import { replaceText } from "../replace-text.js";

const UPLOADING = /!\[Uploading .*?…\]\(\)/g; // what stands for a picture until it is there

/** Accept pictures for a field. Return {elements, pick(), settle()}. */
export function acceptPictures(field, addFile, errorText) {
  const uploads = new PictureUploads(field, addFile, errorText);
  const attributes = { accept: PICTURE_TYPES.join(), multiple: true, tabindex: "-1", "aria-label": "Pictures for the text" };
  const picker = h("input.visually-hidden", { type: "file", ...attributes });
  picker.addEventListener("change", () => (uploads.take([...picker.files]), (picker.value = "")));
  acceptFileDrop(field, (files) => uploads.take(files));
  field.addEventListener("paste", (event) => {
    const files = [...event.clipboardData.files];
    if (!files.length || event.clipboardData.getData("text/plain")) return; // office programs add a picture of the text
    event.preventDefault();
    uploads.take(files);
  });
  removeLeftMarks(field);
  return { elements: [uploads.list, picker], pick: () => picker.click(), settle: () => Promise.all(uploads.pending) };
}

class PictureUploads {
  list = h("ul.files.text-uploads");
  pending = new Set(); // promises

  constructor(field, addFile, errorText) {
    this.field = field;
    this.addFile = addFile;
    this.errorText = errorText;
  }

  /** Upload files, and put a mark into the text for each picture. */
  take(files) {
    for (const problem of this.list.querySelectorAll(".problem")) problem.remove();
    const marks = this.createMarks(files);
    const text = [...marks.values()].join("\n");
    const { selectionStart: start, selectionEnd: end } = this.field;
    const caret = start + text.length;
    if (text) replaceText(this.field, start, end, text, [caret, caret]);
    const upload = uploadFiles(this.list, files, (...sent) => this.send(marks, ...sent), this.errorText);
    this.pending.add(upload);
    upload.finally(() => this.pending.delete(upload));
  }

  async send(marks, file, progress, signal) {
    let text = "";
    try {
      const { id } = await this.addFile(file, progress, signal);
      text = `![${escapeName(file.name)}](file:${id})`;
    } finally {
      if (marks.has(file)) replaceMark(this.field, marks.get(file), text);
    }
  }

  /** Return a text for each picture that stands for it in the field, and nowhere else. */
  createMarks(files) {
    const marks = new Map();
    for (const file of files.filter(({ type }) => PICTURE_TYPES.includes(type))) {
      const isUsed = (text) => this.field.value.includes(text) || [...marks.values()].includes(text);
      let mark = `![Uploading ${escapeName(file.name)}…]()`;
      for (let number = 2; isUsed(mark); number += 1) mark = `![Uploading ${escapeName(file.name)} ${number}…]()`;
      marks.set(file, mark);
    }
    return marks;
  }
}

/** Remove the marks of uploads that ended with the page, from a text that was kept as a draft. */
function removeLeftMarks(field) {
  const text = field.value.replace(UPLOADING, "");
  if (text === field.value) return;
  field.value = text;
  emitInput(field);
}

/** Put a text in the place of a mark; the cursor stays where it is. */
function replaceMark(field, mark, text) {
  const start = field.value.indexOf(mark);
  if (start < 0) return; // deleted by the writer
  const end = start + mark.length;
  const moved = (at) => (at >= end ? at + text.length - mark.length : Math.min(at, start + text.length));
  const selection = [moved(field.selectionStart), moved(field.selectionEnd)];
  if (document.activeElement === field) return replaceText(field, start, end, text, selection);
  field.setRangeText(text, start, end, "preserve");
  emitInput(field);
}

function emitInput(field) {
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Return a file name as the alternative text of a picture. */
function escapeName(name) {
  return name.replace(/\s+/g, " ").replace(/[[\]\\`<]/g, "\\$&");
}
