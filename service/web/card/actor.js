// The name of an actor.

/** Return the name of an actor at the time of its action, or the id of a deleted agent. */
export function actorName(actor, board) {
  if (!actor) return "Somebody";
  const agent = actor.type === "Agent" ? board?.agent(actor.id) : null;
  return actor.label ?? agent?.title ?? (actor.type === "System" ? "Tandem" : actor.id);
}
