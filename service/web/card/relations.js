// The relations of a card.

import { post, remove } from "../core/api.js";
import { h } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { orgPath } from "../core/organization.js";
import { boardUrl } from "../core/router.js";
import { openForm } from "../ui/form.js";
import { changeWithUndo } from "../ui/undo.js";

/** Render the relations of an open card. */
export function renderRelations(open) {
  return open.relations.map((one) => {
    const {
      fromCardId,
      kind,
      card: { key, title, projectId, column, done }
    } = one;
    const words = RELATION_LABELS[kind][fromCardId === open.id ? 0 : 1];
    const link = h("a", { class: done ? "link done" : "link", href: boardUrl(projectId, key) }, `${key} ${title}`);
    const drop = { class: "plain-button", "aria-label": `Remove the relation to ${key}` };
    const press = { click: () => removeRelation(open, one) };
    const away = open.board.isAllowed("delete", "Relationship") && h("button", { ...drop, ...press }, icon("close"));
    const where = h("span.muted.small", ` · ${column}`, away);
    return h("li", h("span.muted", words), " ", link, where);
  });
}

function removeRelation(open, { id, fromCardId, toCardId, kind, comment, card }) {
  const where = orgPath("/relationships");
  const told = { says: `The relation to ${card.key} is removed`, failed: "The relation was not removed" };
  const back = async () => void (await post(where, { fromCardId, toCardId, kind, comment }));
  changeWithUndo(
    () => remove(`${where}/${encodeURIComponent(id)}`),
    { ...told, back },
    () => open.read()
  );
}

/** Ask for another card and the kind of relation, and create it. */
export function addRelation(open) {
  const kinds = Object.entries(RELATION_LABELS).flatMap(([kind, [one, other]]) =>
    one === other
      ? [[kind, one]]
      : [
          [kind, one],
          [`${kind} back`, other]
        ]
  );
  return openForm({
    title: `Relate ${open.card.key} to another card`,
    fields: [
      { name: "kind", label: `${open.card.key} …`, kind: "select", options: kinds },
      { name: "key", label: "Key of the other card", required: true, most: 200 }
    ],
    button: "Relate",
    send: async ({ kind: named, key }) => {
      const [kind, isBack] = named.split(" ");
      const [fromCardId, toCardId] = isBack ? [key.trim(), open.id] : [open.id, key.trim()];
      await post(orgPath("/relationships"), { fromCardId, toCardId, kind });
      await open.read();
    }
  });
}

const RELATION_LABELS = {
  blocks: ["blocks", "blocked by"],
  dependsOn: ["depends on", "needed by"],
  partOf: ["part of", "has part"],
  duplicates: ["duplicates", "duplicated by"],
  relatesTo: ["relates to", "relates to"]
};
