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
    if (boards.length) await askForPlace(open, boards, columns, types);
    else showToast({ title: "There is no other board with columns", cause: "transfer" });
  } catch (error) {
    showBoardError(open.board, "The boards did not load", error);
  }
}

function askForPlace(open, boards, columns, types) {
  const { parts, cardTypeId, key } = open.card;
  const own = types.find(({ id }) => id === cardTypeId);
  const usable = (projectId) => types.filter((type) => [null, projectId].includes(type.projectId));
  const counterpart = (projectId) => findCounterpart(usable(projectId), own);
  const loss = h("p.small.muted", { role: "status" });
  const list = (projectId) => columns.filter((column) => column.projectId === projectId);
  const options = (rows) => rows.map(({ id, title }) => [id, title]);
  const [first] = boards;
  const drawPlace = ({ target: { form } }) => {
    const { projectId, columnId, chosenTypeId } = form.elements;
    replaceChildren(columnId, options(list(projectId.value)).map(renderOption));
    replaceChildren(chosenTypeId, options(usable(projectId.value)).map(renderOption));
    drawLoss({ target: { form } });
  };
  const drawLoss = ({ target: { form } }) => {
    const { projectId, chosenTypeId } = form.elements;
    showLoss(projectId.value, chosenTypeId.value);
  };
  const showLoss = (projectId, typeId) => {
    const type = counterpart(projectId) ?? types.find(({ id }) => id === typeId);
    const dropped = type ? listDroppedFields(open, type) : [];
    setText(loss, dropped.length ? droppedText(type, dropped) : "");
  };
  /** @type {Field[]} */
  const fields = [
    { name: "projectId", label: "Board", kind: "select", options: options(boards), typed: drawPlace },
    { name: "columnId", label: "Column", kind: "select", options: options(list(first.id)) },
    { name: "chosenTypeId", label: "Type", kind: "select", options: options(usable(first.id)), typed: drawLoss }
  ];
  fields[2].when = ({ projectId }) => !counterpart(projectId ?? first.id);
  if (parts) fields.push({ name: "withParts", label: `With ${formatCount(parts.total, "part")}`, kind: "switch" });
  showLoss(first.id, usable(first.id)[0]?.id);
  const names = { ...boardNames(open.board), column: (id) => columns.find((one) => one.id === id)?.title };
  names.field = (id) => types.flatMap((type) => type.fields).find((field) => field.id === id)?.label ?? "a field";
  return openForm({
    title: `Move ${key} to another board`,
    text: "It gets a new key. Its present key and links go on leading to it. Claims, requests and questions end.",
    fields,
    below: loss,
    button: "Move",
    send: (values) => transfer(open, values),
    errorText: (error) => problemTexts(error, names).join(" ")
  });
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
