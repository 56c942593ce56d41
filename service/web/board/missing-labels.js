// What the menu of labels shows for a card type without a label field.

import { get, patch, post } from "../core/api.js";
import { h, setText } from "../core/dom.js";
import { joinNames, phrase } from "../core/format.js";
import { orgPath } from "../core/organization.js";
import { tryRequest } from "../ui/request.js";

/** Render the offer to add a label field to a card type; who may not add one is told whom to ask. */
export function renderMissingField(board, cardTypeId, close) {
  const type = board.type(cardTypeId);
  const text = h("p", phrase`Cards of type ${type?.title ?? "that is gone"} have no labels yet.`);
  const mayAdd = type && board.isAllowed("create", "Field") && board.isAllowed("update", "Field");
  const button = h("button.button.main", { click: add }, "Add labels");
  const whom = h("p.muted", "Ask a Solution Architect to add them.");
  if (!mayAdd) nameArchitects(whom);
  const closeButton = h("button.button", { click: close }, "Close");
  return [text, mayAdd ? null : whom, h("div.row", mayAdd && button, closeButton)];

  async function add() {
    button.disabled = true;
    await tryRequest(() => addLabelField(type), { failed: "The labels were not added" });
    button.disabled = false;
    board.refresh(); // the menu shows the labels as soon as the board has the field
  }
}

/** Show an existing multiselect field, or create one, under the next free name. */
function addLabelField(type) {
  const path = orgPath(`/card-types/${encodeURIComponent(type.id)}/fields`);
  const hidden = type.fields.find(({ name, kind }) => name === "labels" && kind === "multiselect");
  if (hidden) return patch(`${path}/${encodeURIComponent(hidden.id)}`, { showOnCard: true });
  const names = type.fields.map(({ name }) => name);
  let name = "labels";
  for (let number = 2; names.includes(name); number += 1) name = `labels_${number}`;
  return post(path, { name, label: "Labels", kind: "multiselect", showOnCard: true });
}

async function nameArchitects(element) {
  try {
    const members = await get(orgPath("/members"));
    const names = members.filter(({ role }) => role === "SolutionArchitect").map((member) => member.fullName);
    if (names.length) setText(element, phrase`Ask ${joinNames(names)} to add them.`);
  } catch {
    // The sentence without names stays.
  }
}
