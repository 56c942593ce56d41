// Fields and blocks with a Copy button.

import { h, setText } from "../core/dom.js";
import { announce } from "./toast.js";

/** Return a read-only field with a Copy button. */
export function copyField(label, value) {
  const field = h("input.input.code", { readonly: true, "aria-label": label, spellcheck: "false" });
  field.value = value;
  field.addEventListener("focus", () => field.select());
  const line = h(
    "div.row",
    field,
    copyButton(label, () => value, field)
  );
  return h("div.labelled", h("span", label), line);
}

/** Return a block of lines with a Copy button; `write(text)` replaces them. */
export function copyBlock(label, value) {
  const block = h("pre.lines", { tabindex: "0", role: "region", "aria-label": label }, value);
  const button = copyButton(label, () => block.textContent, block);
  const head = h("div.row", h("span.small", label), button);
  return { element: h("div.labelled", head, block), write: (text) => setText(block, text) };
}

function copyButton(label, value, element) {
  const button = h("button.button.small", { "aria-label": `Copy: ${label}` }, "Copy");
  button.addEventListener("click", async () => {
    const isCopied = await copyText(value(), element);
    setText(button, isCopied ? "Copied" : "Press Ctrl+C");
    announce(isCopied ? "Copied." : "It is selected; copy it with the keyboard.");
  });
  return button;
}

/** Copy a text to the clipboard, or select it where the browser does not allow that. */
async function copyText(text, element) {
  try {
    await navigator.clipboard.writeText(text); // exists only over https and on localhost
    return true;
  } catch {
    if (element.select) element.select();
    else getSelection().selectAllChildren(element);
    return false;
  }
}
