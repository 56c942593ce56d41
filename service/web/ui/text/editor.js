// The tools of a field for Markdown: formats with their keys, pictures, and a preview.

import { createElement as h, replaceChildren, setAttribute } from "../../core/dom.js";
import { icon } from "../../core/icons.js";
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
  const preview = h("div.text-preview", { tabindex: "0", role: "region", "aria-label": "Preview", hidden: true });
  const previewButton = h("button.text-tool", { "aria-pressed": "false", click: togglePreview }, "Preview");
  const pictures = addFile ? acceptPictures(field, addFile, errorText) : null;
  const formatButtons = FORMATS.map(([name, run, key]) => toolButton(name, () => run(field), key));
  const buttons = [...formatButtons, pictures && toolButton("Picture", pictures.pick), previewButton].filter(Boolean);
  buttons.forEach((button, at) => (button.tabIndex = at ? -1 : 0)); // a toolbar is one stop of the Tab key
  const name = field.getAttribute("aria-label");
  for (const [key, value] of Object.entries({ role: "toolbar", "aria-label": `Format of ${name}` }))
    place.setAttribute(key, value);
  replaceChildren(place, buttons);
  place.addEventListener("keydown", handleArrow);
  field.addEventListener("keydown", handleKey);
  completions?.().then(
    (sources) => attachCompletion(field, sources),
    () => {}
  );
  field.after(preview, ...(pictures ? pictures.elements : []));
  return { settle: async () => pictures?.settle() };

  function togglePreview() {
    const isOn = preview.hidden;
    if (isOn) replaceChildren(preview, field.value.trim() ? render(field.value) : h("p.muted", "Nothing to preview."));
    preview.hidden = !isOn;
    field.hidden = isOn;
    setAttribute(previewButton, "aria-pressed", String(isOn));
    for (const button of buttons) button.disabled = isOn && button !== previewButton;
    if (!isOn) field.focus();
    else focusTool(previewButton);
  }

  function handleKey(event) {
    if (!(IS_MAC ? event.metaKey : event.ctrlKey) || event.altKey || event.shiftKey) return;
    const format = FORMATS.find(([, , key]) => key === event.key.toLowerCase());
    if (format) (event.preventDefault(), format[1](field));
  }

  function handleArrow(event) {
    const enabled = buttons.filter(({ disabled }) => !disabled);
    const at = enabled.findIndex((button) => button === document.activeElement);
    const step = { __proto__: null, ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key];
    if (step === undefined || at < 0) return;
    event.preventDefault();
    focusTool(enabled.at(step % enabled.length));
  }

  function focusTool(button) {
    for (const other of buttons) other.tabIndex = other === button ? 0 : -1;
    button.focus();
  }
}

function toolButton(name, run, key) {
  const title = key ? `${name} (${IS_MAC ? "⌘+" : "Ctrl+"}${key.toUpperCase()})` : name;
  const shortcut = key && `${IS_MAC ? "Meta" : "Control"}+${key.toUpperCase()}`;
  const attributes = { "aria-label": name, title, "aria-keyshortcuts": shortcut };
  const keepFocus = (event) => event.preventDefault(); // and the keyboard of a phone
  return h("button.text-tool", { ...attributes, mousedown: keepFocus, click: run }, icon(ICONS[name]));
}
