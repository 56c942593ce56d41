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
  const path = `/move-requests/${encodeURIComponent(requestId)}/${isApproved ? "approve" : "reject"}`;
  return post(path, toColumnId ? { note, toColumnId } : { note });
}

const NOTE_CHARACTERS_MAX = 2000;

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
export async function rejectMove(requestId, title, who, names, columns = []) {
  const columnChoice = createColumnChoice(columns);
  const staysText = `The card stays where it is${columns.length ? ", unless you send it back" : ""}.`;
  const note = await promptDialog({
    title: `Reject the move of ${quote(truncate(title, 60))}`,
    text: `${who} reads your reason and goes on from there. ${staysText}`,
    more: columns.length ? [columnChoice.element] : [],
    label: "Reason",
    button: "Reject",
    required: true,
    maxLength: NOTE_CHARACTERS_MAX
  });
  if (!note) return false;
  try {
    await decideMoveRequest(requestId, false, note, columnChoice.value());
    announce(`Rejected: ${truncate(title)}.`);
    return null;
  } catch (error) {
    return showDecisionError(requestId, "It was not rejected", error, names);
  }
}

/** Create the select for the column that a rejected card is sent to. */
function createColumnChoice(columns) {
  const options = [["", "Leave it where it is"], ...columns.map(({ id, title }) => [id, title])];
  const select = selectInput(null, options, "", () => {}, { class: "input", name: "back" });
  const element = labelField("Send the card to", select);
  return { element, value: () => select.value || null };
}

function showDecisionError(requestId, title, error, names) {
  const sentences = problemTexts(error, names);
  showError(title, sentences.join(" "), `request ${requestId}`);
  return sentences;
}
