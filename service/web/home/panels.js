// The panels of Home: what each shows of what the store has loaded.

import { pageUrl } from "../core/base-path.js";
import { h } from "../core/dom.js";
import { formatCount } from "../core/format.js";
import { countWaiting, isWaiting, organization } from "../core/organization.js";
import { boardUrl } from "../core/router.js";
import { drawRows, renderRest } from "../ui/list.js";
import { renderAgentRow } from "./agent-row.js";
import { attentionUrl, renderAttentionRow } from "./attention-row.js";
import { renderCatchUpRow } from "./catch-up-row.js";
import { renderDeniedRow } from "./denied-row.js";
import { renderGroups } from "./my-card-row.js";
import { renderOverdueRows } from "./overdue-rows.js";

/** @import { Child } from "../core/dom.js" */
/** @import { HomeStore } from "./store.js" */
/**
 * A panel: its title, how many items there are, the rows of those that are loaded, what it says without any, and what its
 * head offers. `context` has what the rows need.
 * @typedef {{title: string, count: (store: HomeStore) => number, rows: (store: HomeStore, context: any) => Child[],
 *   empty: () => Child, action?: (store: HomeStore, context: any) => {label: string, run?: () => unknown, href?: string} | null
 *   }} Panel
 */

/** @type {Panel} */
const mine = {
  title: "My cards",
  count: ({ mine }) => mine.total,
  rows: ({ mine }) => renderGroups(mine.items),
  empty: describeNoCards,
  action: () => ({ label: "All my cards", href: pageUrl("/my-cards") })
};

/** @type {Panel} */
const waiting = {
  title: "Waiting for you",
  count: countWaiting,
  rows: (store, context) => renderAttention(store, context, listAttention(store).waiting, countWaiting(store)),
  empty: () => "Nothing is waiting for you. Move requests and questions of agents will be listed here."
};

/** Items that need attention but no decision of the user. @type {Panel} */
const others = {
  title: "Needs attention",
  count: countOthers,
  rows: (store, context) => renderAttention(store, context, listAttention(store).others, countOthers(store)),
  empty: () => "Nothing else needs attention."
};

/** @type {Panel} */
const catchUp = {
  title: "Since your last visit",
  count: ({ catchUp }) => catchUp.total,
  rows: renderCatchUp,
  empty: () => "You are up to date. What others change will be listed here.",
  action: ({ catchUp }, { markSeen }) => (catchUp.items.length ? { label: "Mark all as seen", run: markSeen } : null)
};

/** @type {Panel} */
const agents = {
  title: "Agents",
  count: ({ agents }) => agents.length,
  rows: ({ agents }, context) => drawRows(agents.toSorted(busiestFirst), (agent) => renderAgentRow(agent, context)),
  empty: describeNoAgents
};

/** @type {Panel} */
const denied = {
  title: "Denied in 24 h",
  count: ({ deniedRequests }) => deniedRequests.total,
  rows: renderDenied,
  empty: () => "Nothing was denied."
};

/** @type {Panel} */
const overdue = {
  title: "Overdue",
  count: ({ counts }) => counts.overdue_card ?? 0,
  rows: ({ overdueBoards }) => renderOverdueRows(overdueBoards),
  empty: () => "Nothing is overdue."
};

export const PANELS = { mine, waiting, others, catchUp, agents, denied, overdue };

/** Return the items that need attention, stopped agents first, apart by whether they wait for the user. */
function listAttention(store) {
  const items = store.items.filter(({ kind }) => kind !== "overdue_card").sort(stoppedFirst);
  const waits = ({ kind }) => isWaiting(store, kind);
  return { waiting: items.filter(waits), others: items.filter((item) => !waits(item)) };
}

function countOthers(store) {
  const { overdue_card: _, ...counts } = store.counts;
  return Object.values(counts).reduce((sum, number) => sum + number, 0) - countWaiting(store);
}

function renderAttention(store, context, items, total) {
  const rows = drawRows(items, (item) => renderAttentionRow(item, context), { open: attentionUrl });
  return [...rows, ...renderRest(total - items.length, "item")];
}

function renderDenied({ deniedRequests: { items, total } }, context) {
  const rows = drawRows(items, (row) => renderDeniedRow(row, context));
  return [...rows, ...renderRest(total - rows.length, "denied request")];
}

function renderCatchUp({ catchUp: { items, total } }, context) {
  const open = ({ projectId, cardKey }) => boardUrl(projectId, cardKey);
  const rows = drawRows(items, (entry) => renderCatchUpRow(entry, context), { open });
  const more = total - rows.length;
  const end = more > 0 ? `And ${formatCount(more, "card")} before these.` : "Then you are up to date.";
  return rows.length ? [...rows, h("li.item.muted", end)] : [];
}

/** Compare attention items: stopped agents first, otherwise the order of the service. */
function stoppedFirst(first, second) {
  return Number(second.kind === "stopped_agent") - Number(first.kind === "stopped_agent");
}

function busiestFirst(first, second) {
  return second.claims.length - first.claims.length;
}

/** Return what is shown without cards; members who have no board cannot create one. */
function describeNoCards() {
  if (organization.projects.length > 0) return "No open cards are assigned to you. They will be listed here by due date.";
  if (organization.isArchitect) return "There are no boards yet. Your cards will be listed here.";
  return "There are no boards yet. A Solution Architect creates the first one; then you can add cards to it.";
}

function describeNoAgents() {
  const text = "No agents yet. An agent registers with an API key, and works once a Solution Architect has approved it.";
  const link = h("a.link", { href: pageUrl("/?start=1") }, "Connect an agent");
  return organization.isArchitect ? [text, " ", link] : text;
}
