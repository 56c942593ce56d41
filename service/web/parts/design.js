// The design of a board: read together, and what each part of it means for people and agents, as sentences.

import { get } from "../core/api.js";
import { h, icon } from "../core/dom.js";
import { path } from "../core/organization.js";
import { list, quoted } from "../core/words.js";
import { draggable } from "./carrying.js";
import { announce } from "./float.js";

/** Read columns, ways, card types and prompts of a board; raise Refused. */
export async function readDesign(projectId) {
  const of = `projectId=${encodeURIComponent(projectId)}`;
  const [project, columns, ways, types, prompts] = await Promise.all([
    get(path(`/projects/${encodeURIComponent(projectId)}`)),
    get(path(`/columns?${of}`)),
    get(path(`/transitions?${of}`)),
    get(path(`/card-types?${of}`)),
    get("/prompts").catch(() => []), // a role that may not read them sees none
  ]);
  return { project, columns, ways, types, prompts };
}

/** Find the way from one column to another. */
export function wayOf({ ways }, from, to) {
  return ways.find(({ fromColumnId, toColumnId }) => fromColumnId === from.id && toColumnId === to.id);
}

/** Say what agents may do in a column as it is. */
export function forAgents(design, column) {
  const { agentPickupEnabled: mayWork, agentCanModerate: mayChange, columnType } = column;
  if (columnType === "done") return "Cards here are done; they hold no other card back.";
  if (!mayWork)
    return mayChange
      ? "Only people work here: agents may change nothing where they may not work."
      : "Only people work here.";
  if (!mayChange) return "Agents comment and ask here; they change and move nothing.";
  return `Agents take cards here, change them${onward(design, column)}.`;
}

function onward(design, column) {
  const open = design.columns.filter((to) => wayOf(design, column, to) && !wayOf(design, column, to).requiresApproval);
  const asked = design.columns.filter((to) => wayOf(design, column, to)?.requiresApproval);
  const moves = open.length ? `, move them to ${list(open.map(({ title }) => title))}` : "";
  const asks = asked.length ? `, and ask for ${list(asked.map(({ title }) => title))}` : "";
  return moves || asks ? moves + asks : ", and can move them nowhere";
}

const SWITCHED = {
  agentPickupEnabled: (title, on) =>
    on
      ? `Agents may now take cards from ${title}, comment and ask there.`
      : `Agents work in ${title} no longer; they may read its cards.`,
  agentCanModerate: (title, on) =>
    on
      ? `Agents may now change cards in ${title} and move them on.`
      : `Agents may change and move no card in ${title} any more.`,
  columnType: (title, kind) =>
    kind === "done"
      ? `Cards in ${title} are done now: they hold nothing back.`
      : `Cards in ${title} are no longer done.`,
  rejectsBlocked: (title, on) =>
    on
      ? `Nobody, agents included, moves a blocked card into ${title} now.`
      : `Blocked cards may be moved into ${title} now.`,
  wipLimit: (title, limit) =>
    limit
      ? `${title} takes ${limit} cards at the most now; agents are told that it is full.`
      : `${title} takes any number of cards now.`
};

/** Say what a change of a column means now. */
export function changedColumn(title, key, value) {
  return SWITCHED[key](title, value);
}

/** Say what a column asks of the cards that come in. */
export function needs(title, labels) {
  return labels.length
    ? `Cards need ${list(labels)} before they come into ${title}.`
    : `${title} asks for no fields of its own.`;
}

/** Say which prompt agents are handed in a column. */
export function handed(title, name) {
  return name
    ? `Agents who take a card in ${title} are handed ${quoted(name)}.`
    : `Agents who take a card in ${title} get no prompt.`;
}

/** Say what the way between two columns is now: none, open, or one that asks a person. */
export function changedWay(from, to, state) {
  const route = `from ${from.title} to ${to.title}`;
  if (state === "no") return `Nobody moves cards ${route} any more.`;
  if (state === "approval") return `People may move cards ${route}; agents ask, and a person decides.`;
  const mayNot = !from.agentPickupEnabled || !from.agentCanModerate;
  return mayNot
    ? `People may now move cards ${route}; agents may not move cards out of ${from.title}.`
    : `Agents and people may now move cards ${route}.`;
}

/** Say all ways out of a column in a sentence. */
export function waysOut(design, from) {
  const said = design.columns
    .map((to) => [to, wayOf(design, from, to)])
    .filter(([, way]) => way)
    .map(([to, way]) => (way.requiresApproval ? `${to.title} (a person approves)` : to.title));
  return said.length ? `From ${from.title} to ${list(said, 20)}.` : `From ${from.title} there is no way.`;
}

// Sorting a list by dragging: by mouse and finger, at a grip; keys have buttons of their own.
const DOTS = "M5 3.5h.01M5 8h.01M5 12.5h.01M11 3.5h.01M11 8h.01M11 12.5h.01";

/** Draw what an entry of a list is dragged by. */
export function grip() {
  return h("span.grip", { title: "Drag to another place" }, icon(DOTS));
}

/** Let the entries of a list be dragged: `find(id)` gives {title, order} of one, `put` is told its new place. */
export function sortable(list, find, put) {
  draggable(list, ({ target }) => {
    const node = target.closest(".grip")?.closest("li");
    const one = node && find(node.dataset.id);
    return one ? carried(list, node, one, put) : null;
  });
}

function carried(list, node, one, put) {
  let place = one.order;
  const others = () => [...list.children].filter(({ dataset }) => dataset.id !== one.id);
  const mark = (wanted) =>
    others().forEach((other, at, { length }) => {
      other.classList.toggle("drop-above", at === wanted);
      other.classList.toggle("drop-below", at === length - 1 && wanted === length);
    });
  const end = () => (node.classList.remove("lifted"), mark(null));

  function begin() {
    node.classList.add("lifted");
    announce(`${one.title} is lifted.`);
  }

  function over(x, y) {
    const isAbove = (other) => y < other.getBoundingClientRect().top + other.offsetHeight / 2;
    const found = others().findIndex(isAbove);
    mark((place = found < 0 ? others().length : found));
  }

  function drop(x, y) {
    over(x, y);
    end();
    if (place !== one.order) put(one, place);
  }

  function cancel() {
    end();
    announce("Put back.");
  }

  return { node, begin, over, drop, cancel, scrollers: () => [[list.closest(".now"), "y"]] };
}
