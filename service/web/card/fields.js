// Editors and renderers for the values of custom fields.

import { h } from "../core/dom.js";
import { formatDay, formatDecimal } from "../core/format.js";
import { labelChip } from "../ui/labels.js";
import { lookUp } from "../core/lookup.js";

/** How fields are edited that are not edited as their kind says, by kind; see InlineEdit. */
export const EDITORS = new Map([
  ["select", "choice"],
  ["agent", "choice"],
  ["user", "choice"],
  ["multiselect", "choices"],
  ["checkbox", "checkbox"]
]);
/** The lengths of texts, by the kind of their field. */
export const CHARACTERS_MAX = new Map([
  ["text", 10_000],
  ["richtext", 100_000],
  ["url", 2000]
]);

/** Return a function that renders values of a field; `avatars` renders agents and users, `prose` texts. */
export function fieldRenderer({ kind, optionColors }, avatars, prose) {
  const none = () => h("span.muted", kind === "richtext" ? "Empty" : "–");
  const chip = (option) => labelChip(option, lookUp(optionColors, option));
  const renderers = {
    __proto__: null,
    richtext: prose,
    checkbox: (value) => h("span", value === "true" ? "☑ yes" : "☐ no"),
    multiselect: (value) => h("span.tags", value.map(chip)),
    select: (value) => (lookUp(optionColors, value) ? chip(value) : value),
    agent: avatars.agent,
    user: avatars.user,
    date: (value) => formatDay(value.slice(0, 10)),
    number: (value) => formatDecimal(String(value)),
    url: (value) => h("span.address", value)
  };
  return (value) => {
    if (kind === "checkbox") return renderers.checkbox(value);
    return value === null || value === undefined ? none() : (renderers[kind] ?? String)(value);
  };
}
