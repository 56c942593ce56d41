// The dialog that shows a secret once.

import { h, setText } from "../core/dom.js";
import { copyField } from "../ui/copy.js";
import { openDialog } from "../ui/dialog.js";

/** @import { Child } from "../core/dom.js" */

/**
 * Show a secret with a Copy button and optional content below; the dialog stays open until the user confirms.
 * @param {{title: string, text: string, label: string, secret: string, below?: Child}} options
 * @returns {Promise<void>}
 */
export function showSecret({ title, text, label, secret, below = null }) {
  return new Promise((resolve) => {
    const hint = h("p.problem.small", { role: "alert" });
    let isDone = false;
    const done = h("button.button.main", { click: () => ((isDone = true), opened.close()) });
    done.append("Done");
    const content = h("div.stack", h("h2", title), h("p", text), copyField(label, secret), below, hint, h("div.row", done));
    const leave = () => isDone || (setText(hint, "It is shown only once. Copy it, then press “Done”."), false);
    const opened = openDialog({
      label: title,
      className: "form-dialog wide",
      content,
      leave,
      closed: () => void resolve()
    });
    content.querySelector("input").select();
  });
}
