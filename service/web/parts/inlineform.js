// Forms that stand in a screen: what is refused is said beside its field, what is saved is said.

import { h, say } from "../core/dom.js";
import { formField, sentence } from "./form.js";
import { announce } from "./notice.js";

/** Draw a form of `fields` that `send` takes; `done` is what is said when it has. */
export function inlineForm({ label, text, fields, button, send, done }) {
  const made = fields.map(formField);
  const problem = h("p", { class: "problem", role: "alert" });
  const said = h("p", { class: "small muted", role: "status" });
  const submit = h("button", { class: "button main", type: "submit" }, button);
  const form = h(
    "form",
    { class: "inline", novalidate: true, "aria-label": label },
    text && h("p", { class: "small muted" }, text),
    made.map(({ element }) => element),
    problem,
    h("div", { class: "row" }, submit, said),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    for (const place of [problem, said]) say(place, "");
    const wrong = made.filter(({ check }) => !check());
    if (wrong.length) return wrong[0].focus();
    submit.disabled = true;
    try {
      await send(Object.fromEntries(made.map(({ name, value }) => [name, value()])), form);
      for (const { input } of made) if (input.type === "password") input.value = "";
      for (const { input } of made) input.defaultValue = input.value;
      say(said, done);
      announce(done);
    } catch (error) {
      if (!("status" in error)) throw error;
      tell(error);
    } finally {
      submit.disabled = false;
    }
  });

  function tell(error) {
    const told = (error.details?.fields ?? []).filter(
      ({ path, message }) => made.find(({ name }) => name === path)?.refuse(message) ?? true,
    );
    const known = told.filter(({ path }) => made.some(({ name }) => name === path));
    if (known.length) made.find(({ isRefused }) => isRefused())?.focus();
    else say(problem, sentence(error));
  }

  return form;
}
