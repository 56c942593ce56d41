// The dialog that asks for a due date.

import { h } from "../core/dom.js";
import { openDialog } from "../ui/dialog.js";
import { createDueDateInput } from "../ui/inputs/due-date.js";

/** Ask for a due date; resolve to it, to null for none, or to undefined if cancelled. */
export function askDueDate(title, due) {
  return new Promise((resolve) => {
    let answer;
    const input = createDueDateInput("Due date", due);
    const cancel = h("button.button", { click: () => opened.end() }, "Cancel");
    const save = h("button.button.main", { type: "submit" }, "Save");
    const form = h("form", { novalidate: true, submit }, h("h2", title), input.element, h("div.row", cancel, save));
    const opened = openDialog({ label: title, className: "form-dialog", content: form, closed: () => void resolve(answer) });

    async function submit(event) {
      event.preventDefault();
      answer = await input.value();
      if (answer !== undefined) opened.end();
    }
  });
}
