// What is shown once and never again: a key, a code, a password, with all that one has to hand on.

import { h, say } from "../core/dom.js";
import { openDialog } from "./dialog.js";
import { announce } from "./notice.js";

/** Show a secret with Copy and, below it, lines that are ready to be used; it stays until the person says that they have it. */
export function showOnce({ title, text, label, secret, below = null }) {
  return new Promise((resolve) => {
    const hint = h("p", { class: "problem small", role: "alert" });
    let isDone = false;
    const done = h("button", { class: "button main", type: "button", on: { click: () => ((isDone = true), opened.close()) } });
    done.append("I have it");
    const content = h(
      "div",
      { class: "once" },
      h("h2", null, title),
      h("p", null, text),
      copied(label, secret),
      below,
      hint,
      h("div", { class: "row" }, done),
    );
    const leave = () => isDone || (say(hint, "It is shown only now. Copy it, then press “I have it”."), false);
    const opened = openDialog({ label: title, className: "ask broad", content, leave, closed: () => void resolve() });
    content.querySelector("input").select();
  });
}

/** Draw a line that can be copied. */
export function copied(label, value) {
  const field = h("input", { class: "input code", readonly: true, "aria-label": label, spellcheck: "false" });
  field.value = value;
  field.addEventListener("focus", () => field.select());
  const line = h("div", { class: "row" }, field, copyButton(label, () => value, field));
  return h("div", { class: "labelled" }, h("span", null, label), line);
}

/** Draw lines that can be copied; `write(text)` changes them. */
export function copiedLines(label, value) {
  const block = h("pre", { class: "lines", tabindex: "0", role: "region", "aria-label": label }, value);
  const button = copyButton(label, () => block.textContent, block);
  const head = h("div", { class: "row" }, h("span", { class: "small" }, label), button);
  return { element: h("div", { class: "labelled" }, head, block), write: (text) => say(block, text) };
}

function copyButton(label, value, place) {
  const button = h("button", { class: "button small", type: "button", "aria-label": `Copy: ${label}` }, "Copy");
  button.addEventListener("click", async () => {
    const isCopied = await copy(value(), place);
    say(button, isCopied ? "Copied" : "Press Ctrl+C");
    announce(isCopied ? "Copied." : "It is selected; copy it with the keyboard.");
  });
  return button;
}

/** Copy a text; where the browser does not let a page do that, select it. */
async function copy(text, place) {
  try {
    await navigator.clipboard.writeText(text); // there only over https and on this machine
    return true;
  } catch {
    if (place.select) place.select();
    else getSelection().selectAllChildren(place);
    return false;
  }
}
