// Deciding what agents ask for: approve at once, reject with a reason.

import { reasons } from "../core/refusals.js";
import { brief, quoted } from "../core/words.js";
import { decide } from "../core/writes.js";
import { ask } from "./dialog.js";
import { announce, notify } from "./notice.js";

const NOTE = 2000; // characters

/** Approve a request; give null, or the sentences of what stands in the way. */
export async function approve(requestId, title, names) {
  try {
    await decide(requestId, true);
    announce(`Approved: ${brief(title)}.`);
    return null;
  } catch (error) {
    return refused(requestId, "It was not approved", error, names);
  }
}

/** Ask for a reason and reject a request with it; give null if that is done, false if the person gave up. */
export async function reject(requestId, title, who, names) {
  const note = await ask({
    title: `Reject the move of ${quoted(brief(title, 60))}`,
    text: `${who} reads your reason and goes on from there. The card stays where it is.`,
    label: "Reason",
    button: "Reject",
    required: true,
    most: NOTE,
  });
  if (!note) return false;
  try {
    await decide(requestId, false, note);
    announce(`Rejected: ${brief(title)}.`);
    return null;
  } catch (error) {
    return refused(requestId, "It was not rejected", error, names);
  }
}

function refused(requestId, title, error, names) {
  const said = reasons(error, names);
  notify({ title, text: said.join(" "), kind: "refused", cause: `request ${requestId}` });
  return said;
}
