// Home: the cards and decisions that wait for the user, then agents, then recent changes.

import { get } from "../core/api.js";
import { closest, h, replaceChildren } from "../core/dom.js";
import { errorText } from "../core/error-text.js";
import { formatNumber } from "../core/format.js";
import { guard } from "../core/guard.js";
import { icon } from "../core/icons.js";
import { organization, orgPath } from "../core/organization.js";
import { handlerWhile, registerShortcuts, shortcutAttributes } from "../core/shortcuts.js";
import { agentBadges } from "../ui/avatar.js";
import { keepClaimsCurrent, updateClaimRow } from "../ui/claim.js";
import { freezeAgents } from "../ui/freeze.js";
import { announce, showError } from "../ui/toast.js";
import { drawPanel, updatePanel } from "./panel.js";
import { PANELS } from "./panels.js";
import { clickInRow, openCardsOver, rowShortcuts } from "./rows.js";
import { HomeStore } from "./store.js";

const PLACEHOLDER_DELAY_MILLISECONDS = 150; // until a placeholder is shown

export function show(host, address, tools) {
  const page = new HomePage(host, address, tools);
  return keepClaimsCurrent(host, { title: "Home", refresh: () => page.store.load(), leave: () => page.leave() });
}

class HomePage {
  store = new HomeStore();
  columns = new Map(); // the titles of the columns of all boards, by id
  hasBegun = false; // whether the first steps are shown, or being loaded
  stopGettingStarted = () => {};
  left = new AbortController(); // its signal removes what listens for this page
  problem = h("p.problem", { role: "alert", hidden: true });
  loading = h("p.muted", { role: "status" }, "Loading …");
  retryButton = h("button.button.small", { click: () => this.store.load() }, "Try again");
  freezeButton = h("button.button", { ...shortcutAttributes("agents.freeze"), click: freezeAgents });
  gettingStarted = h("div"); // the first steps of a new organization
  stats = h("dl.stats");
  hint = h("p.small.muted", { hidden: true }, "You don't have permission to move cards, so others decide.");
  panels = Object.fromEntries(Object.keys(PANELS).map((name) => [name, h("section")]));
  names = {
    column: (id) => this.columns.get(id) ?? "another column",
    field: () => "a field",
    card: () => "another card"
  };

  constructor(host, address, { loadCardDialog, loadGettingStarted }) {
    this.host = host;
    this.loadGettingStarted = loadGettingStarted;
    this.isReopened = address.query.has("start");
    this.body = this.render();
    this.loadingTimer = setTimeout(() => this.body.prepend(this.loading), PLACEHOLDER_DELAY_MILLISECONDS);
    this.unregister = registerShortcuts(this.listShortcuts());
    this.closeCard = openCardsOver(this.body, loadCardDialog, () => this.store.load());
    this.store.addEventListener("change", () => this.draw());
    organization.addEventListener("change", () => this.followOrganization(), { signal: this.left.signal });
    this.followOrganization();
    this.readColumns();
  }

  render() {
    const { panels, stats, hint, freezeButton } = this;
    replaceChildren(freezeButton, icon("snow"), "Freeze all agents…");
    const mine = h("div", panels.mine, panels.waiting);
    const agents = h("div.home-agents", stats, panels.others, hint, panels.agents, panels.denied, panels.overdue);
    const columns = h("div.home-columns", mine, agents, panels.catchUp);
    const body = h("div.page-body", { tabindex: "-1" }, this.problem, this.gettingStarted, columns);
    replaceChildren(this.host, h("header.head", h("h1", "Home"), h("span.spacer"), freezeButton), body);
    return body;
  }

  listShortcuts() {
    const hasUnseen = () => this.store.catchUp.items.length > 0;
    return {
      ...rowShortcuts(this.host),
      "home.seen": handlerWhile(hasUnseen, () => this.markSeen()),
      "request.approve": clickInRow("[data-do=Approve]"),
      "request.reject": clickInRow("[data-do^=Reject]")
    };
  }

  leave() {
    this.left.abort();
    this.stopGettingStarted();
    this.closeCard();
    clearTimeout(this.loadingTimer);
    this.unregister();
    this.store.close();
  }

  // Loading

  async readColumns() {
    try {
      for (const { id, title } of await get(orgPath("/columns"))) this.columns.set(id, title);
      if (this.store.agents.length || this.store.items.length) this.draw();
    } catch {
      // The rows omit the names of columns.
    }
  }

  followOrganization() {
    this.freezeButton.hidden = !organization.isArchitect || Boolean(organization.freeze);
    this.openGettingStarted();
  }

  /** Show the first steps to architects: of a new organization until all are done, or those who want to see them again. */
  async openGettingStarted() {
    const isWanted = this.isReopened || !localStorage.getItem(`tandem.begun.${organization.id}`);
    if (this.hasBegun || !organization.isArchitect || !isWanted) return;
    this.hasBegun = true;
    const showGettingStarted = await this.loadGettingStarted();
    if (!this.left.signal.aborted) this.stopGettingStarted = showGettingStarted(this.gettingStarted, this.isReopened);
  }

  // Drawing

  draw() {
    const { store, problem } = this;
    problem.hidden = !store.error;
    if (store.error) replaceChildren(problem, errorText(store.error), " ", this.retryButton);
    if (!store.isRead && !store.error) return; // not loaded yet, which differs from an empty list
    clearTimeout(this.loadingTimer);
    this.loading.remove();
    if (store.isRead) this.drawPanels();
  }

  /** Draw the panels; keep the focus, if its row is gone at the row in its place. */
  drawPanels() {
    const { host, store, panels } = this;
    const focused = closest(document.activeElement, ".item")?.dataset.id;
    const place = this.listRows().findIndex((row) => row.dataset.id === focused);
    const context = this.createContext();
    for (const [name, { title, count, rows, empty, action }] of Object.entries(PANELS))
      drawPanel(panels[name], title, () =>
        updatePanel(panels[name], title, count(store), rows(store, context), empty(), action?.(store, context))
      );
    this.hint.hidden = this.isAllowed("transition") || !store.counts.move_request;
    guard(
      () => this.drawStats(),
      () => replaceChildren(this.stats)
    );
    host.querySelectorAll(".claim-row").forEach(updateClaimRow);
    if (focused && !host.contains(document.activeElement)) this.focusRow(focused, place);
  }

  /** Return what the rows need. */
  createContext() {
    const { store, names } = this;
    return {
      names,
      agents: store.agents,
      badges: agentBadges(store.agents),
      done: () => store.load(),
      may: (action) => this.isAllowed(action),
      markSeen: () => this.markSeen()
    };
  }

  drawStats() {
    const { agents, deniedRequests, counts } = this.store;
    const inWork = agents.reduce((sum, { claims }) => sum + claims.length, 0);
    const approved = agents.filter(({ status }) => status === "approved");
    const working = approved.filter(({ claims }) => claims.length).length;
    const shown = [
      [formatNumber(inWork), "cards in work"],
      [`${formatNumber(working)} / ${formatNumber(approved.length)}`, "agents at work"],
      [formatNumber(deniedRequests.total), "denied in 24 h"],
      [formatNumber(counts.overdue_card ?? 0), "overdue"]
    ];
    const stat = ([value, label]) => h("div", h("dt", label), h("dd", value));
    replaceChildren(this.stats, shown.map(stat));
  }

  /** @returns {HTMLElement[]} */
  listRows() {
    return [...this.host.querySelectorAll(".item[data-id]")];
  }

  focusRow(id, place) {
    const rows = this.listRows();
    (rows.find((row) => row.dataset.id === id) ?? rows[Math.min(Math.max(place, 0), rows.length - 1)])?.focus();
  }

  // Actions

  async markSeen() {
    try {
      await this.store.markSeen();
      announce("You are up to date.");
    } catch (error) {
      showError("Nothing was marked", errorText(error), "seen");
    }
  }

  /** Return whether the user may decide move requests (`transition`) or answer questions (`comment`). */
  isAllowed(action) {
    return Object.hasOwn(this.store.waiting, action === "transition" ? "move_request" : "question");
  }
}
