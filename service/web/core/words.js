// Times, counts and refusals as words: pure functions.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ENDLESS = 400 * DAY; // the service gives leases a far end for as long as a freeze lasts

/** Say how long ago something was: now, 4 m, 3 h, 2 d, 5 w. */
export function age(from, now) {
  const passed = now - Date.parse(from);
  if (passed < MINUTE) return "now";
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} m`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h`;
  if (passed < 14 * DAY) return `${Math.floor(passed / DAY)} d`;
  return `${Math.floor(passed / (7 * DAY))} w`;
}

/** Say how much of a lease is left: 4:58, or 1:02:03; while agents are frozen none runs out. */
export function left(milliseconds) {
  if (milliseconds > ENDLESS) return "paused";
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** Say when a card is due, and how that is to be taken: late, soon or none of it. */
export function due(date, now) {
  const time = Date.parse(date);
  const late = Math.floor((now - time) / DAY);
  if (time < now) return { text: late ? `${late} d late` : "late", state: "late" };
  return { text: shortDate(date, now), state: time - now < 2 * DAY ? "soon" : "" };
}

/** Write a date as briefly as can be: Nov 27, with the year if it is another one. */
export function shortDate(date, now) {
  const moment = new Date(date);
  const isThisYear = moment.getFullYear() === new Date(now).getFullYear();
  return moment.toLocaleDateString("en", {
    month: "short",
    day: "numeric",
    ...(isThisYear ? {} : { year: "numeric" })
  });
}

/** Write a moment in full, in the reader's own zone. */
export function moment(date) {
  return new Date(date).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
}

/** Count something: 1 comment, 3 comments. */
export function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** Put names into a sentence: A, B and C; of many only the first ones. */
export function list(names, most = 3) {
  if (names.length > most + 1) return `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}

/** Put something into quotes. */
export function quoted(text) {
  return `“${text}”`;
}

/** Shorten a text at a word, for a place that shows only its beginning. */
export function brief(text, most = 80) {
  if (text.length <= most) return text;
  const cut = text.slice(0, most);
  const space = cut.lastIndexOf(" ");
  return `${space > most / 2 ? cut.slice(0, space) : cut}…`;
}

/** Say what a refusal of the service means to a person, where no screen knows better. */
export function refusal({ status, code, message }) {
  if (status === 0) return "The service cannot be reached. Nothing was changed.";
  if (code === "rate_limited") return "That was too often. Wait a minute and try again.";
  if (status >= 500) return `${message} Nothing was changed.`;
  return message;
}

// Why something did not happen, as sentences for people; names come from whoever knows the board.
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
  frozen: ({ details }) => `Agents are frozen${details.reason ? ": " + details.reason : ""}.`
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
  comments_disabled: "cards of this type take no comments"
};

/** Say by which rule an agent was refused. */
export function rule(code) {
  return RULES[code] ?? code.replaceAll("_", " ");
}
