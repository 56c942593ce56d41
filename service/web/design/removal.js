// Questions before a card type or a field is removed: they name the boards and the numbers of what is lost.

import { get, remove } from "../core/api.js";
import { formatCount, joinNames, phrase } from "../core/format.js";
import { openForm } from "../ui/form.js";
import { confirmRemoval, tryRequest } from "../ui/request.js";
import { announce, showError } from "../ui/toast.js";

const TITLES_MAX = 5; // of boards that are named; further ones are counted
const TYPED_ABOVE = 20; // lost values or cards, above which the name is typed
const FINAL = "This cannot be undone.";

/** Ask, and remove a field with its values on all boards. */
export async function removeField(address, { label }) {
  const boards = await readUsage(address, label);
  if (!boards) return;
  const [values, files] = [sum(boards, "valueCount"), sum(boards, "fileCount")];
  if (!values && !files) return confirmRemoval(label, `No card has a value of it. ${FINAL}`, () => remove(address));
  const lost = [values && formatCount(values, "value"), files && formatCount(files, "file")].filter(Boolean).join(" and ");
  const text = `${lost} on ${describeBoards(boards)} will be deleted, those of archived cards, too. ${FINAL}`;
  return confirmLoss(address, label, text, values + files);
}

/** Ask, and remove a card type; active cards of the type prevent it. */
export async function removeType(address, { title }) {
  const boards = await readUsage(address, title);
  if (!boards) return;
  const active = boards.filter(({ cardCount }) => cardCount > 0);
  const count = sum(active, "cardCount");
  if (count) {
    const [cards, have] = [formatCount(count, "card"), count === 1 ? "has" : "have"];
    const advice = "Give them another type or archive them first.";
    return showError(phrase`${title} was not removed`, `${cards} on ${describeBoards(active)} ${have} this type. ${advice}`);
  }
  const archived = sum(boards, "archivedCount");
  if (!archived) return confirmRemoval(title, `No card has this type. ${FINAL}`, () => remove(address));
  const cards = formatCount(archived, "archived card");
  const text = `${cards} of ${describeBoards(boards)} cannot be restored then, and its fields are deleted. ${FINAL}`;
  return confirmLoss(address, title, text, archived);
}

function readUsage(address, name) {
  return tryRequest(() => get(`${address}/usage`), { failed: phrase`${name} was not removed` });
}

function sum(boards, key) {
  return boards.reduce((total, board) => total + board[key], 0);
}

/** Return boards by their number and titles: 2 boards (Launch and Support). */
function describeBoards(boards) {
  const titles = joinNames(
    boards.map(({ title }) => title),
    TITLES_MAX
  );
  return phrase`${formatCount(boards.length, "board")} (${titles})`;
}

/** Ask in red before something is lost, and for its name if that is much; return whether it was removed. */
async function confirmLoss(address, name, text, count) {
  const typed = { name: "typed", label: phrase`Type ${name} to continue`, required: true, is: name.trim() };
  const done = await openForm({
    title: phrase`Remove ${name}?`,
    text,
    fields: count > TYPED_ABOVE ? [typed] : [],
    button: "Remove",
    isDangerous: true,
    send: () => remove(address)
  });
  if (done) announce(phrase`${name} is removed.`);
  return done;
}
