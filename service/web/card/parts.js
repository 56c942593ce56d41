// Parts of an open card: added by their titles, or made from lines of its text.

import { post, remove } from "../core/api.js";
import { h, queryAll } from "../core/dom.js";
import { formatCount, formatNumber, quote, truncate } from "../core/format.js";
import { scanLines } from "../markdown/blocks.js";
import { openForm } from "../ui/form.js";
import { showToast } from "../ui/toast.js";
import { changeWithUndo, offerUndo } from "../ui/undo.js";

const TITLE_CHARACTERS_MAX = 500;
const LINES_MAX = 100; // that are offered
const LINES_SHOWN_MAX = 6; // in the field of new parts
const ITEM = /^(?:[-*+]|\d+[.)])\s+(?:\[([ xX])\]\s+)?(.*)$/;

/** Create parts of a card from the text of a field, one for each line, and empty the field; refused lines come back. */
export async function addParts(open, field) {
  const titles = splitLines(field.value);
  if (!titles.length) return;
  setLines(field, []);
  const created = await changeWithUndo(
    () => split(open, titles),
    { message: describe(titles), failed: "No part was added", undo: open.board.isAllowed("delete") && archiveParts },
    () => open.read()
  );
  if (!created) setLines(field, [...titles, ...splitLines(field.value)]);
}

function setLines(field, lines) {
  field.value = lines.join("\n");
  field.rows = Math.min(Math.max(lines.length, 1), LINES_SHOWN_MAX);
}

/** Let the user choose lines of the texts of a card, and make a part of each. */
export async function splitCard(open) {
  const lines = listLines(open);
  if (!lines.length) {
    const text = "Write a line for each part into the text of the card, or add parts by their titles under Relations.";
    return showToast({ title: "There is nothing to split", text, cause: "split" });
  }
  const boxes = lines.slice(0, LINES_MAX).map(({ title, isChosen }) => {
    const box = h("input", { type: "checkbox", value: title });
    box.checked = isChosen;
    return h("div", h("label.line", box, h("bdi", title)));
  });
  const list = h("div", { role: "group", "aria-label": "Lines" }, boxes);
  const created = await openForm({
    title: `Split ${open.card.key} into parts`,
    text: `Each line that you choose becomes a card that is a part of this one.${restText(lines.length)}`,
    fields: [],
    below: list,
    button: "Create parts",
    send: async () => {
      const titles = queryAll(list, "input:checked").map(({ value }) => value);
      if (!titles.length) return [];
      const items = await split(open, titles);
      const undo = async () => (await archiveParts(items), void open.read());
      if (open.board.isAllowed("delete")) offerUndo(describe(titles), undo);
      else showToast({ title: describe(titles), cause: "undo" });
      return items;
    }
  });
  if (created) await open.read();
}

/** Return how many lines are not offered, or nothing. */
function restText(count) {
  return count > LINES_MAX ? ` The first ${LINES_MAX} of ${formatNumber(count)} lines are offered.` : "";
}

async function split(open, titles) {
  const { items } = await post(`${open.path}/split`, { parts: titles.map((title) => ({ title })) });
  return items;
}

async function archiveParts(items) {
  for (const { id } of items) await remove(`/cards/${id}`);
}

function describe(titles) {
  const [first] = titles;
  return titles.length === 1 ? `${quote(truncate(first, 60))} is a part now` : `${formatCount(titles.length, "part")} added`;
}

/** Return the items of lists in the texts of a card, or else their lines; those of unfinished items are chosen. */
function listLines(open) {
  const fields = open.fields().filter(({ kind }) => kind === "richtext" || kind === "text");
  const lines = fields.flatMap(({ id }) => listTexts(open.value(`field:${id}`) ?? ""));
  const items = lines.map((line) => ITEM.exec(line)).filter(Boolean);
  const found = items.length
    ? items.filter(([, mark]) => !/x/i.test(mark ?? "")).map(([, mark, text]) => [text, mark === " "])
    : lines.map((line) => [line.replace(/^#+\s+/, ""), false]);
  const titles = found.map(([text, isChosen]) => ({ title: text.slice(0, TITLE_CHARACTERS_MAX).trim(), isChosen }));
  return titles.filter(({ title }) => title);
}

/** Return the lines of a text that are neither fenced code nor within a comment: those are no items. */
function listTexts(text) {
  const lines = scanLines(text).filter(({ isCode, isComment }) => !isCode && !isComment);
  return splitLines(lines.map((line) => line.text).join("\n"));
}

function splitLines(text) {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}
