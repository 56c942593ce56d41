// Why something did not happen, as sentences for people; names come from whoever knows the board.

import { list, quoted, refusal } from "./words.js";

const REASONS = {
  transition_not_allowed: ({ details }, names) =>
    details.fromColumnId
      ? `There is no way from ${names.column(details.fromColumnId)} to ${names.column(details.toColumnId)}.`
      : "The board has no way there.",
  approval_required: () => "A person has to approve this move.",
  required_fields_missing: ({ details }, names) => `Fill in first: ${list((details.fieldIds ?? []).map(names.field))}.`,
  card_blocked: ({ details }, names) => `It is blocked by ${list((details.blockedBy ?? []).map(names.card))}.`,
  wip_limit_reached: ({ details }) => "The column is full" + (details.wipLimit ? ` (limit ${details.wipLimit}).` : "."),
  permission_denied: ({ details }) => `Your role may not ${verb(details)}.`,
  sa_required: () => "Only a Solution Architect may do this.",
  precondition_failed: () => "Somebody changed it meanwhile. What you see now is how it is.",
  stale_request: () => "The card has moved since the agent asked, so the request no longer holds.",
  request_exists: () => "A request for this card is open already.",
  conflict: ({ message, details }) => since(details.kept) ?? message,
  already_claimed: () => "An agent works on it.",
  not_found: () => "It is gone: somebody archived or removed it.",
  comments_disabled: () => "Cards of this type take no comments.",
  files_disabled: () => "Cards of this type take no files.",
  payload_too_large: ({ details, message }) =>
    details.limitBytes ? `A file may have ${Math.floor(details.limitBytes / 104857.6) / 10} MiB here.` : message,
  archived_parent: ({ message }) => message,
  frozen: ({ details }) => `Agents are frozen${details.reason ? ": " + details.reason : ""}.`,
};
/** Say who changed what an undo would have taken back. */
function since(kept) {
  const names = [...new Set(kept?.flatMap(({ by }) => (by ? [by.label ?? by.id] : [])))];
  return names.length ? `${list(names)} changed it since.` : null;
}

const VERBS = { transition: "move cards", update: "change cards", create: "make cards", comment: "comment" };

function verb({ action, resource }) {
  return VERBS[action] && resource === "Card" ? VERBS[action] : `${action ?? "do this"} ${resource ?? ""}`.trim();
}

/** Say what one blocker or refusal means. */
export function reason(problem, names) {
  const known = REASONS[problem.code];
  return known ? known({ details: {}, ...problem }, names) : refusal(problem);
}

/** Say all that stood in the way, once each. */
export function reasons(error, names) {
  const all = error.details?.blockers?.length ? error.details.blockers : [error];
  return [...new Set(all.map((problem) => reason(problem, names)))];
}

/** Say where a card could go instead. */
export function instead(titles) {
  return titles.length ? `From here it can go to ${list(titles)}.` : "There is no way out of this column.";
}

/** Say that a card stayed where it is. */
export function stays(title, column) {
  return `${quoted(title)} stays in ${column}`;
}

// What agents are refused, in a few words for people; the service's own message speaks to the agent.
const RULES = {
  transition_not_allowed: "no such way on the board",
  approval_required: "needs a person's approval",
  required_fields_missing: "required fields are empty",
  card_blocked: "the card is blocked",
  wip_limit_reached: "the column is full",
  already_claimed: "another agent works on it",
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
  precondition_failed: "the card had changed meanwhile",
  permission_denied: "its role may not do this",
  cross_organization: "it asked about another organization",
  comments_disabled: "cards of this type take no comments",
};

/** Say by which rule an agent was refused. */
export function rule(code) {
  return RULES[code] ?? code.replaceAll("_", " ");
}
