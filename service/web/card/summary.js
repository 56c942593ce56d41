// The claim of a card, and the one-line summary of its properties for phones.

import { remove } from "../core/api.js";
import { serverNow } from "../core/clock.js";
import { h, replaceChildren, setText } from "../core/dom.js";
import { describeDueDate, dueDateOf, formatDateTime, formatTimeLeft, isolate, phrase } from "../core/format.js";
import { drawPart } from "../core/guard.js";
import { icon } from "../core/icons.js";
import { shortcutAttributes } from "../core/shortcuts.js";
import { promptDialog } from "../ui/dialog.js";
import { tryRequest } from "../ui/request.js";

/** @import { OpenCard } from "./store.js" */
/** @import { CardView } from "./view.js" */

/**
 * Create the main properties of an open card as one line, for small screens, where the properties are far below.
 * @param {CardView} view
 */
export function createSummary({ open, places }) {
  const showProperties = () => places.side.scrollIntoView({ block: "start" });
  const element = h("button.summary-line", { click: showProperties });
  return { element, update: () => setText(element, summaryText(open)) };
}

function summaryText({ board, card, id }) {
  const claim = board.claims.get(id) ?? card.claim;
  const agent = (agentId) => board.agent(agentId)?.title ?? agentId;
  const person = card.assignedUserId && (board.person(card.assignedUserId)?.name ?? "somebody who left");
  const parts = [
    claim ? phrase`claimed by ${agent(claim.agentId)}` : card.assignedAgentId && phrase`for ${agent(card.assignedAgentId)}`,
    person && isolate(person),
    card.priority !== "none" && card.priority,
    card.dueDate && `due ${describeDueDate(dueDateOf(card), serverNow(), board.isComplete(id)).text}`
  ].filter(Boolean);
  return parts.join(" · ") || "Claimed by no one";
}

/**
 * Create the agent that has claimed an open card, with the time left, and a button that ends a live claim.
 * @param {OpenCard} open
 */
export function createClaim(open) {
  const claimant = h("div.value");
  const endButton = createEndClaimButton(open);
  function update() {
    const claim = open.board.claims.get(open.id) ?? open.card.claim;
    const isLive = Boolean(claim) && Date.parse(claim.expiresAt) > serverNow();
    endButton.hidden = !isLive || !open.board.isAllowed("update");
    const shown = drawPart("The claim", () => (claim ? renderClaim(open, claim) : h("span.muted", "No one")));
    replaceChildren(claimant, shown);
  }
  return { element: [claimant, endButton], update };
}

function renderClaim(open, claim) {
  const title = open.board.agent(claim.agentId)?.title ?? claim.agentId;
  const left = Date.parse(claim.expiresAt) - serverNow();
  const text = left > 0 ? `· ${formatTimeLeft(left)}` : "· claim expired";
  const time = h("span.muted.number", { title: `until ${formatDateTime(claim.expiresAt)}` }, text);
  return h("span", icon("agent"), " ", title, " ", time);
}

/** Return a button that ends the claim of an open card, so that other agents can claim it at once. */
function createEndClaimButton(open) {
  const end = async () => {
    const { board, id, card } = open;
    const { agentId } = board.claims.get(id) ?? card.claim;
    const agent = board.agent(agentId)?.title ?? agentId;
    const text = "It has to claim the card again before it can go on. Other agents can claim it at once.";
    if ((await promptDialog({ title: `End the claim of ${agent}?`, text, button: "End claim" })) === null) return;
    const messages = { done: "The claim has ended.", failed: "The claim has not ended" };
    if (await tryRequest(() => remove(`/cards/${id}/claim`), messages)) await Promise.all([board.refresh(), open.read()]);
  };
  return h("button.button.small", { click: end, ...shortcutAttributes("claim.end") }, "End claim");
}
