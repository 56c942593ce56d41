// Changes of columns on the board, for users who may make them: add, rename, reorder, remove.

import { h, setText } from "../core/dom.js";
import { plainErrorText } from "../core/error-text.js";
import { phrase } from "../core/format.js";
import { icon } from "../core/icons.js";
import { getFieldText, setFieldText } from "../core/marks.js";
import { organization } from "../core/organization.js";
import { boardUrl, navigate } from "../core/router.js";
import { shortcutAttributes } from "../core/shortcuts.js";
import { createColumn, removeColumn, renameColumn, updateColumn } from "../ui/column-changes.js";
import { announce, showError } from "../ui/toast.js";
import { enableColumnDragging } from "./column-dragging.js";
import { showEmptyColumns } from "./column.js";

const TITLE_CHARACTERS_MAX = 500;

/** Enable changes of the columns of a board; `draw()` shows them to users who may make them, and hides them from others. */
export function enableColumnEditing(page, host) {
  const form = createAddForm(page, host);
  const isAllowed = (action) => organization.isArchitect && page.board.isAllowed(action, "Column");
  const viewOf = (target) => page.views.get(target.closest("[data-column]").dataset.column);

  host.addEventListener("click", ({ target }) => {
    const title = target.closest(".column > header > h2");
    if (title && isAllowed("update") && !viewOf(title).isCollapsed) editTitle(viewOf(title));
  });
  enableColumnDragging(host, (target) => (isAllowed("update") ? viewOf(target) : null), moveColumn);

  function draw() {
    host.classList.toggle("may-update-columns", isAllowed("update"));
    if (isAllowed("create")) form.draw();
    else form.element.remove();
    for (const view of page.views.values()) view.changes = () => listChanges(view);
  }

  /** Return the changes of a column as menu items. */
  function listChanges(view) {
    const last = page.board.columns.length - 1;
    const { order } = view.column;
    const move = (label, to) => ({ label, run: () => moveColumn(view, to) });
    const updates = [
      { label: "Rename", run: () => editTitle(view) },
      ...(order > 0 ? [move("Move left", order - 1)] : []),
      ...(order < last ? [move("Move right", order + 1)] : [])
    ];
    const removal = { label: "Remove…", run: () => removeColumn(page.board, view.column) };
    const settings = { label: "Board settings", run: () => navigate(`${boardUrl(page.board.id)}/design`) };
    const all = [...(isAllowed("update") ? updates : []), ...(isAllowed("delete") ? [removal] : [])];
    return all.length ? [{ head: "Column" }, ...all, settings] : [];
  }

  /** Move a column to a place: at once on this page, and back if the service denies it. */
  async function moveColumn(view, order) {
    const { board } = page;
    const { column } = view;
    const columns = board.columns.filter(({ id }) => id !== column.id);
    columns.splice(order, 0, column);
    board.columns = columns.map((other, at) => ({ ...other, order: at }));
    board.emitChange({ frame: true });
    view.menuButton.focus({ preventScroll: true });
    view.element.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (!(await updateColumn(column, { order }, phrase`${column.title} is now column ${order + 1}`))) board.load();
  }

  return { draw };
}

/** Edit the title of a column in its head: Enter or leaving the field saves, Escape keeps the old title. */
function editTitle(view) {
  if (!view.title.isConnected || view.title.hidden) return;
  const { column } = view;
  const attributes = { "aria-label": `Title of ${column.title}`, maxlength: TITLE_CHARACTERS_MAX, name: "title" };
  const field = h("input.input.small.column-title", attributes);
  setFieldText(field, column.title);
  view.title.hidden = true;
  view.title.after(field);
  field.select();
  field.focus();
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") close();
    else save();
  });
  field.addEventListener("blur", () => field.isConnected && !field.readOnly && save());

  function close() {
    const hadFocus = document.activeElement === field;
    view.title.hidden = false;
    field.readOnly = true; // so that the blur saves nothing
    field.remove();
    if (hadFocus) view.menuButton.focus({ preventScroll: true });
  }

  async function save() {
    const title = getFieldText(field).trim().replace(/\s+/g, " ");
    if (!title || title === column.title) return close();
    field.readOnly = true;
    try {
      await renameColumn(column, title);
      setText(view.title, title);
      close();
    } catch (error) {
      field.readOnly = false;
      field.focus();
      showError(phrase`${column.title} was not renamed`, plainErrorText(error), "rename");
    }
  }
}

/** Create the field behind the last column that adds columns; a board without columns shows it at once. */
function createAddForm(page, host) {
  const field = h("input.input", { "aria-label": "Title of the new column", placeholder: "Column title" });
  field.maxLength = TITLE_CHARACTERS_MAX;
  const problem = h("p.problem.small", { role: "alert" });
  const submit = h("button.button.small.main", { type: "submit" }, "Add column");
  const close = h("button.button.small", { click: () => toggle(false) }, "Close");
  const form = h("form", { novalidate: true, hidden: true }, field, problem, h("div.row", submit, close));
  const attributes = { click: () => toggle(true), ...shortcutAttributes("column.create") };
  const opener = h("button.button", attributes, icon("plus"), "Add column");
  const element = h("div.add-column", opener, form);

  form.addEventListener("submit", (event) => (event.preventDefault(), send()));
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || close.hidden) return;
    event.preventDefault();
    event.stopPropagation();
    toggle(false);
  });

  function toggle(isOpen) {
    form.hidden = !isOpen;
    opener.hidden = isOpen;
    setText(problem, "");
    (isOpen ? field : opener).focus();
    element.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  async function send() {
    const title = getFieldText(field).trim().replace(/\s+/g, " ");
    if (!title || field.readOnly) return field.focus();
    field.readOnly = true;
    setText(problem, "");
    try {
      const created = await createColumn(page.board.id, title);
      field.value = "";
      showEmptyColumns(host, page.board); // else the new one would be hidden
      announce(phrase`${created.title} is column ${created.order + 1}.`);
      page.board.refresh();
    } catch (error) {
      setText(problem, plainErrorText(error));
    }
    field.readOnly = false;
    field.focus();
  }

  /** Put the field behind the last column. */
  function draw() {
    const isFirst = page.board.columns.length === 0;
    if (isFirst) form.hidden = !(opener.hidden = true);
    close.hidden = isFirst;
    if (host.lastElementChild !== element) host.append(element);
    if (element.contains(document.activeElement)) element.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  return { element, draw };
}
