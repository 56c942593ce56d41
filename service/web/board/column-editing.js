// Changes of columns on the board, for users who may make them: add, rename, reorder, remove.

import { h, replaceChildren, setText } from "../core/dom.js";
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
  return new ColumnEditing(page, host);
}

class ColumnEditing {
  constructor(page, host) {
    this.page = page;
    this.host = host;
    this.form = new AddForm(page, host);
    host.addEventListener("click", (event) => this.handleClick(event));
    const pick = (target) => (this.isAllowed("update") ? this.findView(target) : null);
    enableColumnDragging(host, pick, (view, order) => this.moveColumn(view, order));
  }

  isAllowed(action) {
    return organization.isArchitect && this.page.board.isAllowed(action, "Column");
  }

  findView(target) {
    return this.page.views.get(target.closest("[data-column]").dataset.column);
  }

  handleClick({ target }) {
    const title = target.closest(".column > header > h2");
    if (title && this.isAllowed("update") && !this.findView(title).isCollapsed) editTitle(this.findView(title));
  }

  draw() {
    this.host.classList.toggle("may-update-columns", this.isAllowed("update"));
    if (this.isAllowed("create")) this.form.draw();
    else this.form.element.remove();
    for (const view of this.page.views.values()) view.changes = () => this.listChanges(view);
  }

  /** Return the changes of a column as menu items. */
  listChanges(view) {
    const { board } = this.page;
    const removal = { label: "Remove…", run: () => removeColumn(board, view.column) };
    const settings = { label: "Board settings", run: () => navigate(`${boardUrl(board.id)}/design`) };
    const updates = this.isAllowed("update") ? this.listUpdates(view) : [];
    const all = [...updates, ...(this.isAllowed("delete") ? [removal] : [])];
    return all.length ? [{ head: "Column" }, ...all, settings] : [];
  }

  listUpdates(view) {
    const last = this.page.board.columns.length - 1;
    const { order } = view.column;
    const move = (label, to) => ({ label, run: () => this.moveColumn(view, to) });
    return [
      { label: "Rename", run: () => editTitle(view) },
      ...(order > 0 ? [move("Move left", order - 1)] : []),
      ...(order < last ? [move("Move right", order + 1)] : [])
    ];
  }

  /** Move a column to a place: at once on this page, and back if the service denies it. */
  async moveColumn(view, order) {
    const { board } = this.page;
    const { column } = view;
    const columns = board.columns.filter(({ id }) => id !== column.id);
    columns.splice(order, 0, column);
    board.columns = columns.map((other, at) => ({ ...other, order: at }));
    board.emitChange({ frame: true });
    view.menuButton.focus({ preventScroll: true });
    view.element.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (!(await updateColumn(column, { order }, phrase`${column.title} is now column ${order + 1}`))) board.load();
  }
}

/** Edit the title of a column in its head: Enter or leaving the field saves, Escape keeps the old title. */
function editTitle(view) {
  if (view.title.isConnected && !view.title.hidden) new TitleEdit(view).open();
}

class TitleEdit {
  constructor(view) {
    this.view = view;
    this.column = view.column;
    const { title } = view.column;
    const attributes = { "aria-label": `Title of ${title}`, maxlength: TITLE_CHARACTERS_MAX, name: "title" };
    this.field = h("input.input.small.column-title", attributes);
    setFieldText(this.field, title);
    this.field.addEventListener("keydown", (event) => this.handleKey(event));
    this.field.addEventListener("blur", () => this.field.isConnected && !this.field.readOnly && this.save());
  }

  open() {
    this.view.title.hidden = true;
    this.view.title.after(this.field);
    this.field.select();
    this.field.focus();
  }

  handleKey(event) {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") this.close();
    else this.save();
  }

  close() {
    const { view, field } = this;
    const hadFocus = document.activeElement === field;
    view.title.hidden = false;
    field.readOnly = true; // so that the blur saves nothing
    field.remove();
    if (hadFocus) view.menuButton.focus({ preventScroll: true });
  }

  async save() {
    const { view, column, field } = this;
    const title = readTitle(field);
    if (!title || title === column.title) return this.close();
    field.readOnly = true;
    try {
      await renameColumn(column, title);
      setText(view.title, title);
      this.close();
    } catch (error) {
      field.readOnly = false;
      field.focus();
      showError(phrase`${column.title} was not renamed`, plainErrorText(error), "rename");
    }
  }
}

/** The field behind the last column that adds columns; a board without columns shows it at once. */
class AddForm {
  field = h("input.input", {
    "aria-label": "Title of the new column",
    placeholder: "Column title",
    maxlength: TITLE_CHARACTERS_MAX
  });
  problem = h("p.problem.small", { role: "alert" });
  closeButton = h("button.button.small", { click: () => this.toggle(false) }, "Close");
  form = h("form", { novalidate: true, hidden: true });
  opener = h("button.button", { click: () => this.toggle(true), ...shortcutAttributes("column.create") });
  element = h("div.add-column", this.opener, this.form);

  constructor(page, host) {
    this.page = page;
    this.host = host;
    const submit = h("button.button.small.main", { type: "submit" }, "Add column");
    replaceChildren(this.form, this.field, this.problem, h("div.row", submit, this.closeButton));
    replaceChildren(this.opener, icon("plus"), "Add column");
    this.form.addEventListener("submit", (event) => (event.preventDefault(), this.send()));
    this.field.addEventListener("keydown", (event) => this.handleKey(event));
  }

  handleKey(event) {
    if (event.key !== "Escape" || this.closeButton.hidden) return;
    event.preventDefault();
    event.stopPropagation();
    this.toggle(false);
  }

  toggle(isOpen) {
    this.form.hidden = !isOpen;
    this.opener.hidden = isOpen;
    setText(this.problem, "");
    (isOpen ? this.field : this.opener).focus();
    this.reveal();
  }

  reveal() {
    this.element.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  async send() {
    const { field, problem } = this;
    const title = readTitle(field);
    if (!title || field.readOnly) return field.focus();
    field.readOnly = true;
    setText(problem, "");
    try {
      await this.create(title);
    } catch (error) {
      setText(problem, plainErrorText(error));
    }
    field.readOnly = false;
    field.focus();
  }

  async create(title) {
    const { board } = this.page;
    const created = await createColumn(board.id, title);
    this.field.value = "";
    showEmptyColumns(this.host, board); // else the new one would be hidden
    announce(phrase`${created.title} is column ${created.order + 1}.`);
    board.refresh();
  }

  /** Put the field behind the last column. */
  draw() {
    const { host, element } = this;
    const isFirst = this.page.board.columns.length === 0;
    if (isFirst) this.form.hidden = !(this.opener.hidden = true);
    this.closeButton.hidden = isFirst;
    if (host.lastElementChild !== element) host.append(element);
    if (element.contains(document.activeElement)) this.reveal();
  }
}

/** Return what is typed as a title, without blanks around it or several in a row. */
function readTitle(field) {
  return getFieldText(field).trim().replace(/\s+/g, " ");
}
