// Home: the cards and decisions that wait for the user, then agents, then recent changes.

import { get } from "../core/api.js";
import { pageUrl } from "../core/base-path.js";
import { closest, h, replaceChildren } from "../core/dom.js";
import { errorText } from "../core/error-text.js";
import { formatCount, formatNumber } from "../core/format.js";
import { guard } from "../core/guard.js";
import { icon } from "../core/icons.js";
import { countWaiting, isWaiting, organization, orgPath } from "../core/organization.js";
import { boardUrl } from "../core/router.js";
import { registerShortcuts, shortcutAttributes } from "../core/shortcuts.js";
import { agentBadges } from "../ui/avatar.js";
import { keepClaimsCurrent, updateClaimRow } from "../ui/claim.js";
import { freezeAgents } from "../ui/freeze.js";
import { drawRows, renderRest } from "../ui/list.js";
import { drawPanel, updatePanel } from "./panel.js";
import { announce, showError } from "../ui/toast.js";
import { renderAgentRow } from "./agent-row.js";
import { attentionUrl, renderAttentionRow } from "./attention-row.js";
import { renderCatchUpRow } from "./catch-up-row.js";
import { renderDeniedRow } from "./denied-row.js";
import { renderGroups } from "./my-card-row.js";
import { renderOverdueRows } from "./overdue-rows.js";
import { clickInRow, openCardsOver, rowShortcuts } from "./rows.js";
import { HomeStore } from "./store.js";

const UP_TO_DATE = "You are up to date. What others change will be listed here.";
const NOTHING_WAITING = "Nothing is waiting for you. Move requests and questions of agents will be listed here.";
const PLACEHOLDER_DELAY_MILLISECONDS = 150; // until a placeholder is shown

/** Compare attention items: stopped agents first, otherwise the order of the service. */
function stoppedFirst(first, second) {
  return Number(second.kind === "stopped_agent") - Number(first.kind === "stopped_agent");
}

export function show(host, address, { loadCardDialog, loadGettingStarted }) {
  const store = new HomeStore();
  const columns = new Map(); // id -> title, of all boards
  const stats = h("dl.stats");
  const problem = h("p.problem", { role: "alert", hidden: true });
  const sections = {
    mine: h("section"),
    waiting: h("section"),
    others: h("section"), // what needs a look, or somebody else's decision
    catchUp: h("section"),
    agents: h("section"),
    denied: h("section"),
    overdue: h("section")
  };
  const attributes = { class: "button", ...shortcutAttributes("agents.freeze"), click: freezeAgents };
  const freeze = h("button", attributes, icon("snow"), "Freeze all agents…");
  const hint = h("p.small.muted", { hidden: true }, "You don't have permission to move cards, so others decide.");
  const mine = h("div", sections.mine, sections.waiting);
  const agents = h("div.home-agents", stats, sections.others, hint, sections.agents, sections.denied, sections.overdue);
  const gettingStarted = h("div"); // the first steps of a new organization
  const isReopened = address.query.has("start");
  let stopGettingStarted = null;
  let isLeft = false;
  const columnsElement = h("div.home-columns", mine, agents, sections.catchUp);
  const body = h("div.page-body", { tabindex: "-1" }, problem, gettingStarted, columnsElement);
  replaceChildren(host, h("header.head", h("h1", "Home"), h("span.spacer"), freeze), body);

  const names = {
    column: (id) => columns.get(id) ?? "another column",
    field: () => "a field",
    card: () => "another card"
  };
  const loading = h("p.muted", { role: "status" }, "Loading …");
  const loadingTimer = setTimeout(() => body.prepend(loading), PLACEHOLDER_DELAY_MILLISECONDS);
  const retryButton = h("button.button.small", { click: () => store.load() }, "Try again");
  const unbind = registerShortcuts({
    ...rowShortcuts(host),
    "home.seen": Object.assign(() => void markSeen(), { isAvailable: () => store.catchUp.items.length > 0 }),
    "request.approve": clickInRow("[data-do=Approve]"),
    "request.reject": clickInRow("[data-do^=Reject]")
  });
  const closeCard = openCardsOver(body, loadCardDialog, () => store.load());
  store.addEventListener("change", draw);
  organization.addEventListener("change", drawFreeze);
  drawFreeze();
  organization.addEventListener("change", openGettingStarted);
  openGettingStarted();
  readColumns();

  async function readColumns() {
    try {
      for (const { id, title } of await get(orgPath("/columns"))) columns.set(id, title);
      if (store.agents.length || store.items.length) draw();
    } catch {
      // The rows omit the names of columns.
    }
  }

  function draw() {
    problem.hidden = !store.error;
    if (store.error) replaceChildren(problem, errorText(store.error), " ", retryButton);
    if (!store.isRead && !store.error) return; // not loaded yet, which differs from an empty list
    clearTimeout(loadingTimer);
    loading.remove();
    if (!store.isRead) return;
    const badges = agentBadges(store.agents);
    const context = { names, badges, agents: store.agents, done: () => store.load(), may: canPerform };
    const shownItems = store.items.filter(({ kind }) => kind !== "overdue_card").sort(stoppedFirst);
    const waits = ({ kind }) => isWaiting(store, kind);
    const [waiting, others] = [shownItems.filter(waits), shownItems.filter((item) => !waits(item))];
    const focused = closest(document.activeElement, ".item")?.dataset.id;
    const place = listItems().findIndex((item) => item.dataset.id === focused);
    const waitingCount = countWaiting(store);
    const rows = (items, total) => [
      ...drawRows(items, (item) => renderAttentionRow(item, context), { open: attentionUrl }),
      ...renderRest(total - items.length, "item")
    ];
    drawPanel(sections.mine, "My cards", drawMyCards);
    drawPanel(sections.waiting, "Waiting for you", () =>
      updatePanel(sections.waiting, "Waiting for you", waitingCount, rows(waiting, waitingCount), NOTHING_WAITING)
    );
    const { overdue_card: overdueCount = 0, ...counts } = store.counts;
    const othersCount = Object.values(counts).reduce((sum, number) => sum + number, 0) - waitingCount;
    drawPanel(sections.others, "Needs attention", () =>
      updatePanel(sections.others, "Needs attention", othersCount, rows(others, othersCount), "Nothing else needs attention.")
    );
    hint.hidden = canPerform("transition") || !store.counts.move_request;
    drawPanel(sections.catchUp, "Since your last visit", () => drawCatchUp(context));
    drawPanel(sections.agents, "Agents", () => drawAgents(context));
    drawPanel(sections.denied, "Denied in 24 h", () => drawDenied(context));
    drawPanel(sections.overdue, "Overdue", () =>
      updatePanel(sections.overdue, "Overdue", overdueCount, renderOverdueRows(store.overdueBoards), "Nothing is overdue.")
    );
    guard(drawStats, () => replaceChildren(stats));
    host.querySelectorAll(".claim-row").forEach(updateClaimRow);
    if (focused && !host.contains(document.activeElement)) refocus(focused, place);
  }

  function drawDenied(context) {
    const { items, total } = store.deniedRequests;
    const rows = [
      ...drawRows(items, (row) => renderDeniedRow(row, context)),
      ...renderRest(total - items.length, "denied request")
    ];
    updatePanel(sections.denied, "Denied in 24 h", total, rows, "Nothing was denied.");
  }

  function drawMyCards() {
    const { items, total } = store.mine;
    const link = { label: "All my cards", href: pageUrl("/my-cards") };
    updatePanel(sections.mine, "My cards", total, renderGroups(items), noCardsText(), link);
  }

  function drawAgents(context) {
    const sorted = [...store.agents].sort((first, second) => second.claims.length - first.claims.length);
    const rows = drawRows(sorted, (agent) => renderAgentRow(agent, context));
    updatePanel(sections.agents, "Agents", sorted.length, rows, noAgentsText());
  }

  function drawCatchUp(context) {
    const { items, total } = store.catchUp;
    const seen = { label: "Mark all as seen", run: markSeen };
    const open = ({ projectId, cardKey }) => boardUrl(projectId, cardKey);
    const rows = drawRows(items, (entry) => renderCatchUpRow(entry, context), { open });
    const more = total - rows.length;
    const end = more > 0 ? `And ${formatCount(more, "card")} before these.` : "Then you are up to date.";
    if (rows.length) rows.push(h("li.item.muted", end));
    updatePanel(sections.catchUp, "Since your last visit", total, rows, UP_TO_DATE, rows.length ? seen : null);
  }

  async function markSeen() {
    try {
      await store.markSeen();
      announce("You are up to date.");
    } catch (error) {
      showError("Nothing was marked", errorText(error), "seen");
    }
  }

  /** Return whether the user may decide move requests (`transition`) or answer questions (`comment`). */
  function canPerform(action) {
    return Object.hasOwn(store.waiting, action === "transition" ? "move_request" : "question");
  }

  function listItems() {
    return [...host.querySelectorAll(".item[data-id]")];
  }

  function drawStats() {
    const inWork = store.agents.reduce((sum, { claims }) => sum + claims.length, 0);
    const approved = store.agents.filter(({ status }) => status === "approved");
    const working = approved.filter(({ claims }) => claims.length).length;
    const shown = [
      [formatNumber(inWork), "cards in work"],
      [`${formatNumber(working)} / ${formatNumber(approved.length)}`, "agents at work"],
      [formatNumber(store.deniedRequests.total), "denied in 24 h"],
      [formatNumber(store.counts.overdue_card ?? 0), "overdue"]
    ];
    const stat = ([value, label]) => h("div", h("dt", label), h("dd", value));
    replaceChildren(stats, shown.map(stat));
  }

  /** Keep the focus; if the focused row is gone, focus the row in its place. */
  function refocus(id, place) {
    const rows = listItems();
    (rows.find((row) => row.dataset.id === id) ?? rows[Math.min(Math.max(place, 0), rows.length - 1)])?.focus();
  }

  function drawFreeze() {
    freeze.hidden = !organization.isArchitect || Boolean(organization.freeze);
  }

  /** Show the first steps to architects: of a new organization until all are done, or those who want to see them again. */
  async function openGettingStarted() {
    const isWanted = isReopened || !localStorage.getItem(`tandem.begun.${organization.id}`);
    if (stopGettingStarted || !organization.isArchitect || !isWanted) return;
    stopGettingStarted = () => (isLeft = true);
    const showGettingStarted = await loadGettingStarted();
    if (!isLeft) stopGettingStarted = showGettingStarted(gettingStarted, isReopened);
  }

  function leave() {
    stopGettingStarted?.();
    organization.removeEventListener("change", openGettingStarted);
    closeCard();
    clearTimeout(loadingTimer);
    unbind();
    store.close();
    organization.removeEventListener("change", drawFreeze);
  }

  return keepClaimsCurrent(host, { title: "Home", refresh: () => store.load(), leave });
}

/** Return what is shown without cards: to members without a board, too, who cannot create one. */
function noCardsText() {
  if (organization.projects.length > 0) return "No open cards are assigned to you. They will be listed here by due date.";
  if (organization.isArchitect) return "There are no boards yet. Your cards will be listed here.";
  return "There are no boards yet. A Solution Architect creates the first one; then you can add cards to it.";
}

function noAgentsText() {
  const text = "No agents yet. An agent registers with an API key, and works once a Solution Architect has approved it.";
  const link = h("a.link", { href: pageUrl("/?start=1") }, "Connect an agent");
  return organization.isArchitect ? [text, " ", link] : text;
}
