// The sections of the dialog of a card.

import { serverNow } from "../core/clock.js";
import { h, replaceChildren, setAttribute, setText } from "../core/dom.js";
import { formatAge } from "../core/format.js";
import { guard, renderBroken } from "../core/guard.js";
import { icon } from "../core/icons.js";
import { boardUrl } from "../core/router.js";
import { InlineEdit } from "../ui/inline-edit.js";
import { createActions } from "./actions.js";
import { createComments } from "./comments.js";
import { createFiles } from "./files.js";
import { createMoves, createRequests } from "./requests.js";
import { createSummary } from "./summary.js";

/** @import { Child } from "../core/dom.js" */
/** @import { CardView } from "./view.js" */
/**
 * Where a section stands, how it is called when it cannot be drawn, and the parts of the card (card/store.js) that draw it
 * again when they have changed.
 * @typedef {{name: string, label: string, place: "head" | "main" | "side", parts: string[]}} SectionRule
 */
/**
 * What a section shows. `update()` draws it again; the one of files takes those that are added to the card as a whole.
 * @typedef {{element: Child, update: () => void, take?: (files: File[]) => unknown}} SectionContent
 */

const TITLE_CHARACTERS_MAX = 500;

/**
 * All sections in their order, each with its rule and the function that creates it for a card.
 * @type {(SectionRule & {create: (view: CardView) => SectionContent})[]}
 */
export const SECTIONS = [
  { name: "breadcrumbs", label: "The path", place: "head", parts: ["card"], create: createBreadcrumbs },
  { name: "title", label: "The title", place: "main", parts: ["card"], create: createTitle },
  { name: "summary", label: "The summary", place: "main", parts: ["card"], create: createSummary },
  { name: "requests", label: "What is asked", place: "main", parts: ["card"], create: createRequests },
  { name: "texts", label: "The texts", place: "main", parts: ["card"], create: createTexts },
  { name: "files", label: "The files", place: "main", parts: ["files"], create: createFiles },
  { name: "comments", label: "The comments", place: "main", parts: ["comments"], create: createComments },
  { name: "properties", label: "The properties", place: "side", parts: ["card"], create: createPropertyList },
  { name: "moves", label: "The moves", place: "side", parts: ["card", "moves"], create: createMoves },
  {
    name: "relations",
    label: "The relations",
    place: "side",
    parts: ["relations"],
    create: createLater("The relations", async () => (await import("./relations.js")).createRelations)
  },
  {
    name: "history",
    label: "The history",
    place: "side",
    parts: ["history"],
    create: createLater("The history", async () => (await import("./history.js")).createHistory)
  },
  { name: "actions", label: "The actions", place: "side", parts: ["card"], create: createActions },
  { name: "version", label: "The version", place: "side", parts: ["card"], create: createVersion }
];

/**
 * Show where the card is, above it and as the name of the dialog.
 * @param {CardView} view
 */
function createBreadcrumbs({ open, board, dialog, places }) {
  function update() {
    const { key, title, columnId } = open.card;
    const home = h("a.muted", { href: boardUrl(board.id) }, board.project.title);
    const column = h("span", board.column(columnId)?.title ?? "");
    replaceChildren(places.head, home, icon("chevron"), column, h("span.key", key));
    setAttribute(dialog, "aria-label", `${key} ${title}`);
  }
  return { element: null, update };
}

/** @param {CardView} view */
function createTitle({ open, board }) {
  const may = board.isAllowed("update");
  const options = { kind: "text", maxLength: TITLE_CHARACTERS_MAX, isRequired: true, show: (text) => text, may };
  const field = new InlineEdit({ open, key: "title", label: "Title", ...options });
  field.element.dataset.action = "card.edit";
  return { element: h("h2.card-title", { tabindex: "-1" }, field.element), update: () => field.update() };
}

/** @param {CardView} view */
function createTexts({ properties }) {
  const texts = properties.filter(({ isProse }) => isProse);
  const element = texts.map(({ label, field }) => h("section", h("h3", label), field.element));
  return { element, update: () => updateAll(texts) };
}

/** @param {CardView} view */
function createPropertyList({ properties, claim }) {
  const rows = [{ label: "Claimed by", field: claim }, ...properties.filter(({ isProse }) => !isProse)];
  const renderRow = ({ label, field }) => h("div", h("dt", label), h("dd", field.element));
  return { element: h("dl", rows.map(renderRow)), update: () => updateAll(rows) };
}

/**
 * Return a function that creates a section whose module is loaded beside what is read first. `load()` resolves to a function
 * that fills the section and returns the one that draws it again.
 * @param {string} label
 * @param {() => Promise<(view: CardView, element: HTMLElement) => () => void>} load
 */
function createLater(label, load) {
  return (/** @type {CardView} */ view) => {
    const element = h("section");
    /** @type {(() => void) | null} */
    let draw = null;
    const fail = () => replaceChildren(element, renderBroken(label));
    const update = () => draw && guard(draw, fail);
    load().then((fill) => ((draw = fill(view, element)), update()), fail);
    return { element, update };
  };
}

function updateAll(rows) {
  for (const { field } of rows)
    guard(
      () => field.update(),
      () => {}
    );
}

/** @param {CardView} view */
function createVersion({ open }) {
  const element = h("p.small.muted");
  const age = () => formatAge(open.card.updatedAt, serverNow());
  return { element, update: () => setText(element, `Version ${open.card.version} · changed ${age()}`) };
}
