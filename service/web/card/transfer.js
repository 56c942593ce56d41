// Moving an open card to another board.

import { get, post } from "../core/api.js";
import { h, replaceChildren, setText } from "../core/dom.js";
import { problemTexts } from "../core/error-text.js";
import { foldName } from "../core/folding.js";
import { formatCount, phrase, quote, truncate } from "../core/format.js";
import { orgPath, organization } from "../core/organization.js";
import { suspendShortcuts } from "../core/shortcuts.js";
import { renderOption } from "../ui/controls.js";
import { openForm } from "../ui/form.js";
import { showToast } from "../ui/toast.js";
import { boardNames, reportBatch, showBoardError } from "../board/store.js";
import { droppedText, listDroppedFields } from "./type-change.js";

/** @import { Field } from "../ui/form.js" */

/** Ask for a board, a column and, if the board lacks the card's type, a type; then move the card there. */
export async function transferCard(open) {
  try {
    const loading = Promise.all([get(orgPath("/columns")), get(orgPath("/card-types"))]);
    const [columns, types] = await suspendShortcuts(loading);
    const hasColumns = ({ id }) => columns.some(({ projectId }) => projectId === id);
    const boards = organization.projects.filter((board) => board.id !== open.board.id && hasColumns(board));
    if (boards.length) await askForPlace(new Places(open, boards, columns, types));
    else showToast({ title: "There is no other board with columns", cause: "transfer" });
  } catch (error) {
    showBoardError(open.board, "The boards did not load", error);
  }
}

/** The boards to which an open card can be moved, with their columns and the types that cards can have there. */
class Places {
  constructor(open, boards, columns, types) {
    this.open = open;
    this.boards = boards;
    this.columns = columns;
    this.types = types;
    this.type = types.find(({ id }) => id === open.card.cardTypeId);
  }

  listColumns(projectId) {
    return this.columns.filter((column) => column.projectId === projectId);
  }

  listTypes(projectId) {
    return this.types.filter((type) => [null, projectId].includes(type.projectId));
  }

  /** Return the type that the card keeps or gets on a board; none if one has to be chosen. */
  findCounterpart(projectId) {
    return findCounterpart(this.listTypes(projectId), this.type);
  }

  /** Return which values the card loses on a board, where it gets the chosen type if it has to; nothing if it keeps all. */
  lossText(projectId, chosenTypeId) {
    const type = this.findCounterpart(projectId) ?? this.types.find(({ id }) => id === chosenTypeId);
    const dropped = type ? listDroppedFields(this.open, type) : [];
    return dropped.length ? droppedText(type, dropped) : "";
  }

  /** Return the names of columns, fields and cards for errors, also those of other boards. */
  names() {
    const column = (id) => this.columns.find((one) => one.id === id)?.title;
    const fields = this.types.flatMap((type) => type.fields);
    const field = (id) => fields.find((one) => one.id === id)?.label ?? "a field";
    return { ...boardNames(this.open.board), column, field };
  }
}

/** @param {Places} places */
function askForPlace(places) {
  const { open } = places;
  const loss = h("p.small.muted", { role: "status" });
  const showLoss = (projectId, typeId) => setText(loss, places.lossText(projectId, typeId));
  const [first] = places.boards;
  showLoss(first.id, places.listTypes(first.id)[0]?.id);
  return openForm({
    title: `Move ${open.card.key} to another board`,
    text: "It gets a new key. Its present key and links go on leading to it. Claims, requests and questions end.",
    fields: listFields(places, showLoss),
    below: loss,
    button: "Move",
    send: (values) => transfer(open, values),
    errorText: (error) => problemTexts(error, places.names()).join(" ")
  });
}

/**
 * Return the fields of the form. The columns and types follow the board, and `showLoss(projectId, typeId)` both.
 * @param {Places} places
 * @returns {Field[]}
 */
function listFields(places, showLoss) {
  const { boards, open } = places;
  const { parts } = open.card;
  const options = (rows) => rows.map(({ id, title }) => [id, title]);
  const [first] = boards;
  const drawLoss = ({ target: { form } }) => showLoss(form.elements.projectId.value, form.elements.chosenTypeId.value);
  const drawPlace = (event) => {
    const { projectId, columnId, chosenTypeId } = event.target.form.elements;
    replaceChildren(columnId, options(places.listColumns(projectId.value)).map(renderOption));
    replaceChildren(chosenTypeId, options(places.listTypes(projectId.value)).map(renderOption));
    drawLoss(event);
  };
  const typeOptions = options(places.listTypes(first.id));
  const isTypeChosen = ({ projectId }) => !places.findCounterpart(projectId ?? first.id);
  /** @type {Field[]} */
  const fields = [
    { name: "projectId", label: "Board", kind: "select", options: options(boards), typed: drawPlace },
    { name: "columnId", label: "Column", kind: "select", options: options(places.listColumns(first.id)) },
    { name: "chosenTypeId", label: "Type", kind: "select", options: typeOptions, typed: drawLoss, when: isTypeChosen }
  ];
  if (parts) fields.push({ name: "withParts", label: `With ${formatCount(parts.total, "part")}`, kind: "switch" });
  return fields;
}

/** Return the type that a card keeps or gets on another board, as the service finds it: the same, or one of its title. */
function findCounterpart(usable, own) {
  const isCounterpart = [
    ({ id }) => id === own?.id,
    ({ title }) => title === own?.title,
    ({ title }) => own && foldName(title) === foldName(own.title)
  ];
  return isCounterpart.map((test) => usable.find(test)).find(Boolean);
}

async function transfer(open, { projectId, columnId, chosenTypeId: cardTypeId, withParts }) {
  const { board, id, card, path, relations } = open;
  const body = { projectId, columnId, cardTypeId, withParts };
  const moved = await post(`${path}/transfer`, body);
  const parts = relations.filter(({ kind, toCardId }) => withParts && kind === "partOf" && toCardId === id);
  const changes = [{ id, key: moved.key, at: moved.updatedAt }, ...(await listMoved(parts, moved))];
  const title = organization.projects.find((one) => one.id === projectId)?.title ?? "another board";
  reportBatch(board, changes, undefined, () => phrase`${quote(truncate(card.title, 60))} is on ${title} now, as ${moved.key}`);
  board.refresh();
  await open.read();
}

/** Return the parts that came along, as changes that can be undone. */
async function listMoved(parts, { projectId, updatedAt }) {
  if (!parts.length) return [];
  const ids = parts.map(({ fromCardId }) => fromCardId).slice(0, 100);
  const { items } = await get(orgPath(`/cards?ids=${ids.map(encodeURIComponent).join(",")}`));
  const moved = items.filter((part) => part.projectId === projectId && part.updatedAt === updatedAt);
  return moved.map(({ id, key }) => ({ id, key, at: updatedAt }));
}
