// Modal dialogs.

import { closest, focusedElement, h, labelField, query, queryAll } from "../core/dom.js";
import { getFieldText, setFieldText } from "../core/marks.js";
import { raiseToasts } from "./toast.js";

/** @import { Child } from "../core/dom.js" */

/**
 * Show content in a dialog with a Done button, and others before it; resolve when it is closed.
 * @param {string} title
 * @param {Child} content
 * @param {string} [className]
 * @param {Child} [buttons]
 * @returns {Promise<void>}
 */
export function openUntilClosed(title, content, className = "form-dialog wide", buttons = []) {
  return new Promise((resolve) => {
    const close = h("button.button.main", { click: () => opened.close() }, "Done");
    const body = h("div.stack", h("h2", title), content, h("div.row", buttons, close));
    const opened = openDialog({ label: title, className, content: body, closed: () => void resolve() });
  });
}

/**
 * Open a modal dialog at its top, with the focus on its first field or heading. Escape and a click outside close it, unless
 * `leave()` returns false; a click outside closes no form into which something was typed. `closed()` is called afterwards;
 * if it returns false, the focus does not go back to the opener.
 * @param {{label: string, className?: string, content: Child, leave?: () => boolean, closed?: () => boolean | void}} options
 */
export function openDialog({ label, className = "", content, leave = () => true, closed = () => {} }) {
  const opener = focusedElement();
  let isPressedOutside = false;
  let isTyped = false; // into a form
  const dialog = h("dialog", { class: className, "aria-label": label }, content);
  const close = () => {
    if (!dialog.open || leave() === false) return;
    dialog.close();
  };
  dialog.addEventListener("cancel", (event) => {
    if (event.target !== dialog) return; // a file picker inside was closed
    event.preventDefault();
    close();
  });
  dialog.addEventListener("pointerdown", (event) => {
    isPressedOutside = event.target === dialog && isOutside(dialog, event);
  });
  dialog.addEventListener("input", () => (isTyped = dialog.classList.contains("form-dialog")));
  dialog.addEventListener("click", (event) => {
    if (!isTyped && isPressedOutside && event.target === dialog && isOutside(dialog, event)) close();
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    raiseToasts();
    const waiting = queryAll(document, "[autofocus]").pop(); // a field that was drawn again below the dialog
    const returnTarget = opener?.isConnected ? opener : (waiting ?? document.getElementById("screen"));
    if (closed() !== false) returnTarget?.focus({ preventScroll: true });
  });
  document.body.append(dialog);
  dialog.showModal();
  focusStart(dialog);
  raiseToasts();
  return { dialog, close, end: () => dialog.open && dialog.close() };
}

/** Focus the first field of a dialog, or its heading if there is no field or only one further down; scroll nothing. */
function focusStart(dialog) {
  const field = queryAll(dialog, "input, select, textarea").find((one) => one.checkVisibility());
  const isShown = field?.getBoundingClientRect().bottom <= dialog.getBoundingClientRect().bottom;
  const heading = query(dialog, "h1, h2");
  if (heading) heading.tabIndex = -1;
  (isShown ? field : heading)?.focus({ preventScroll: true });
}

function isOutside(dialog, { clientX, clientY }) {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}

/**
 * Ask for a line, a value of an input `type`, or a confirmation (no label); resolve to the input, or null if cancelled.
 * @param {{title: string, text?: Child, label?: string, button: string, type?: string, required?: boolean, value?: string,
 *   maxLength?: number}} options
 * @returns {Promise<string | null>}
 */
export function promptDialog({ title, text, label, button, type = "text", required = false, value = "", maxLength }) {
  return new Promise((resolve) => {
    let answer = null;
    const attributes = { class: "input", maxlength: type === "date" ? null : maxLength, required, name: "text", type };
    const field = label ? h("input", attributes) : null;
    if (field) setFieldText(field, value);
    const form = h(
      "form",
      { submit: (event) => (event.preventDefault(), (answer = field ? getFieldText(field).trim() : ""), opened.end()) },
      h("h2", title),
      text && h("p.muted", text),
      field && labelField(label, field),
      h(
        "div.row",
        h("button.button", { click: () => opened.end() }, "Cancel"),
        h("button.button.main", { type: "submit" }, button)
      )
    );
    form.addEventListener("keydown", ({ key, ctrlKey, metaKey, target }) => {
      const isHeading = closest(target, "h2") !== null; // it has the focus if there is no field
      if (key === "Enter" && (ctrlKey || metaKey || isHeading)) form.requestSubmit(); // as in longer texts
    });
    const opened = openDialog({
      label: title,
      className: "form-dialog",
      content: form,
      closed: () => void resolve(answer)
    });
  });
}
