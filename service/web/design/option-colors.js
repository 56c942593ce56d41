// The dialog that sets the colors of the options of a field.

import { h, replaceChildren } from "../core/dom.js";
import { foldText } from "../core/folding.js";
import { phrase } from "../core/format.js";
import { smallButton } from "../ui/controls.js";
import { openForm } from "../ui/form.js";
import { LABEL_COLORS } from "../ui/label-colors.js";
import { labelChip } from "../ui/labels.js";

const OPTION_CHARACTERS_MAX = 200;

/** Ask for the colors of the options of a field, and `save(optionColors)` them. */
export function editOptionColors(field, save) {
  const colors = new Map(Object.entries(field.optionColors));
  const isFree = field.options.length === 0;
  const texts = isFree ? [...colors.keys()] : [...field.options];
  const list = h("ul.option-colors", { "aria-label": "Options" });
  const draw = () =>
    replaceChildren(
      list,
      texts.map((text) => renderRow(text, colors))
    );
  draw();
  return openForm({
    title: phrase`Colours of ${field.label}`,
    text: isFree ? "Add a label to give it a colour. The others are grey." : "Options without a colour are grey.",
    fields: [],
    button: "Save",
    below: [list, isFree && renderNewLabel(add)],
    send: () => save(Object.fromEntries(colors))
  });

  /** Add a label, unless one that differs only in case or accents is there. */
  function add(typed) {
    const text = texts.find((one) => foldText(one) === foldText(typed)) ?? typed;
    if (!texts.includes(text)) texts.push(text);
    if (!colors.has(text)) colors.set(text, LABEL_COLORS.at(texts.length % LABEL_COLORS.length)[1]);
    draw();
    [...list.querySelectorAll("select")].at(texts.indexOf(text)).focus();
  }
}

function renderRow(text, colors) {
  const current = colors.get(text);
  const isNamed = LABEL_COLORS.some(([, color]) => color === current);
  const options = [["", "No colour"], ...LABEL_COLORS.map(([name, color]) => [color, name]), ["other", "Other…"]];
  const change = () => set(select.value === "other" ? picker.value : select.value);
  const select = h(
    "select.input.small",
    { "aria-label": `Colour of ${text}`, change },
    options.map(([value, name]) => h("option", { value }, name))
  );
  const picker = h("input", { type: "color", "aria-label": `Other colour of ${text}`, input: () => set(picker.value) });
  const chip = h("span.option-chip", labelChip(text, current));
  select.value = current && !isNamed ? "other" : (current ?? "");
  picker.value = current ?? "#64748b";
  picker.hidden = select.value !== "other";
  return h("li", chip, picker, select);

  function set(color) {
    if (color) colors.set(text, color);
    else colors.delete(text);
    picker.hidden = select.value !== "other";
    replaceChildren(chip, labelChip(text, color || null));
  }
}

/** Render the field that adds a label to the list. */
function renderNewLabel(add) {
  const attributes = { "aria-label": "New label", placeholder: "New label", autocomplete: "off" };
  const field = h("input.input", { ...attributes, maxlength: OPTION_CHARACTERS_MAX });
  const take = () => {
    const text = field.value.trim().replace(/\s+/g, " ").normalize("NFC");
    if (text) add(text);
    field.value = "";
  };
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || !field.value.trim()) return;
    event.preventDefault();
    take();
  });
  return h("div.row", field, smallButton("Add label", take));
}
