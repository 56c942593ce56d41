// The tools of a field for Markdown: formats with their keys, pictures, and a preview.

import { createElement as h, replaceChildren, setAttribute } from "../../core/dom.js";
import { icon } from "../../core/icons.js";
import { getFieldText } from "../../core/marks.js";
import { IS_MAC } from "../../core/shortcuts.js";
import { attachCompletion } from "../listbox/completion.js";
import { acceptPictures } from "./pictures.js";
import { toggleBold, toggleChecklist, toggleCode, toggleLink, toggleList } from "./format.js";

const ICONS = {
  __proto__: null,
  Bold: "M4.5 3h4a2.4 2.4 0 0 1 0 4.8h-4zM4.5 7.8h4.8a2.6 2.6 0 0 1 0 5.2H4.5z",
  List: "M6 4h8M6 8h8M6 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01",
  Checklist: "M1.8 4l1.3 1.3L5.6 3M1.8 11l1.3 1.3L5.6 10M8 4h6M8 11h6",
  Link: "link",
  Code: "M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5",
  Picture: "M2 3h12v10H2zM2.5 11.5L6 8.5l2.3 2 2.4-2.7 3 3M5.5 6h.01"
};
// name, function, key pressed with Ctrl (on a Mac, with Command)
/** @type {[name: string, run: (field: HTMLTextAreaElement) => void, key?: string][]} */
const FORMATS = [
  ["Bold", toggleBold, "b"],
  ["List", toggleList],
  ["Checklist", toggleChecklist],
  ["Link", toggleLink, "k"],
  ["Code", toggleCode, "e"]
];

/** Fill `place` with the tools of a field; see loadTextTools. Return {settle()}. */
export function createTextTools(field, place, { render, addFile, errorText, completions }) {
  const pictures = addFile ? acceptPictures(field, addFile, errorText) : null;
  const tools = new TextTools(field, pictures, render);
  setAttribute(place, "role", "toolbar");
  setAttribute(place, "aria-label", `Format of ${field.getAttribute("aria-label")}`);
  replaceChildren(place, tools.buttons);
  place.addEventListener("keydown", (event) => tools.handleArrow(event));
  completions?.().then(
    (sources) => attachCompletion(field, sources),
    () => {}
  );
  field.after(tools.preview, ...(pictures ? pictures.elements : []));
  return { settle: async () => pictures?.settle() };
}

class TextTools {
  preview = h("div.text-preview", { tabindex: "0", role: "region", "aria-label": "Preview", hidden: true });
  previewButton = h("button.text-tool", { "aria-pressed": "false", click: () => this.togglePreview() }, "Preview");

  constructor(field, pictures, render) {
    this.field = field;
    this.render = render;
    const formats = FORMATS.map(([name, run, key]) => toolButton(name, () => run(field), key));
    const pictureButton = pictures && toolButton("Picture", pictures.pick);
    this.buttons = [...formats, pictureButton, this.previewButton].filter(Boolean);
    this.setStop(this.buttons[0]);
    field.addEventListener("keydown", (event) => this.handleKey(event));
  }

  togglePreview() {
    const { preview, previewButton, field, buttons } = this;
    const isOn = preview.hidden;
    if (isOn)
      replaceChildren(preview, field.value.trim() ? this.render(getFieldText(field)) : h("p.muted", "Nothing to preview."));
    preview.hidden = !isOn;
    field.hidden = isOn;
    setAttribute(previewButton, "aria-pressed", String(isOn));
    for (const button of buttons) button.disabled = isOn && button !== previewButton;
    if (isOn) this.focusTool(previewButton);
    else field.focus();
  }

  /** Apply the format of a key. */
  handleKey(event) {
    if (!(IS_MAC ? event.metaKey : event.ctrlKey) || event.altKey || event.shiftKey) return;
    const format = FORMATS.find(([, , key]) => key === event.key.toLowerCase());
    if (format) (event.preventDefault(), format[1](this.field));
  }

  /** Go to another tool. */
  handleArrow(event) {
    const enabled = this.buttons.filter(({ disabled }) => !disabled);
    const at = enabled.findIndex((button) => button === document.activeElement);
    const step = { __proto__: null, ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key];
    if (step === undefined || at < 0) return;
    event.preventDefault();
    this.focusTool(enabled.at(step % enabled.length));
  }

  focusTool(button) {
    this.setStop(button);
    button.focus();
  }

  /** Make a tool the one that the Tab key reaches, since a toolbar is one stop. */
  setStop(button) {
    for (const other of this.buttons) other.tabIndex = other === button ? 0 : -1;
  }
}

function toolButton(name, run, key) {
  const title = key ? `${name} (${IS_MAC ? "⌘+" : "Ctrl+"}${key.toUpperCase()})` : name;
  const shortcut = key && `${IS_MAC ? "Meta" : "Control"}+${key.toUpperCase()}`;
  const attributes = { "aria-label": name, title, "aria-keyshortcuts": shortcut };
  const keepFocus = (event) => event.preventDefault(); // and the keyboard of a phone
  return h("button.text-tool", { ...attributes, mousedown: keepFocus, click: run }, icon(ICONS[name]));
}
