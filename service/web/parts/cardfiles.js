// Files of an open card: added by a button or by a drop, saved with the token and never by an address that holds it.

import { ask } from "../core/api.js";
import { attribute, fill, h, icon, say } from "../core/dom.js";
import { reasons } from "../core/refusals.js";
import { namesOf, tellRefused } from "./refused.js";

const STEPS = ["bytes", "kB", "MB", "GB"];

/** Give one field for files of an open card: {element, update()}. */
export function fileField(open, field, may) {
  const list = h("ul", { class: "files" });
  const named = { class: "unseen", tabindex: "-1", "aria-label": `Files for ${field.label}` };
  const picker = h("input", { type: "file", ...named, multiple: field.multiple });
  const pick = h("button", { class: "button small", type: "button", on: { click: () => picker.click() } }, "Add a file");
  const state = h("p", { class: "small muted", role: "status" });
  const element = h("section", { class: "filefield" }, h("h3", null, field.label), list, may && [pick, picker], state);
  let bar = null; // of the file that is on its way
  picker.addEventListener("change", () => take([...picker.files]));
  if (may) droppable(element, take);

  async function take(files) {
    for (const file of field.multiple ? files : files.slice(0, 1)) {
      state.className = "small muted";
      tell(file, 0);
      try {
        await open.addFile(field.id, file, (share) => tell(file, share));
        say(state, "");
      } catch (error) {
        state.className = "problem small";
        say(state, `${file.name}: ${reasons(error, namesOf(open.board)).join(" ")}`);
        break;
      }
    }
    picker.value = "";
  }

  /** Say once what is on its way, and how far it is without a word. */
  function tell(file, share) {
    if (bar?.file !== file) {
      bar = Object.assign(h("progress", { "aria-label": file.name }), { file });
      fill(state, `Adding ${file.name} … `, bar);
    }
    attribute(bar, "value", share);
  }

  function update() {
    const files = open.files.filter(({ fieldId }) => fieldId === field.id);
    const rows = files.map((file) => {
      const save = h("button", { class: "link", type: "button", on: { click: () => download(open, file) } }, file.name);
      return h("li", null, icon("file"), save, h("span", { class: "muted small" }, size(file.sizeBytes)));
    });
    fill(list, rows.length ? rows : h("li", { class: "muted" }, "None"));
  }

  return { element, update };
}

function droppable(element, take) {
  element.addEventListener("dragover", (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    element.classList.add("over");
  });
  element.addEventListener("dragleave", () => element.classList.remove("over"));
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    element.classList.remove("over");
    take([...event.dataTransfer.files]);
  });
}

async function download(open, file) {
  try {
    const response = await ask(`/files/${encodeURIComponent(file.id)}/content`, { method: "GET" });
    const address = URL.createObjectURL(new Blob([await response.arrayBuffer()], { type: "application/octet-stream" }));
    const link = h("a", { href: address, download: file.name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  } catch (error) {
    tellRefused(open.board, `${file.name} was not loaded`, error);
  }
}

function size(bytes) {
  let [number, step] = [bytes, 0];
  for (; number >= 1000 && step < STEPS.length - 1; step += 1) number /= 1000;
  return `${number.toLocaleString("en", { maximumFractionDigits: number < 10 && step ? 1 : 0 })} ${STEPS[step]}`;
}
