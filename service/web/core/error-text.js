// Errors of the API as sentences for people.

import { formatNumber, joinNames, phrase, quote } from "./format.js";

/** Return whether a module of the page could not be loaded. Browsers have no code for it, each a text of its own. */
export function isLoadError(error) {
  return error instanceof TypeError && /module/i.test(error.message);
}

/** Return an error as a sentence, without names of columns, fields and cards. */
export function errorText(error) {
  const { status, code, message } = error;
  if (isLoadError(error)) return "A part of the page did not load. Check your connection and try again.";
  if (status === 0) return "The service cannot be reached. Nothing was changed.";
  if (code === "rate_limited") return "Too many attempts. Wait a minute and try again.";
  if (status >= 500) return `${message} Nothing was changed.`;
  return message;
}

// Error codes as sentences; `names` gives the titles of columns, fields and cards, and perhaps the names of actors.
const REASONS = {
  __proto__: null,
  transition_not_allowed: ({ details }, names) =>
    details.fromColumnId
      ? phrase`There is no transition from ${names.column(details.fromColumnId)} to ${names.column(details.toColumnId)}.`
      : "This board has no transition to that column.",
  approval_required: () => "A person has to approve this move.",
  required_fields_missing: ({ details }, names) => `Fill in first: ${joinNames((details.fieldIds ?? []).map(names.field))}.`,
  card_blocked: ({ details }, names) => `It is blocked by ${joinNames((details.blockedBy ?? []).map(names.card))}.`,
  wip_limit_reached: ({ details }) =>
    "The column is full" + (details.wipLimit ? ` (limit ${formatNumber(details.wipLimit)}).` : "."),
  permission_denied: ({ details }) => `You don't have permission to ${permissionText(details)}.`,
  sa_required: () => "Only a Solution Architect can do this.",
  precondition_failed: () => "It was changed meanwhile. You now see the current version.",
  stale_request: () => "The card has moved since the agent asked, so the request no longer holds.",
  request_exists: () => "A request for this card is open already.",
  conflict: ({ message, details }, names) => changedSinceText(details.kept, names) ?? message,
  already_claimed: () => "An agent has claimed it.",
  not_found: ({ details }) =>
    details.archived ? "Its board is archived. Restore the board first." : "It was archived or deleted.",
  comments_disabled: () => "Cards of this type take no comments.",
  files_disabled: () => "Cards of this type take no files.",
  payload_too_large: ({ details, message }) =>
    details.limitBytes ? `A file may have ${formatNumber(Math.floor(details.limitBytes / 104857.6) / 10)} MiB here.` : message,
  archived_parent: ({ message }) => message,
  frozen: ({ details }) => `Agents are frozen${details.reason ? ": " + details.reason : ""}.`
};
/** Return who changed the values that an undo would have reverted. */
function changedSinceText(kept, { actor = ({ id, label }) => label ?? id }) {
  const names = [...new Set(kept?.flatMap(({ by }) => (by ? [actor(by)] : [])))];
  return names.length ? phrase`${joinNames(names)} changed it since.` : null;
}

const VERBS = { __proto__: null, read: "see", create: "create", update: "change", delete: "remove", transition: "move" };
const RESOURCES = { __proto__: null, Project: "boards", Relationship: "relations", Analytics: "reports", Archive: "the archive" };

/** Return what a permission allows in words of the page: change cards, see card types. */
function permissionText({ action, resource }) {
  if (!action || !resource) return "do this";
  if (action === "comment") return "comment";
  const verb = action === "delete" && resource === "Card" ? "archive" : (VERBS[action] ?? action);
  const plural = `${resource.replace(/(?<!^)[A-Z]/g, " $&").toLowerCase()}s`;
  return `${verb} ${RESOURCES[resource] ?? plural}`;
}

/** Return one error or blocker as a sentence. */
function problemText(problem, names) {
  const sentence = REASONS[problem.code];
  const { code, message, details = {} } = problem; // of an Error, `message` is not copied by {...problem}
  return sentence ? sentence({ code, message, details }, names) : errorText(problem);
}

/** Return an error and its blockers as sentences, without duplicates. */
export function problemTexts(error, names) {
  const all = error.details?.blockers?.length ? error.details.blockers : [error];
  return [...new Set(all.map((problem) => problemText(problem, names)))];
}

/** Return the columns that the card can move to as a sentence. */
export function alternativesText(titles) {
  return titles.length ? `From here it can go to ${joinNames(titles)}.` : "This column has no outgoing transitions.";
}

/** Return that a card was not moved, as the title of a toast. */
export function stayedText(title, column) {
  return phrase`${quote(title)} stays in ${column}`;
}

// Reasons why requests of agents were denied, in a few words. The service's own messages address the agent.
const DENIALS = {
  __proto__: null,
  transition_not_allowed: "no such transition on the board",
  approval_required: "needs a person's approval",
  required_fields_missing: "required fields are empty",
  card_blocked: "the card is blocked",
  wip_limit_reached: "the column is full",
  already_claimed: "another agent has claimed it",
  claim_expired: "its time had run out",
  agent_pickup_disabled: "agents may not work in that column",
  agent_cannot_moderate: "agents may not move cards out of that column",
  agent_not_approved: "it is not approved yet",
  agent_not_registered: "it has not registered",
  agent_stopped: "it is stopped",
  frozen: "agents were frozen",
  request_exists: "it asked already",
  question_exists: "it asked already",
  too_many_claims: "it holds too many cards",
  too_many_created_cards: "it has created too many cards",
  precondition_failed: "the card had changed meanwhile",
  permission_denied: "its role may not do this",
  cross_organization: "it asked about another organization",
  comments_disabled: "cards of this type take no comments"
};

/** Return why a request of an agent was denied. */
export function denialText(code) {
  return DENIALS[code] ?? code.replaceAll("_", " ");
}

const GENERIC_NAMES = { column: () => "a column", field: () => "a field", card: () => "a card" };

/** Return an error that is not about a card as a sentence. */
export function plainErrorText(error) {
  return problemTexts(error, GENERIC_NAMES).join(" ");
}
