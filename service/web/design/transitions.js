// The transitions of the board settings, as a matrix, as a list and as sentences.

import { get, patch, post, remove } from "../core/api.js";
import { h } from "../core/dom.js";
import { phrase } from "../core/format.js";
import { organization, orgPath } from "../core/organization.js";
import { renderSection } from "../ui/list.js";
import { renderTable, scrollRegion } from "../ui/table.js";
import { changeWithUndo } from "../ui/undo.js";
import { findTransition } from "./store.js";
import { transitionChangeText, transitionsText } from "./texts.js";

/** @import { Right } from "../ui/rights.js" */

const STATES = { __proto__: null, no: "no", yes: "yes", approval: "needs approval" };
const NEXT = { __proto__: null, no: "yes", yes: "approval", approval: "no" };
const REPEATED_FROM = 8; // with at least this many rows, the column heads are repeated below

const transitionPath = ({ id }) => orgPath(`/transitions/${encodeURIComponent(id)}`);

/** Render the transitions between all columns; `done` is called after a change. */
export function renderTransitions(design, done) {
  const text = "Click a cell to cycle: not allowed, allowed, needs approval.";
  const hint = h("p.small.muted", text);
  const items = design.columns.map((from) => h("li", h("bdi", transitionsText(design, from))));
  const sentences = h("ul.small.sentences", items);
  return renderSection("Transitions", design.transitions.length, [
    organization.isArchitect && hint,
    matrix(design, done),
    renderNarrowList(design, done),
    sentences
  ]);
}

function matrix(design, done) {
  const { columns } = design;
  const lines = columns.map((from) => [from.title, ...columns.map((to) => cell(design, from, to, done))]);
  const table = renderTable("matrix", [null, ...columns.map(({ title }) => title)], lines);
  if (columns.length >= REPEATED_FROM) table.append(h("tfoot", table.querySelector("tr").cloneNode(true)));
  return scrollRegion("matrix-frame", "Transitions from and to", table);
}

function renderNarrowList(design, done) {
  const rows = (from) =>
    design.columns
      .filter((to) => to !== from)
      .map((to) => h("div.row", h("span", phrase`to ${to.title}`), cell(design, from, to, done)));
  const items = design.columns.map((from) => h("li.item.design", h("strong", phrase`From ${from.title}`), rows(from)));
  return h("ul.panel.transitions-narrow", { "aria-label": "Transitions" }, items);
}

function cell(design, from, to, done) {
  if (from === to) return null;
  const state = stateOf(findTransition(design, from, to));
  const label = `${from.title} → ${to.title}: ${STATES[state]}`;
  if (!organization.isArchitect)
    return h("span", { class: `transition-cell ${state}`, role: "img", "aria-label": label }, STATES[state]);
  const handleClick = () => cycleTransition(design, from, to, done);
  const attributes = { class: `transition-cell ${state}`, "aria-label": label, "data-key": `${from.id} ${to.id}` };
  return h("button", { ...attributes, click: handleClick }, STATES[state]);
}

function stateOf(transition) {
  if (!transition) return "no";
  return transition.requiresApproval ? "approval" : "yes";
}

/**
 * The permissions that it takes to undo a change, by its result, where the change itself took others.
 * @type {Record<string, Right[]>}
 */
const NEEDED_TO_UNDO = { __proto__: null, no: [["create", "Transition"]], yes: [["delete", "Transition"]], approval: [] };

async function cycleTransition(design, from, to, done) {
  const before = stateOf(findTransition(design, from, to));
  const next = NEXT[before];
  const undo = async () => {
    const transitions = await get(orgPath(`/transitions?projectId=${encodeURIComponent(design.project.id)}`));
    if (stateOf(findTransition({ transitions }, from, to)) !== next) return "It was changed meanwhile, so nothing was changed.";
    await setTransition(findTransition({ transitions }, from, to), from, to, before);
  };
  const failed = phrase`The transition from ${from.title} to ${to.title} was not changed`;
  const message = transitionChangeText(from, to, next);
  await changeWithUndo(
    () => setTransition(findTransition(design, from, to), from, to, next),
    { message, failed, undo, needs: NEEDED_TO_UNDO[next] },
    done
  );
}

function setTransition(transition, from, to, state) {
  const requiresApproval = state === "approval";
  if (!transition) return post(orgPath("/transitions"), { fromColumnId: from.id, toColumnId: to.id, requiresApproval });
  return state === "no" ? remove(transitionPath(transition)) : patch(transitionPath(transition), { requiresApproval });
}
