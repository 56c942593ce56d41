// A list of texts, edited as chips: a text field, and a button for each text that removes it.

import { h, replaceChildren, setAttribute } from "../../core/dom.js";
import { icon } from "../../core/icons.js";
import { announce } from "../toast.js";

/** Create an editor of a list of texts: {element, focus(), value()}. A text is added with Enter or by leaving the field. */
export function createChips({ label, name, texts, maxLength }) {
  let values = [...texts];
  const list = h("ul.chip-list");
  const field = h("input.input", { name, "aria-label": `Add to ${label}`, maxlength: maxLength, autocomplete: "off" });
  const element = h("div.chips", { role: "group", "aria-label": label }, list, field);
  field.addEventListener("keydown", handleKey);
  field.addEventListener("blur", addTyped);
  field.addEventListener("paste", handlePaste);
  draw();
  return { element, focus: () => field.focus(), value: () => (addTyped(), values) };

  function draw() {
    replaceChildren(list, values.map(chip));
    list.hidden = values.length === 0;
    setAttribute(field, "placeholder", values.length ? null : "Type and press Enter");
  }

  function chip(text) {
    const attributes = { "aria-label": `Remove ${text}`, title: `Remove ${text}`, click: () => removeText(text) };
    return h("li", h("button.button.small", attributes, h("bdi", text), icon("close")));
  }

  function handleKey(event) {
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && field.value.trim()) {
      event.preventDefault();
      addTyped();
    } else if (event.key === "Backspace" && !field.value && values.length > 0) {
      event.preventDefault();
      removeText(values.at(-1));
    }
  }

  function handlePaste(event) {
    const lines = event.clipboardData.getData("text/plain").split(/\r?\n/);
    if (lines.length < 2) return; // into the field, as usual
    event.preventDefault();
    add([field.value, ...lines]);
    field.value = "";
  }

  function addTyped() {
    add([field.value]);
    field.value = "";
  }

  function add(candidates) {
    const fresh = candidates.map((text) => text.trim()).filter((text) => text && !values.includes(text));
    if (fresh.length === 0) return;
    values = [...new Set([...values, ...fresh])];
    draw();
    announce(`Added ${fresh.join(", ")}.`);
  }

  function removeText(text) {
    values = values.filter((value) => value !== text);
    draw();
    field.focus();
    announce(`Removed ${text}.`);
  }
}
