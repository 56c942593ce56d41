// The page of one agent.

import { pageUrl } from "../core/base-path.js";
import { serverNow } from "../core/clock.js";
import { h } from "../core/dom.js";
import { denialText } from "../core/error-text.js";
import { formatAge, formatDateTime, formatNumber, isolate, phrase, quote } from "../core/format.js";
import { markIcon } from "../core/icons.js";
import { organization } from "../core/organization.js";
import { boardUrl, navigate } from "../core/router.js";
import { agentAvatar, agentBadges } from "../ui/avatar.js";
import { cardLink } from "../ui/card-link.js";
import { keepClaimsCurrent, renderClaimRow } from "../ui/claim.js";
import { selectInput, smallButton } from "../ui/controls.js";
import { drawRows, listRow, listSection, renderList, renderPairs, renderRest, renderSection } from "../ui/list.js";
import { createPage } from "../ui/page.js";
import { setPlainText } from "../ui/plain-text.js";
import { loadAgent } from "./agent-data.js";
import { renderStatusButton } from "./agent-row.js";
import { agentStatusText, removeAgent } from "./store.js";
import { openUndoDialog } from "./undo-dialog.js";

const SPANS = [
  ["1h", "in the last hour"],
  ["1d", "in the last day"],
  ["7d", "in the last week"]
];
const RESOURCES = ["agent", "card", "comment", "moveRequest", "question", "file"];
const GIB = 1 << 30;

export function show(host, { project: agentId }) {
  let since = "1d";
  const removeAndLeave = async (agent) => (await removeAgent(agent)) && navigate(pageUrl("/agents"));
  const screen = createPage(host, {
    title: "Agent",
    read: () => loadAgent(agentId, since),
    resources: RESOURCES,
    tools: ({ agent, columns }, done) =>
      agent &&
      organization.isArchitect && [
        smallButton("Undo its changes…", async () => {
          if (await openUndoDialog(agent, columns)) void done(); // the button can be pressed again meanwhile
        }),
        renderStatusButton(agent, done),
        smallButton("Remove…", () => removeAndLeave(agent), { name: `Remove ${agent.title}` })
      ],
    draw: (value, done) =>
      value.agent
        ? renderAgent(
            value,
            selectInput("Since", SPANS, since, (value) => ((since = value), done()))
          )
        : renderMissing(agentId)
  });
  return keepClaimsCurrent(host, screen);
}

function renderMissing(agentId) {
  return h("section.page-error", h("p", `There is no agent ${quote(agentId)}; it may have been removed.`));
}

function renderAgent({ agent, agents, cards, asked: requests, refusals, columns, done: activity, titles }, spans) {
  const { claims } = agent;
  const avatar = agentAvatar(agentBadges(agents).get(agent.id), agent.title, true);
  const name = h("div", h("h2.headline", agent.title), h("p.muted", agentStatusText(agent)));
  const claimRows = drawRows(claims, (claim) => h("li.item", h("div.what", renderClaimRow(claim))));
  const requestRows = drawRows(requests, (entry) => requestRow(entry, columns, titles));
  const assignedRows = drawRows(cards.items, (card) => assignedRow(card, columns), { open: cardUrl });
  const activityRows = drawRows(activity.items, (entry) => activityRow(entry, columns, titles));
  const deniedRows = drawRows(refusals.items, (entry) => deniedRow(entry, columns));
  assignedRows.push(...renderRest(cards.total - assignedRows.length, "card"));
  deniedRows.push(...renderRest(refusals.total - deniedRows.length, "denied request"));
  const activityCount = activity.hasMore ? `${formatNumber(activityRows.length)}+` : activityRows.length;
  return [
    h("section", { "aria-label": agent.title }, h("div.row", avatar, name), renderFacts(agent)),
    listSection("Claimed cards", claimRows, "Nothing at the moment."),
    requestRows.length > 0 && listSection("Open requests", requestRows, ""),
    renderSection("Assigned", assignedCount(agent, cards), renderList(assignedRows, "No cards.", "Assigned")),
    renderSection("Denied", refusals.total, renderList(deniedRows, "Nothing in the last 7 days.", "Denied")),
    renderSection("Activity", activityCount, renderList(activityRows, "Nothing.", "Activity"), spans)
  ];
}

/** Return the number of assigned cards, and how many of them are open if some are done. */
function assignedCount(agent, { total }) {
  if (total <= agent.assigned) return total;
  return `${formatNumber(total)}, ${formatNumber(agent.assigned)} of them open`;
}

function renderFacts(agent) {
  const size = (bytes) => bytes && `${formatNumber(Math.round((bytes / GIB) * 10) / 10)} GiB`;
  const facts = [
    ["Id", agent.id],
    ["Model", agent.llmVersion],
    ["Team", agent.teamName],
    ["E-mail", agent.email],
    ["Machine", [agent.machineName, agent.machineIp].filter(Boolean).join(", ")],
    ["System", [agent.osName, agent.osVersion].filter(Boolean).join(" ")],
    ["Memory", size(agent.ramBytes)],
    ["Storage", [size(agent.storageBytes), agent.storageType].filter(Boolean).join(", ")],
    ["Registered", formatDateTime(agent.createdAt)]
  ];
  return renderPairs(
    "facts",
    facts.filter(([, value]) => value)
  );
}

function renderCardLink(card, key = card?.key) {
  if (!card) return h("span.muted", key ?? "a card that is gone");
  return cardLink(card.projectId, card.key, card.title);
}

const cardUrl = ({ projectId, key }) => boardUrl(projectId, key);

function assignedRow(card, columns) {
  const text = phrase`${columns.get(card.columnId) ?? ""} · changed ${formatAge(card.updatedAt, serverNow())}`;
  return listRow({ id: card.id, title: h("span", renderCardLink(card)), text });
}

function requestRow({ id, cardId, fromColumnId, toColumnId, note, createdAt }, columns, titles) {
  const age = formatAge(createdAt, serverNow());
  const columnsText = phrase`${columns.get(fromColumnId) ?? "?"} → ${columns.get(toColumnId) ?? "?"} · ${age}`;
  const plainNote = h("span");
  setPlainText(plainNote, note ?? "");
  return listRow({
    id,
    title: h("span", renderCardLink(titles.get(cardId))),
    text: [columnsText, note && h("span", " · “", plainNote, "”")]
  });
}

function deniedRow({ id, code, title, toColumnId, count, lastAt }, columns) {
  const to = toColumnId && phrase`→ ${columns.get(toColumnId) ?? "another column"}`;
  const about = [title, to].filter(Boolean).map(isolate).join(" ");
  const often = (count > 1 ? `${formatNumber(count)}× · ` : "") + formatAge(lastAt, serverNow());
  return listRow({
    id,
    mark: markIcon("stop", "danger"),
    title: h("strong", denialText(code)),
    note: often,
    text: about
  });
}

const DID = {
  __proto__: null,
  "card.created": "created",
  "card.moved": "moved",
  "card.updated": "changed",
  "checklist.updated": "changed",
  "card.archived": "archived",
  "card.claimed": "claimed",
  "card.released": "released",
  "comment.created": "commented on",
  "comment.replied": "replied on",
  "moveRequest.created": "asked to move",
  "question.asked": "asked about",
  "file.added": "added a file to"
};

function activityRow({ id, type, cardId, cardKey, fromColumnId, toColumnId, at }, columns, titles) {
  const columnsText = toColumnId && phrase` · ${columns.get(fromColumnId) ?? "?"} → ${columns.get(toColumnId) ?? "?"}`;
  const actionText = DID[type] ?? type.replace(".", " ");
  const text = h("span", h("span.muted", `${actionText} `), renderCardLink(titles.get(cardId), cardKey));
  return listRow({ id, title: text, note: [formatAge(at, serverNow()), columnsText] });
}
