// The name of an actor, and the mark of what it did elsewhere.

import { h } from "../core/dom.js";

/** Return the name of an actor at the time of its action, or the id of a deleted agent. */
export function actorName(actor, board) {
  if (!actor) return "Somebody";
  const agent = actor.type === "Agent" ? board?.agent(actor.id) : null;
  return actor.label ?? agent?.title ?? (actor.type === "System" ? "Tandem" : actor.id);
}

/** Return the mark of a comment or history entry that came with an import, or nothing. */
export function importedMark({ imported }) {
  const title = "This came with an import. It was not recorded by this server.";
  return imported && [" ", h("span.tag.small", { title }, "imported")];
}
