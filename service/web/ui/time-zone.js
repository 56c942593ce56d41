// The field for a time zone, which is found by a part of its name.

import { attachCompletion } from "./completion.js";

/** Return a field of a form: the name of a time zone, completed while it is typed. */
export function timeZoneField(value, hint) {
  const zones = [...new Set([value, ...Intl.supportedValuesOf("timeZone"), "UTC"])].sort();
  const items = zones.map((zone) => ({ label: zone.replaceAll("_", " "), text: zone }));
  const source = { prefix: "", label: "Time zones", items: () => items, choose: ({ text }) => text };
  const attach = (input) => {
    attachCompletion(input, [source]);
    input.addEventListener("pointerdown", () => {
      // A click into it selects its text, as Tab does, so that typing replaces it; the next click places the caret.
      if (document.activeElement !== input) input.addEventListener("click", () => input.select(), { once: true });
    });
  };
  return { name: "timezone", label: "Time zone", value, required: true, hint: `Type a city. ${hint}`, attach };
}
