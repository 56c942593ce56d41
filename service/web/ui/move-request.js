// Approving or rejecting the move requests of agents.

import { get, post } from "../core/api.js";
import { h, labelField } from "../core/dom.js";
import { problemTexts } from "../core/error-text.js";
import { phrase, quote, truncate } from "../core/format.js";
import { suspendShortcuts } from "../core/shortcuts.js";
import { selectInput } from "./controls.js";
import { announce, showError } from "./toast.js";

/** Approve a move request, or reject it with a note, which can send the card to another column. */
async function decideMoveRequest(requestId, isApproved, note = null, toColumnId = null) {
  const path = `/move-requests/${encodeURIComponent(requestId)}/${isApproved ? "approve" : "reject"}`;
  return post(path, toColumnId ? { note, toColumnId } : { note });
}

const NOTE_CHARACTERS_MAX = 2000;
const approved = new Set(); // ids of requests whose approval is sent, so that a second click or key does nothing

/** Approve a move request; return null, or the errors as sentences. */
export async function approveMove(requestId, title, names) {
  if (approved.has(requestId)) return null;
  approved.add(requestId);
  try {
    await decideMoveRequest(requestId, true);
    announce(`Approved: ${truncate(title)}.`);
    return null;
  } catch (error) {
    approved.delete(requestId);
    const sentences = problemTexts(error, names);
    showError("It was not approved", sentences.join(" "), `request ${requestId}`);
    return sentences;
  }
}

/**
 * Ask for a reason and where the card goes, and reject a move request; return whether it is done. `request` has id, cardId
 * and toColumnId.
 */
export async function rejectMove(request, title, who, names) {
  const { openForm } = await suspendShortcuts(import("./form.js"));
  const columnChoice = createColumnChoice(request);
  const attributes = { kind: "textarea", rows: 3, required: true, maxLength: NOTE_CHARACTERS_MAX };
  const answer = await openForm({
    title: `Reject the move of ${quote(truncate(title, 60))}`,
    text: phrase`${who} reads your reason.`,
    item: request.id,
    fields: [{ name: "note", label: "Reason", ...attributes }],
    below: columnChoice.element,
    button: "Reject",
    send: async ({ note }) => decideMoveRequest(request.id, false, note.trim(), await columnChoice.value()),
    errorText: (error) => problemTexts(error, names).join(" ")
  });
  if (answer) announce(`Rejected: ${truncate(title)}.`);
  return answer !== null;
}

/** Create the select for the column that a rejected card is sent to; it is filled when the moves are known. */
function createColumnChoice({ cardId, toColumnId: requestedId }) {
  const attributes = { class: "input", name: "back", disabled: true };
  const select = selectInput(null, [["", "Leave it here"]], "", () => {}, attributes);
  const filled = get(`/cards/${encodeURIComponent(cardId)}/moves`).then((moves) => {
    const others = moves.filter(({ allowed, toColumnId }) => allowed && toColumnId !== requestedId);
    select.prepend(...others.map(({ toColumnId, title }) => h("option", { value: toColumnId }, title)));
    select.value = others.find(({ sendsBack }) => sendsBack)?.toColumnId ?? "";
    select.disabled = false;
  });
  filled.catch(() => {}); // the rejection reports it
  return { element: labelField("Send the card to", select), value: () => filled.then(() => select.value || null) };
}
