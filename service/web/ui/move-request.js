// Approving or rejecting the move requests of agents.

import { post } from "../core/api.js";
import { labelField } from "../core/dom.js";
import { problemTexts } from "../core/error-text.js";
import { quote, truncate } from "../core/format.js";
import { selectInput } from "./controls.js";
import { promptDialog } from "./dialog.js";
import { announce, showError } from "./toast.js";

/** Approve a move request, or reject it with a note, which can send the card to another column. */
async function decideMoveRequest(requestId, isApproved, note = null, toColumnId = null) {
  const where = `/move-requests/${encodeURIComponent(requestId)}/${isApproved ? "approve" : "reject"}`;
  return post(where, toColumnId ? { note, toColumnId } : { note });
}

const NOTE_CHARACTERS_MAX = 2000; // characters

/** Approve a move request; return null, or the errors as sentences. */
export async function approveMove(requestId, title, names) {
  try {
    await decideMoveRequest(requestId, true);
    announce(`Approved: ${truncate(title)}.`);
    return null;
  } catch (error) {
    return showDecisionError(requestId, "It was not approved", error, names);
  }
}

/** Ask for a reason and reject a move request; return null if it is done, false if cancelled, or the errors as sentences. */
export async function rejectMove(requestId, title, who, names, ways = []) {
  const back = createColumnChoice(ways);
  const stays = `The card stays where it is${ways.length ? ", unless you send it back" : ""}.`;
  const note = await promptDialog({
    title: `Reject the move of ${quote(truncate(title, 60))}`,
    text: `${who} reads your reason and goes on from there. ${stays}`,
    more: ways.length ? [back.element] : [],
    label: "Reason",
    button: "Reject",
    required: true,
    most: NOTE_CHARACTERS_MAX
  });
  if (!note) return false;
  try {
    await decideMoveRequest(requestId, false, note, back.value());
    announce(`Rejected: ${truncate(title)}.`);
    return null;
  } catch (error) {
    return showDecisionError(requestId, "It was not rejected", error, names);
  }
}

/** Create the select for the column that a rejected card is sent to. */
function createColumnChoice(ways) {
  const options = [["", "Leave it where it is"], ...ways.map(({ id, title }) => [id, title])];
  const select = selectInput(null, options, "", () => {}, { class: "input", name: "back" });
  const element = labelField("Send the card to", select);
  return { element, value: () => select.value || null };
}

function showDecisionError(requestId, title, error, names) {
  const said = problemTexts(error, names);
  showError(title, said.join(" "), `request ${requestId}`);
  return said;
}
