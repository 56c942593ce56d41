// The board page.

import { closest, h, reconcile, replaceChildren } from "../core/dom.js";
import { errorText } from "../core/error-text.js";
import { formatCount } from "../core/format.js";
import { guard } from "../core/guard.js";
import { live } from "../core/live.js";
import { findOrganizationOfBoard, organization } from "../core/organization.js";
import { boardUrl, navigate, parseAddress } from "../core/router.js";
import { agentBadges } from "../ui/avatar.js";
import { filterQuery, parseFilter, searchUrl, toggleFilter } from "../ui/filter/filter.js";
import { MoveAnimation } from "./move-animation.js";
import { approveMove, rejectMove } from "../ui/move-request.js";
import { announce } from "../ui/toast.js";
import { applyEmptyColumns, ColumnView } from "./column.js";
import { BoardHeader } from "./header.js";
import { boardNames } from "./names.js";
import { renderBoardError, renderEmptyBoard, showLoadingBoard } from "./placeholders.js";
import { getBoard } from "./store.js";

/** @import { NewsEvent, ServiceEvent } from "../core/live.js" */
/** @import { Changes } from "./store.js" */

const PLACEHOLDER_DELAY_MILLISECONDS = 150; // before placeholders are shown
const CLAIM_MILLISECONDS = 1000; // between two updates of the time that is left of claims
const SUMMARY_MILLISECONDS = 10_000; // between two announcements of changes by others

/** Show a board in `host`. The returned page has its title and the methods that the router calls. */
export function show(host, address, tools) {
  return new BoardPage(host, address, tools);
}

/** The page of a board. Its shortcuts, its selection and its menus use the board, the views of its columns and the focus. */
class BoardPage {
  title = "Board";
  board = null; // once it is loaded
  /** @type {Map<string, ColumnView>} */
  views = new Map(); // the columns that are shown, by id
  badges = new Map(); // of the agents, by id
  matching = null; // the module that finds matching cards, loaded with the first filter
  dialog = null; // the open card dialog: {card, close}
  unregister = () => {}; // removes the shortcuts, once they are loaded
  selection = null; // once it is loaded
  columnEditing = null; // what changes columns, once it is needed
  changedByOthers = 0; // how many cards, since the last announcement
  left = new AbortController(); // its signal removes what listens for this page
  columnsElement = h("div.columns", { tabindex: "-1", "aria-busy": "true" });
  message = h("div.board-message", { role: "status" });

  constructor(host, address, { loadCardDialog, setTitle }) {
    this.host = host;
    this.project = address.project;
    this.filter = parseFilter(address.query);
    this.loadCardDialog = loadCardDialog;
    this.setTitle = setTitle;
    this.header = new BoardHeader({
      filtered: (filter, isTyped) => this.applyFilter(filter, isTyped),
      add: () => this.add(),
      me: () => this.getUserId()
    });
    this.motion = new MoveAnimation((id) => [...this.views.values()].map(({ list }) => list.nodes.get(id)).find(Boolean));
    replaceChildren(host, this.header.element, this.message, this.columnsElement);
    this.interaction = this.loadInteraction(); // in parallel with the first paint
    this.listen();
    this.drawOrganization();
    this.load(address.card);
  }

  listen() {
    const { signal } = this.left;
    this.columnsElement.addEventListener("click", (event) => this.handleClick(event));
    this.columnsElement.addEventListener("focusin", ({ target }) => this.handleFocus(target));
    organization.addEventListener("change", () => this.drawOrganization(), { signal });
    for (const moment of ["beforeprint", "afterprint"]) addEventListener(moment, (event) => this.print(event), { signal });
    this.claimTimer = setInterval(() => this.updateClaims(), CLAIM_MILLISECONDS);
    this.summaryTimer = setInterval(() => this.announceChanges(), SUMMARY_MILLISECONDS);
  }

  get isLeft() {
    return this.left.signal.aborted;
  }

  // Loading

  async load(card) {
    const placeholderTimer = setTimeout(() => showLoadingBoard(this.columnsElement), PLACEHOLDER_DELAY_MILLISECONDS);
    const board = getBoard(this.project);
    if (card) this.openCard(board, card);
    try {
      await Promise.all([board.ready, this.filter && this.loadMatching()]);
    } catch (error) {
      clearTimeout(placeholderTimer);
      return this.showError(error);
    }
    clearTimeout(placeholderTimer);
    if (board.isClosed || this.isLeft) return;
    this.board = board;
    board.addEventListener("change", (event) => this.followBoard(event), { signal: this.left.signal });
    board.addEventListener("gone", ({ error }) => this.showError(error));
    replaceChildren(this.columnsElement);
    this.draw();
    performance.mark("tandem.board");
    await Promise.all([this.interaction, this.columnEditing]);
    this.columnsElement.removeAttribute("aria-busy");
  }

  /** Load shortcuts, dragging and selection, which the first paint does not need. */
  async loadInteraction() {
    const [{ registerBoardShortcuts }, { enableCardDragging }, { enableSelection }, { enableFileDrop }] = await Promise.all([
      import("./shortcuts.js"),
      import("./card-dragging.js"),
      import("./selection.js"),
      import("./file-drop.js")
    ]);
    if (this.isLeft) return;
    enableCardDragging(this.columnsElement, this);
    enableFileDrop(this.columnsElement, () => this.board);
    this.unregister = registerBoardShortcuts(this);
    this.selection = enableSelection(this, this.columnsElement);
  }

  async loadMatching() {
    this.matching ??= await import("./filter-matching.js");
  }

  async showError(error) {
    const orgId = error.status === 404 ? await findOrganizationOfBoard(this.project) : null;
    if (orgId)
      return (await import("../ui/switch-organization.js")).switchOrganization(orgId, location.pathname + location.search);
    if (this.isLeft) return;
    this.title = "Board";
    replaceChildren(this.host, renderBoardError(error, errorText(error)));
    /** @param {ServiceEvent} event */
    const isBack = ({ type, projectId }) => type === "project.restored" && projectId === this.project;
    /** @param {NewsEvent} event */
    const reload = ({ events }) => events.some(isBack) && location.reload();
    live.addEventListener("news", reload, { signal: this.left.signal });
  }

  refresh() {
    return this.board?.load();
  }

  leave() {
    this.left.abort();
    clearInterval(this.claimTimer);
    clearInterval(this.summaryTimer);
    this.unregister();
    this.selection?.leave();
    this.header.leave();
    this.dialog?.close();
    this.dialog = null; // one that is still being loaded does not open over the next page
  }

  // Drawing

  /** Render the columns, the header and all cards. */
  draw() {
    const { board, views, columnsElement } = this;
    this.badges = agentBadges(board.agents);
    for (const [id, { element }] of views) if (!board.column(id)) (element.remove(), views.delete(id));
    for (const column of board.columns)
      if (!views.has(column.id)) views.set(column.id, new ColumnView(board, column, this.badges));
    const others = [...columnsElement.children].filter((element) => !element.matches(".column"));
    reconcile(columnsElement, [...this.listViews().map(({ element }) => element), ...others]);
    this.title = board.project.title;
    this.drawAllCards();
    this.setTitle(this.title);
    this.drawColumnEditing();
  }

  drawAllCards() {
    if (this.board && !this.isLeft) this.drawCards(new Set(this.board.order.keys()));
  }

  /** Render the cards of columns that the filter shows, and what counts them. */
  drawCards(columns) {
    const { board, views, filter, badges } = this;
    const test = filter && this.matching.createMatcher(board, filter, this.getUserId());
    const isShown = (card) =>
      guard(
        () => test(card),
        () => true
      );
    for (const id of columns) {
      const order = board.order.get(id) ?? [];
      const ids = test ? order.filter((id) => isShown(board.cards.get(id))) : order;
      views.get(id)?.set(ids, badges, order.length);
    }
    const found = [...views.values()].reduce((sum, view) => sum + view.list.ids.length, 0);
    guard(
      () => this.header.update(board, filter, badges, found),
      () => {}
    );
    applyEmptyColumns(this.columnsElement, board);
    this.drawMessage(found);
  }

  /** Say why no card is shown, when the board or the filter has none. */
  drawMessage(found) {
    const { board, filter } = this;
    const isEmpty = board.cards.size === 0;
    const isNoMatch = filter && found === 0;
    this.message.hidden = !isEmpty && !isNoMatch;
    replaceChildren(this.message, isEmpty ? renderEmptyBoard(board, () => this.add()) : isNoMatch && renderNoMatch(filter));
  }

  /**
   * Draw what has changed, and keep the focus.
   * @param {Changes} changes
   */
  followBoard({ columns, cards, frame, changed, updated }) {
    const { board, motion, views } = this;
    const before = this.getFocusedId();
    const moving = motion.before(changed);
    for (const view of views.values()) view.list.discardHeights(cards);
    for (const id of cards) if (board.cards.has(id)) columns.add(board.cards.get(id).columnId);
    if (frame) this.draw();
    else this.drawCards(columns);
    motion.after(moving);
    this.selection?.draw();
    const isLost = before && !this.getFocusedId() && board.cards.has(before);
    if (isLost && !document.querySelector("dialog:modal")) this.focus(before);
    this.changedByOthers += [...updated].filter((id) => !board.writing.has(id)).length;
  }

  drawOrganization() {
    this.columnsElement.classList.toggle("frozen-agents", Boolean(organization.freeze));
    this.drawColumnEditing();
    if (this.filter) this.drawAllCards(); // the user may be known only now
  }

  /** Let users who may change columns do so on the board. */
  async drawColumnEditing() {
    if (!this.board || !(this.columnEditing || organization.isArchitect)) return;
    this.columnEditing ??= import("./column-editing.js").then(
      ({ enableColumnEditing }) => enableColumnEditing(this, this.columnsElement),
      () => (this.columnEditing = null) // without a connection
    );
    (await this.columnEditing)?.draw();
  }

  /** A printer needs all cards, the window only those near the visible ones. */
  print({ type }) {
    for (const { list } of this.views.values()) list.renderAll(type === "beforeprint");
  }

  updateClaims() {
    if (!document.hidden) this.views.forEach((view) => view.updateClaims());
  }

  announceChanges() {
    if (this.changedByOthers) announce(`${formatCount(this.changedByOthers, "card")} changed.`);
    this.changedByOthers = 0;
  }

  // Address: the filter and the open card

  update({ project, card }) {
    if (project !== this.project) return false;
    if (JSON.stringify(readFilter()) !== JSON.stringify(this.filter)) this.showFiltered();
    if (this.dialog && this.dialog.card !== card) this.dialog.close();
    if (card && this.dialog?.card !== card) this.openCard(getBoard(project), card);
    return true;
  }

  /** Show the cards that fit the filter in the address, which may have changed again when what it needs is loaded. */
  async showFiltered() {
    if (readFilter()) await this.loadMatching();
    this.filter = readFilter();
    this.drawAllCards();
  }

  /** Put a filter into the address. What is typed is one entry of its history only. */
  applyFilter(newFilter, isTyped = false) {
    navigate(boardUrl(this.project, parseAddress(location.href).card, filterQuery(newFilter)), isTyped);
  }

  filterByUser() {
    this.applyFilter(toggleFilter(this.filter, "assignedUserId", "me"));
  }

  async openCard(board, card) {
    const opening = { card, close: () => {} };
    const closed = () => this.handleClosed(board, opening);
    this.dialog = opening;
    const openDialog = await this.loadCardDialog().catch((error) => {
      closed(); // so that the card can be opened again
      throw error;
    });
    const findNeighbor = (step) => this.findNeighbor(this.findCard(card), step);
    if (this.dialog === opening) opening.close = openDialog(board, card, closed, findNeighbor);
  }

  /** Go back to the board from a card dialog that was closed, unless another one is open. */
  handleClosed(board, opening) {
    if (this.dialog !== opening || this.isLeft) return;
    this.dialog = null;
    navigate(boardUrl(board.id, null, location.search));
    const id = this.findCard(opening.card)?.id;
    if (id) this.focus(id);
  }

  /** Return the card that an address names: by its key, in small letters and with a number sign, too, or by its id. */
  findCard(name) {
    const names = [name, name.replace("#", "").toUpperCase()];
    return this.board && [...this.board.cards.values()].find(({ id, key }) => id === name || names.includes(key));
  }

  /** Return the card that is shown `step` places below another one in its column. */
  findNeighbor(card, step) {
    const list = this.views.get(card?.columnId)?.list;
    const at = list?.indexOf(card.id); // none while the filter hides the card
    return at === undefined ? null : this.board.cards.get(list.ids[at + step]);
  }

  // Cards: the focus, and what is done with them

  getUserId() {
    return organization.me?.id;
  }

  listViews() {
    return this.board.columns.map(({ id }) => this.views.get(id));
  }

  /** Return the view of the column that a card is in. */
  findView(id) {
    return this.views.get(this.board.cards.get(id)?.columnId);
  }

  /** Return the tile of a card, if it is rendered. */
  findTile(id) {
    return /** @type {HTMLElement | undefined} */ (this.findView(id)?.list.nodes.get(id)?.firstChild);
  }

  getFocusedId() {
    return closest(document.activeElement, "li.card")?.dataset.id ?? null;
  }

  focus(id) {
    const view = this.findView(id);
    if (!view?.list.reveal(id)) return;
    view.setCurrent(id);
    this.findTile(id)?.focus({ preventScroll: true });
  }

  focusFirst() {
    const view = this.listViews().find((candidate) => candidate.list.ids.length && !candidate.isCollapsed);
    if (view) this.focus(view.current ?? view.list.ids[0]);
  }

  /** Make the focused card the one that Tab returns to. */
  handleFocus(target) {
    const id = target.closest("li.card")?.dataset.id;
    const view = id && this.findView(id);
    if (view && view.current !== id) view.setCurrent(id);
  }

  /** Open the field for new cards of a column, of the first one without an id. */
  add(columnId = this.board?.columns[0]?.id) {
    this.views.get(columnId)?.add();
  }

  /** Open the actions of a card, or decide its move request. */
  async handleClick({ target }) {
    const { board } = this;
    const button = target.closest("[data-do]");
    const card = button && board.cards.get(button.closest("li").dataset.id);
    if (card && button.dataset.do === "actions") return (await import("./card-actions.js")).openCardActions(this, card, button);
    if (!card?.request) return;
    const names = boardNames(board);
    if (button.dataset.do === "approve") await approveMove(card.request.id, card.title, names);
    else await rejectMove({ ...card.request, cardId: card.id }, card.title, names.actor(card.request.requestedBy), names);
    board.refresh();
  }
}

function readFilter() {
  return parseFilter(parseAddress(location.href).query);
}

function renderNoMatch(filter) {
  const everywhere = h("a.link", { href: searchUrl(filter) }, "Search everywhere");
  return h("p.row.wrap", "No card matches the filter.", filter.q && everywhere);
}
