// Uploads with progress, and downloads.

import { upload } from "../core/api.js";
import { h, replaceChildren, setAttribute } from "../core/dom.js";
import { formatBytes, phrase } from "../core/format.js";
import { announce } from "./toast.js";

const UPLOADS_AT_ONCE_MAX = 3; // browsers allow few connections to one host

/** Upload files, each with a row in `list`. `send(file, progress, signal)` uploads one, `errorMessage(error)` returns a text. */
export async function uploadFiles(list, files, send, errorMessage) {
  const rows = files.map((file) => createUploadRow(list, file));
  const waiting = [...rows];
  const worker = async () => {
    for (let row; (row = waiting.shift());) await row.run(send, errorMessage);
  };
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE_MAX }, worker));
}

function createUploadRow(list, file) {
  const abort = new AbortController();
  const bar = h("progress", { "aria-label": file.name });
  const stopButton = h("button.button.small", { "aria-label": `Stop ${file.name}` }, "Stop");
  const row = h("li", h("bdi", file.name), h("span.muted.small", formatBytes(file.size)), bar, stopButton);
  stopButton.addEventListener("click", () => (abort.abort(), row.remove()));
  list.append(row);
  return {
    async run(send, errorMessage) {
      if (abort.signal.aborted) return;
      try {
        await send(file, (share) => setAttribute(bar, "value", share < 1 ? share : null), abort.signal);
        row.remove();
        announce(`${file.name} is there.`);
      } catch (error) {
        if (abort.signal.aborted) return announce(`${file.name} was stopped.`);
        row.className = "problem small";
        replaceChildren(row, h("span", { role: "alert" }, h("bdi", file.name), `: ${errorMessage(error)}`));
      }
    }
  };
}

/**
 * Return {field}, the file field for files that are added to a card as a whole: the first that holds several, else an empty
 * one; or {problem}, a sentence that says why there is none.
 */
export function findFileField(cardType, hasFiles) {
  if (cardType?.filesEnabled === false) return { problem: phrase`Cards of the type ${cardType.title} take no files.` };
  const fields = (cardType?.fields ?? []).filter(({ kind }) => kind === "file");
  const field = fields.find(({ multiple }) => multiple) ?? (hasFiles ? null : fields[0]);
  const problem = "This card has no place for more files. Add a file field that holds several files under Board settings.";
  return field ? { field } : { problem };
}

/** The error of a file that is not sent; its text says why. */
export class FileRefused extends Error {
  /** @param {string} text */
  constructor(text) {
    super(text);
    this.text = text;
  }
}

/** Upload a file to a field of a card and return it; `progress(share)` is called repeatedly. */
export function sendFile(cardId, fieldId, file, progress, signal) {
  const form = new FormData();
  form.append("cardId", cardId);
  form.append("fieldId", fieldId);
  form.append("file", file, file.name);
  return upload("/files", form, progress, signal);
}

/** Download an address as a file. */
export function startDownload(href, download) {
  followLink({ href, download });
}

/** Do what a click on a link with these attributes does. */
export function followLink(attributes) {
  const link = h("a", attributes);
  document.body.append(link);
  link.click();
  link.remove();
}

/** Save a Blob as a file. */
export function saveBlob(blob, name) {
  const href = URL.createObjectURL(blob);
  startDownload(href, name);
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
