// The relations of a card, with what creates more of them.

import { post, remove } from "../core/api.js";
import { h, replaceChildren } from "../core/dom.js";
import { phrase } from "../core/format.js";
import { icon } from "../core/icons.js";
import { lookUp } from "../core/lookup.js";
import { orgPath } from "../core/organization.js";
import { boardUrl } from "../core/router.js";
import { shortcutAttributes, suspendShortcuts } from "../core/shortcuts.js";
import { drawRows } from "../ui/list.js";
import { changeWithUndo } from "../ui/undo.js";
import { RELATION_LABELS } from "./relation-labels.js";

/** @import { CardView } from "./view.js" */

/**
 * Fill the section of the relations; return the function that draws it again.
 * @param {CardView} view
 * @param {HTMLElement} element
 */
export function createRelations(view, element) {
  const { open, board } = view;
  const list = h("ul.relations");
  replaceChildren(element, h("h3", "Relations"), list, createRelate(view));
  return () => {
    replaceChildren(list, renderRelations(open));
    element.hidden = open.relations.length === 0 && !board.isAllowed("create", "Relationship");
  };
}

/**
 * Create the field of new parts and the button that relates the card to another one, as far as the user may use them.
 * @param {CardView} view
 */
function createRelate({ open, board }) {
  const canRelate = board.isAllowed("create", "Relationship");
  const click = async () => (await suspendShortcuts(import("./add-relation.js"))).addRelation(open);
  const relateButton = h("button.button.small", { click, ...shortcutAttributes("card.relate") }, "Relate…");
  const partField = canRelate && board.isAllowed("create") && createPartField(open);
  return h("div.relate", partField, canRelate && relateButton);
}

/** Return a field that creates a part when Enter is pressed, or several when lines are pasted into what is typed. */
function createPartField(open) {
  async function add(event) {
    const { key, shiftKey, currentTarget: field, clipboardData } = event;
    const pasted = clipboardData?.getData("text").trim();
    if ((key !== "Enter" || shiftKey) && !pasted?.includes("\n")) return;
    event.preventDefault();
    if (pasted) field.setRangeText(pasted, field.selectionStart, field.selectionEnd, "end");
    (await suspendShortcuts(import("./parts.js"))).addParts(open, field);
  }
  return h("textarea.input", { "aria-label": "Add a part", placeholder: "Add a part…", rows: 1, keydown: add, paste: add });
}

/** Render the relations of an open card. */
function renderRelations(open) {
  const canRemove = open.board.isAllowed("delete", "Relationship");
  const draw = (relation) => {
    const {
      fromCardId,
      kind,
      card: { key, title, projectId, column, done }
    } = relation;
    const label = lookUp(RELATION_LABELS, kind)[fromCardId === open.id ? 0 : 1];
    const link = h("a", { class: done ? "link done" : "link", href: boardUrl(projectId, key) }, `${key} `, h("bdi", title));
    const attributes = { class: "plain-button", "aria-label": `Remove the relation to ${key}` };
    const click = { click: () => removeRelation(open, relation) };
    const removeButton = canRemove && h("button", { ...attributes, ...click }, icon("close"));
    const place = h("span.muted.small", phrase` · ${column}`);
    return h("li", h("span", h("span.muted", `${label} `), link, place), removeButton);
  };
  return drawRows(open.relations, draw, {
    open: ({ card }) => boardUrl(card.projectId, card.key),
    remove: canRemove && ((relation) => removeRelation(open, relation))
  });
}

function removeRelation(open, { id, fromCardId, toCardId, kind, comment, card }) {
  const path = orgPath("/relationships");
  const messages = { message: `The relation to ${card.key} is removed`, failed: "The relation was not removed" };
  const back = async () => void (await post(path, { fromCardId, toCardId, kind, comment }));
  const undo = open.board.isAllowed("create", "Relationship") && back;
  changeWithUndo(
    () => remove(`${path}/${encodeURIComponent(id)}`),
    { ...messages, undo },
    () => open.read()
  );
}
