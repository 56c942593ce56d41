// The field for a time zone, which is found by a part of its name.

import { attachCompletion } from "../listbox/completion.js";

/** Return a field of a form: the name of a time zone, completed while it is typed. */
export function timeZoneField(value, hint) {
  const zones = [...new Set([value, ...Intl.supportedValuesOf("timeZone"), "UTC"])].sort();
  const items = zones.map((zone) => ({ label: zone.replaceAll("_", " "), text: zone }));
  const source = { prefix: "", label: "Time zones", items: () => items, choose: ({ text }) => text };
  const attach = (input) => {
    attachCompletion(input, [source]);
    input.addEventListener("focus", () => input.select()); // so that typing replaces it after a click, too
  };
  return { name: "timezone", label: "Time zone", value, required: true, hint: `Type a city. ${hint}`, attach };
}
