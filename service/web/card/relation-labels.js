// What the kinds of relations are called.

/** By kind: what the card from which a relation leads does, and the other card. */
export const RELATION_LABELS = {
  __proto__: null,
  blocks: ["blocks", "blocked by"],
  dependsOn: ["depends on", "needed by"],
  partOf: ["part of", "has part"],
  duplicates: ["duplicates", "duplicated by"],
  relatesTo: ["relates to", "relates to"]
};
