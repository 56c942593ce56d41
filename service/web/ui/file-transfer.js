// Uploads with progress, and downloads.

import { h, replaceChildren, setAttribute } from "../core/dom.js";
import { formatBytes } from "../core/format.js";
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

/** Download an address as a file. */
export function startDownload(href, download) {
  const link = h("a", { href, download });
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
