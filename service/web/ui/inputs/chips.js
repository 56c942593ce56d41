// A list of texts, edited as chips: a text field, and a button for each text that removes it.

import { h, replaceChildren, setAttribute } from "../../core/dom.js";
import { icon } from "../../core/icons.js";
import { announce } from "../toast.js";

/** Create an editor of a list of texts: {element, focus(), value()}. A text is added with Enter or by leaving the field. */
export function createChips(options) {
  const chips = new Chips(options);
  return { element: chips.element, focus: () => chips.field.focus(), value: () => chips.read() };
}

class Chips {
  list = h("ul.chip-list");

  constructor({ label, name, texts, maxLength }) {
    this.texts = [...texts];
    const listeners = {
      keydown: (event) => this.handleKey(event),
      blur: () => this.addTyped(),
      paste: (event) => this.handlePaste(event)
    };
    const attributes = { name, "aria-label": `Add to ${label}`, maxlength: maxLength, autocomplete: "off" };
    this.field = h("input.input", { ...attributes, ...listeners });
    this.element = h("div.chips", { role: "group", "aria-label": label }, this.list, this.field);
    this.draw();
  }

  /** Return the texts, with what is typed. */
  read() {
    this.addTyped();
    return this.texts;
  }

  draw() {
    replaceChildren(
      this.list,
      this.texts.map((text) => this.renderChip(text))
    );
    this.list.hidden = this.texts.length === 0;
    setAttribute(this.field, "placeholder", this.texts.length ? null : "Type and press Enter");
  }

  renderChip(text) {
    const attributes = { "aria-label": `Remove ${text}`, title: `Remove ${text}`, click: () => this.remove(text) };
    return h("li", h("button.button.small", attributes, h("bdi", text), icon("close")));
  }

  handleKey(event) {
    const { field, texts } = this;
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && field.value.trim()) this.addTyped();
    else if (event.key === "Backspace" && !field.value && texts.length > 0) this.remove(texts.at(-1));
    else return;
    event.preventDefault();
  }

  handlePaste(event) {
    const lines = event.clipboardData.getData("text/plain").split(/\r?\n/);
    if (lines.length < 2) return; // into the field, as usual
    event.preventDefault();
    this.add([this.field.value, ...lines]);
    this.field.value = "";
  }

  addTyped() {
    this.add([this.field.value]);
    this.field.value = "";
  }

  add(candidates) {
    const fresh = candidates.map((text) => text.trim()).filter((text) => text && !this.texts.includes(text));
    if (fresh.length === 0) return;
    this.texts = [...new Set([...this.texts, ...fresh])];
    this.draw();
    announce(`Added ${fresh.join(", ")}.`);
  }

  remove(text) {
    this.texts = this.texts.filter((one) => one !== text);
    this.draw();
    this.field.focus();
    announce(`Removed ${text}.`);
  }
}
