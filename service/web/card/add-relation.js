// Relating an open card to another one, which is found by its title or key.

import { post } from "../core/api.js";
import { phrase } from "../core/format.js";
import { getBoardTitle, orgPath } from "../core/organization.js";
import { attachCompletion } from "../ui/listbox/completion.js";
import { fieldError, openForm } from "../ui/form.js";
import { findCards, QUERY_CHARACTERS_MAX } from "../search/store.js";
import { RELATION_LABELS } from "./relation-labels.js";

const CARDS_OFFERED = 8;

/** Ask for another card and the kind of relation, and create it. */
export function addRelation(open) {
  const kinds = Object.entries(RELATION_LABELS).flatMap(([kind, [label, inverseLabel]]) =>
    label === inverseLabel
      ? [[kind, label]]
      : [
          [kind, label],
          [`${kind} back`, inverseLabel]
        ]
  );
  const attach = (input) => attachCompletion(input, [cardSource(open)]);
  return openForm({
    title: `Relate ${open.card.key} to another card`,
    fields: [
      { name: "kind", label: `${open.card.key} …`, kind: "select", options: kinds },
      { name: "card", label: "Other card", hint: "Type words of its title, or its key.", required: true, attach }
    ],
    button: "Relate",
    send: (values) => createRelation(open, values)
  });
}

/** Return the source of completions that finds cards of all boards; the text of an item begins with the card's key. */
function cardSource(open) {
  const items = async (text) => {
    const q = text.trim().slice(0, QUERY_CHARACTERS_MAX);
    const found = q ? (await findCards(q, 1, CARDS_OFFERED + 1)).items : [];
    return found.filter(({ cardId }) => cardId !== open.id).map(describeCard);
  };
  return { prefix: "", label: "Cards", isMatched: true, choose: ({ text }) => text, items };
}

function describeCard({ cardKey, title, projectId, columnTitle }) {
  const text = `${cardKey} ${title}`;
  return { label: phrase`${cardKey} ${title}`, text, why: phrase`${getBoardTitle(projectId)} · ${columnTitle}` };
}

async function createRelation(open, { kind: option, card }) {
  const [kind, isBack] = option.split(" ");
  const [key] = card.trim().split(/\s/);
  const [fromCardId, toCardId] = isBack ? [key, open.id] : [open.id, key];
  try {
    await post(orgPath("/relationships"), { fromCardId, toCardId, kind });
  } catch (error) {
    const problem = error.details?.fields?.find(({ path }) => path === "fromCardId" || path === "toCardId");
    if (!problem) throw error;
    const isUnknown = problem.message.includes("active card");
    throw fieldError("card", isUnknown ? "names no card; choose one from the list" : problem.message);
  }
  await open.read();
}
