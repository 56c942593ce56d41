// The dialogs of an import from Trello: which lists are done, and what was imported.

import { h } from "../core/dom.js";
import { formatCount, phrase } from "../core/format.js";
import { boardUrl, navigate } from "../core/router.js";
import { smallButton } from "../ui/controls.js";
import { openDialog } from "../ui/dialog.js";
import { openForm } from "../ui/form.js";
import { renderTable } from "../ui/table.js";

/** Ask which lists become done columns; resolve to their titles, or to null if cancelled. */
export function chooseDoneLists({ title, lists, left, remarks }) {
  const boxes = lists.map(({ title: value, done }) => Object.assign(h("input", { type: "checkbox", value }), { checked: done }));
  const rows = boxes.map((box, at) =>
    h("label.row", box, h("bdi", box.value), h("span.muted.small", `· ${formatCount(lists[at].cards, "card")}`))
  );
  return openForm({
    title: phrase`Import ${title}?`,
    text: "Nothing is imported yet. Tick the lists whose cards are finished: they become done columns.",
    fields: [],
    button: "Import",
    wide: true,
    below: h("div.stack", h("fieldset", h("legend", "Done columns"), rows), renderOmissions(left), renderRemarks(remarks)),
    send: () => boxes.filter(({ checked }) => checked).map(({ value }) => value)
  });
}

/** Show what was imported and what was not. */
export function showTrelloReport({ project, taken, left, remarks }) {
  const open = smallButton("Open the board", () => (opened.end(), navigate(boardUrl(project.id))), { kind: "main" });
  const content = h(
    "div.stack",
    h("h2", h("bdi", project.title), " is here"),
    renderTable("numbers", ["Imported", "How many", "How"], toRows(taken)),
    renderOmissions(left),
    renderRemarks(remarks),
    h(
      "div.row",
      smallButton("Close", () => opened.end()),
      open
    )
  );
  const opened = openDialog({ label: "Import from Trello: result", className: "form-dialog wide", content });
}

function renderOmissions(left) {
  return left.length > 0 && [h("h3", "Not imported"), renderTable("numbers", ["What", "How many", "Why"], toRows(left))];
}

const renderRemarks = (remarks) => remarks.map((remark) => h("p", remark));

const toRows = (counts) => counts.filter(({ count }) => count).map(({ what, count, note }) => [what, count, note]);
