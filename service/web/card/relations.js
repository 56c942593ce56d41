// The relations of a card.

import { post, remove } from "../core/api.js";
import { h } from "../core/dom.js";
import { phrase } from "../core/format.js";
import { icon } from "../core/icons.js";
import { orgPath } from "../core/organization.js";
import { boardUrl } from "../core/router.js";
import { drawRows } from "../ui/list.js";
import { changeWithUndo } from "../ui/undo.js";

/** Render the relations of an open card. */
export function renderRelations(open) {
  const canRemove = open.board.isAllowed("delete", "Relationship");
  const draw = (relation) => {
    const {
      fromCardId,
      kind,
      card: { key, title, projectId, column, done }
    } = relation;
    const label = RELATION_LABELS[kind][fromCardId === open.id ? 0 : 1];
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
  const undo = async () => void (await post(path, { fromCardId, toCardId, kind, comment }));
  changeWithUndo(
    () => remove(`${path}/${encodeURIComponent(id)}`),
    { ...messages, undo },
    () => open.read()
  );
}

/** By kind: what the card from which a relation leads does, and the other card. */
export const RELATION_LABELS = {
  __proto__: null,
  blocks: ["blocks", "blocked by"],
  dependsOn: ["depends on", "needed by"],
  partOf: ["part of", "has part"],
  duplicates: ["duplicates", "duplicated by"],
  relatesTo: ["relates to", "relates to"]
};
