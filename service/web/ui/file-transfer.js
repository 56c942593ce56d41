// Uploads with progress, and downloads.

import { h, replaceChildren, setAttribute } from "../core/dom.js";
import { formatBytes } from "../core/format.js";
import { announce } from "./toast.js";

const UPLOADS_AT_ONCE_MAX = 3; // browsers allow few connections to one host

/** Upload files, each with a row in `list`. `send(file, progress, signal)` uploads one, `words(error)` returns an error text. */
export async function uploadFiles(list, files, send, words) {
  const rows = files.map((file) => createUploadRow(list, file));
  const waiting = [...rows];
  const worker = async () => {
    for (let row; (row = waiting.shift());) await row.run(send, words);
  };
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE_MAX }, worker));
}

function createUploadRow(list, file) {
  const stopping = new AbortController();
  const bar = h("progress", { "aria-label": file.name });
  const stop = h("button.button.small", { "aria-label": `Stop ${file.name}` }, "Stop");
  const row = h("li", h("bdi", file.name), h("span.muted.small", formatBytes(file.size)), bar, stop);
  stop.addEventListener("click", () => (stopping.abort(), row.remove()));
  list.append(row);
  return {
    async run(send, words) {
      if (stopping.signal.aborted) return;
      try {
        await send(file, (share) => setAttribute(bar, "value", share < 1 ? share : null), stopping.signal);
        row.remove();
        announce(`${file.name} is there.`);
      } catch (error) {
        if (stopping.signal.aborted) return announce(`${file.name} was stopped.`);
        row.className = "problem small";
        replaceChildren(row, h("span", { role: "alert" }, h("bdi", file.name), `: ${words(error)}`));
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
