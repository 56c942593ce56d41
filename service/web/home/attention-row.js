// An item that needs attention, as a row with its actions.

import { pageUrl } from "../core/base-path.js";
import { serverNow } from "../core/clock.js";
import { h } from "../core/dom.js";
import { problemTexts } from "../core/error-text.js";
import { formatAge, phrase } from "../core/format.js";
import { markIcon } from "../core/icons.js";
import { organization } from "../core/organization.js";
import { boardUrl } from "../core/router.js";
import { agentAvatar } from "../ui/avatar.js";
import { smallButton } from "../ui/controls.js";
import { approveMove, rejectMove } from "../ui/move-request.js";
import { setPlainText } from "../ui/plain-text.js";
import { renderAnswerForm } from "../ui/question.js";
import { setAgentStatus, stopAgent } from "../agents/store.js";

const NOTE_CHARACTERS_MAX = 300; // of a note with a move request

/** Return a stable id for an attention item. */
function itemId({ kind, requestId, commentId, cardId, agentId, since }) {
  return [kind, requestId ?? commentId ?? cardId ?? agentId ?? since].join(" ");
}

/** Return the address of what an attention item is about: a card or an agent. */
export function attentionUrl({ kind, card, agentId }) {
  if (kind === "backup") return pageUrl("/settings/data");
  return card ? boardUrl(card.projectId, card.key) : pageUrl(`/agents/${encodeURIComponent(agentId)}`);
}

/** Render an attention item; `context` has names, badges, may(action) and done(). */
export function renderAttentionRow(item, context) {
  const { title, text, mark: icon, buttons, below } = (KINDS[item.kind] ?? renderOther)(item, context);
  const heading = h("a.title", { href: attentionUrl(item) }, title);
  const key = item.card && h("span.key", item.card.key);
  const since = h("span.muted", ` · ${formatAge(item.since, serverNow())}`);
  const blockersText = item.blockers?.length
    ? problemTexts({ details: { blockers: item.blockers } }, context.names).join(" ")
    : "";
  const problem = blockersText && h("p.problem.small", blockersText);
  return h(
    "li.item",
    { "data-id": itemId(item), tabindex: "-1" },
    icon,
    h("div.what", h("div", heading, " ", key), h("div.small", text, since), problem, below),
    buttons && h("div.row", buttons)
  );
}

function decisionButton(label, run, kind, name) {
  return smallButton(label, run, { kind, name, "data-do": label });
}

const KINDS = {
  __proto__: null,
  move_request(item, { names, badges, may: canPerform, done }) {
    const agentName = item.agent?.title ?? item.agentId;
    const move = phrase`${names.column(item.fromColumnId)} → ${names.column(item.toColumnId)}`;
    const approve = () => approveMove(item.requestId, item.card.title, names).then(done);
    const { requestId: id, cardId, toColumnId } = item;
    const reject = () => rejectMove({ id, cardId, toColumnId }, item.card.title, agentName, names).then(done);
    const note = h("span");
    setPlainText(note, item.note ?? "", NOTE_CHARACTERS_MAX);
    return {
      title: item.card.title,
      text: [h("strong", agentName), ` asks: ${move}`, item.note && h("span.quote", " · “", note, "”")],
      mark: agentAvatar(badges.get(item.agentId), agentName, true),
      buttons: canPerform("transition") && [
        decisionButton("Approve", approve, "main", `Approve ${item.card.key}`),
        decisionButton("Reject…", reject, "", `Reject ${item.card.key}`)
      ]
    };
  },
  question(item, { names, badges, may: canPerform, done }) {
    const agentName = item.agent?.title ?? item.agentId;
    const content = h("span.quote");
    setPlainText(content, item.content);
    return {
      title: item.card.title,
      text: [h("strong", agentName), " asks: ", content],
      mark: agentAvatar(badges.get(item.agentId), agentName, true),
      below: canPerform("comment") && renderAnswerForm(item, names, done)
    };
  },
  handed_over: (item, { badges, names }) => ({
    title: item.card.title,
    text: [h("strong", item.agent?.title ?? item.agentId), handedOverText(item, names)],
    mark: agentAvatar(badges.get(item.agentId), item.agent?.title ?? "", true)
  }),
  pending_agent: (item, context) => ({
    title: phrase`The agent ${item.agent?.title ?? item.agentId} waits for approval.`,
    text: "A new agent cannot do anything until an architect approves it.",
    mark: markIcon("key", "warn"),
    buttons: organization.isArchitect && [
      decisionButton("Approve", () => changeStatus(item, "approve", context), "main", `Approve ${item.agentId}`)
    ]
  }),
  stopped_agent: (item, context) => ({
    title: item.message,
    text: "Resume resets its counters.",
    mark: markIcon("stop", "danger"),
    buttons: organization.isArchitect && [
      decisionButton("Resume", () => changeStatus(item, "resume", context), "", `Resume ${item.agentId}`)
    ]
  }),
  agent_creates: (item, { done }) => ({
    title: item.message,
    text: "It has to wait. Stop it if it does not create these cards on purpose.",
    mark: markIcon("stop", "warn"),
    buttons: organization.isArchitect && [
      decisionButton(
        "Stop agent…",
        () => stopAgent({ id: item.agentId, title: item.agent?.title ?? item.agentId }, done),
        "",
        `Stop ${item.agentId}`
      )
    ]
  }),
  backup: (item) => ({
    title: item.message,
    text: "Settings › Data shows more.",
    mark: markIcon("stop", "danger")
  }),
  expired_claim: (item) => ({
    title: item.message,
    text: "Nobody has claimed the card now; another agent may take it.",
    mark: markIcon("clock", "warn")
  })
};

/** Return how a card was handed over: by the agent, or by a rejected request that left it where it is. */
function handedOverText({ toColumnId, card }, names) {
  const place = names.column(card.columnId);
  if (!toColumnId) return phrase` has handed it over in ${place}`;
  return phrase` requested a move to ${names.column(toColumnId)}, which was rejected. It waits in ${place}`;
}

function renderOther(item) {
  return {
    title: item.card?.title ?? item.message,
    text: item.card ? item.message : "",
    mark: markIcon("bell", "warn")
  };
}

/** Approve or resume the agent of an item. */
function changeStatus({ agentId, agent }, verb, { done }) {
  return setAgentStatus({ id: agentId, title: agent?.title ?? agentId }, verb, done);
}
