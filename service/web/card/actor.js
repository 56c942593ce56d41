// The name of an actor.

/** Return the name of an actor at the time of its action, or the id of a deleted agent. */
export function actorName(actor, board) {
  if (!actor) return "Somebody";
  return actor.label ?? board?.agent(actor.id)?.title ?? (actor.type === "System" ? "Tandem" : actor.id);
}
