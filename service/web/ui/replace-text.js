// Replacing a part of a text as if it was typed, so that the browser can undo it.

/** Replace a part of the text of a field, and select `selection` ([from, to] in the new text), by default its end. */
export function replaceText(field, start, end, text, selection = null) {
  field.focus();
  field.setSelectionRange(start, end);
  if (!document.execCommand(text ? "insertText" : "delete", false, text)) {
    field.setRangeText(text, start, end, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  if (selection) field.setSelectionRange(...selection);
}
