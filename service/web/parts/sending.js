// Files on their way to the service: dropped or chosen, each with how far it is and a way to stop it.

import { attribute, fill, h } from "../core/dom.js";
import { announce } from "./float.js";

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
export async function sendAll(list, files, send, words) {
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
  const stop = h("button", { class: "button small", type: "button", "aria-label": `Stop ${file.name}` }, "Stop");
  const row = h("li", null, h("bdi", null, file.name), h("span", { class: "muted small" }, size(file.size)), bar, stop);
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
        fill(row, h("span", { role: "alert" }, h("bdi", null, file.name), `: ${words(error)}`));
      }
    },
  };
}

/** Say how large something is. */
export function size(bytes) {
  return bytes < MIB ? `${Math.ceil(bytes / 1024)} KiB` : `${Math.round((bytes / MIB) * 10) / 10} MiB`;
}
