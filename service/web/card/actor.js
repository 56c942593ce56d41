// The name of an actor.

/** Say who it was: the name that they had, or the id of an agent that is gone. */
export function actorName(actor, board) {
  if (!actor) return "Somebody";
  return actor.label ?? board?.agent(actor.id)?.title ?? (actor.type === "System" ? "Tandem" : actor.id);
}
