// The board page.

import { closest, h, reconcile, replaceChildren } from "../core/dom.js";
import { errorText } from "../core/error-text.js";
import { formatCount } from "../core/format.js";
import { guard } from "../core/guard.js";
import { findOrganizationOfBoard, organization } from "../core/organization.js";
import { boardUrl, navigate, parseAddress } from "../core/router.js";
import { agentBadges } from "../ui/avatar.js";
import { filterQuery, parseFilter, searchUrl, toggleFilter } from "../ui/filter/filter.js";
import { MoveAnimation } from "./move-animation.js";
import { approveMove, rejectMove } from "../ui/move-request.js";
import { announce } from "../ui/toast.js";
import { applyEmptyColumns, ColumnView } from "./column.js";
import { createBoardHeader } from "./header.js";
import { boardNames } from "./names.js";
import { renderBoardError, renderEmptyBoard, showLoadingBoard } from "./placeholders.js";
import { getBoard } from "./store.js";

const PLACEHOLDER_DELAY_MILLISECONDS = 150; // before placeholders are shown
const SUMMARY_MILLISECONDS = 10_000; // between two announcements of changes by others

/** Show a board in `host`. The returned screen has its title and the methods that the router calls. */
export function show(host, address, { loadCardDialog, setTitle }) {
  const { project } = address;
  const views = new Map();
  const header = createBoardHeader({ filtered: applyFilter, add: () => add(), me: getUserId });
  const columnsElement = h("div.columns", { tabindex: "-1", "aria-busy": "true" });
  const message = h("div.board-message", { role: "status" });
  const screen = { title: "Board", update, leave, refresh: () => screen.board?.load(), views, head: header };
  Object.assign(screen, {
    columns: listViews,
    focused,
    focus,
    focusFirst,
    node: nodeOf,
    add,
    only: filterByUser,
    me: getUserId
  });
  const motion = new MoveAnimation((id) => [...views.values()].find(({ list }) => list.nodes.has(id))?.list.nodes.get(id));
  let filter = parseFilter(address.query);
  let matching = null; // what finds matching cards, loaded with the first filter
  let badges = new Map();
  let changedByOthers = 0;
  let dialog = null; // the open card dialog: {card, close}
  let isLeft = false;

  replaceChildren(host, header.element, message, columnsElement);
  let unbind = () => {};
  let selection = null;
  let columnEditing = null; // what changes columns, once it is needed
  const interaction = loadInteraction(); // in parallel with the first paint
  columnsElement.addEventListener("click", decide);
  columnsElement.addEventListener("focusin", ({ target }) => handleFocus(target));
  organization.addEventListener("change", drawOrganization);
  drawOrganization();
  addEventListener("beforeprint", print);
  addEventListener("afterprint", print);
  const claimTimer = setInterval(() => document.hidden || views.forEach((view) => view.updateClaims()), 1000);
  const summaryTimer = setInterval(summarize, SUMMARY_MILLISECONDS);
  open(address);

  async function open({ card }) {
    const placeholderTimer = setTimeout(() => showLoadingBoard(columnsElement), PLACEHOLDER_DELAY_MILLISECONDS);
    const board = getBoard(project);
    if (card) openCard(board, card);
    try {
      await Promise.all([board.ready, filter && loadMatching()]);
    } catch (error) {
      clearTimeout(placeholderTimer);
      return failed(error);
    }
    clearTimeout(placeholderTimer);
    if (board.isClosed) return;
    screen.board = board;
    board.addEventListener("change", change);
    board.addEventListener("gone", ({ error }) => failed(error));
    replaceChildren(columnsElement);
    draw();
    performance.mark("tandem.board");
    await Promise.all([interaction, columnEditing]);
    columnsElement.removeAttribute("aria-busy");
  }

  /** Load shortcuts, dragging and selection, which the first paint does not need. */
  async function loadInteraction() {
    const [{ registerBoardShortcuts }, { enableCardDragging }, { enableSelection }, { enableFileDrop }] = await Promise.all([
      import("./shortcuts.js"),
      import("./card-dragging.js"),
      import("./selection.js"),
      import("./file-drop.js")
    ]);
    if (isLeft) return;
    enableCardDragging(columnsElement, () => ({ board: screen.board, views, isFiltered: filter !== null }));
    enableFileDrop(columnsElement, () => screen.board);
    const unregister = registerBoardShortcuts(screen, screen.me);
    selection = enableSelection(screen, columnsElement);
    unbind = () => (unregister(), selection.leave());
  }

  async function failed(error) {
    const orgId = error.status === 404 ? await findOrganizationOfBoard(project) : null;
    if (orgId)
      return (await import("../ui/switch-organization.js")).switchOrganization(orgId, location.pathname + location.search);
    if (isLeft) return;
    screen.title = "Board";
    replaceChildren(host, renderBoardError(error, errorText(error)));
  }

  /** Render the columns, the header and all cards. */
  function draw() {
    const { board } = screen;
    badges = agentBadges(board.agents);
    for (const id of views.keys()) if (!board.column(id)) (views.get(id).element.remove(), views.delete(id));
    for (const column of board.columns) if (!views.has(column.id)) views.set(column.id, new ColumnView(board, column, badges));
    const others = [...columnsElement.children].filter((element) => !element.matches(".column"));
    reconcile(columnsElement, [...listViews().map(({ element }) => element), ...others]);
    screen.title = board.project.title;
    showCards(new Set(board.order.keys()));
    setTitle(screen.title);
    drawColumnEditing();
  }

  function showCards(columns) {
    const { board } = screen;
    const test = filter && matching.createMatcher(board, filter, getUserId());
    for (const id of columns) {
      const order = board.order.get(id) ?? [];
      const ids = test
        ? order.filter((id) =>
            guard(
              () => test(board.cards.get(id)),
              () => true
            )
          )
        : order;
      views.get(id)?.set(ids, badges, order.length);
    }
    const found = [...views.values()].reduce((sum, view) => sum + view.list.ids.length, 0);
    guard(
      () => header.update(board, filter, badges, found),
      () => {}
    );
    applyEmptyColumns(columnsElement, board);
    const isEmpty = board.cards.size === 0;
    message.hidden = isEmpty ? false : found > 0 || !filter;
    replaceChildren(message, isEmpty ? renderEmptyBoard(board, add) : message.hidden ? null : renderNoMatch());
  }

  function renderNoMatch() {
    const everywhere = h("a.link", { href: searchUrl(filter) }, "Search everywhere");
    return h("p.row.wrap", "No card matches the filter.", filter.q && everywhere);
  }

  function change({ columns, cards, frame, changed, updated }) {
    const before = focused();
    const moving = motion.before(changed);
    for (const view of views.values()) view.list.discardHeights(cards);
    for (const id of cards) if (screen.board.cards.has(id)) columns.add(screen.board.cards.get(id).columnId);
    if (frame) draw();
    else showCards(columns);
    motion.after(moving);
    selection?.draw();
    if (before && !focused() && screen.board.cards.has(before) && !document.querySelector("dialog:modal")) focus(before);
    changedByOthers += [...updated].filter((id) => !screen.board.writing.has(id)).length;
  }

  function drawOrganization() {
    columnsElement.classList.toggle("frozen-agents", Boolean(organization.freeze));
    drawColumnEditing();
    if (filter) showAllCards(); // the user may be known only now
  }

  /** Let users who may change columns do so on the board. */
  async function drawColumnEditing() {
    if (!screen.board || !(columnEditing || organization.isArchitect)) return;
    columnEditing ??= import("./column-editing.js").then(
      ({ enableColumnEditing }) => enableColumnEditing(screen, columnsElement),
      () => (columnEditing = null) // without a connection
    );
    (await columnEditing)?.draw();
  }

  /** A printer needs all cards, the window only those near the visible ones. */
  function print({ type }) {
    for (const { list } of views.values()) list.renderAll(type === "beforeprint");
  }

  function summarize() {
    if (changedByOthers) announce(`${formatCount(changedByOthers, "card")} changed.`);
    changedByOthers = 0;
  }

  async function loadMatching() {
    matching ??= await import("./filter-matching.js");
  }

  /** Show the cards that fit the filter in the address, which may have changed again when what it needs is loaded. */
  async function showFiltered() {
    if (readFilter()) await loadMatching();
    filter = readFilter();
    showAllCards();
  }

  function readFilter() {
    return parseFilter(parseAddress(location.href).query);
  }

  function showAllCards() {
    if (screen.board && !isLeft) showCards(new Set(screen.board.order.keys()));
  }

  function update(address) {
    if (address.project !== project) return false;
    if (JSON.stringify(readFilter()) !== JSON.stringify(filter)) showFiltered();
    if (dialog && dialog.card !== address.card) dialog.close();
    if (address.card && dialog?.card !== address.card) openCard(getBoard(address.project), address.card);
    return true;
  }

  async function openCard(board, card) {
    const opening = (dialog = { card, close: () => {} });
    const closed = () => {
      if (dialog !== opening || isLeft) return;
      dialog = null;
      navigate(boardUrl(board.id, null, location.search));
      const id = findCard(card)?.id;
      if (id) focus(id);
    };
    const openDialog = await loadCardDialog().catch((error) => {
      closed(); // so that the card can be opened again
      throw error;
    });
    if (dialog === opening) opening.close = openDialog(board, card, closed, (step) => findNeighbor(findCard(card), step));
  }

  /** Return the card that an address names: by its key, in small letters and with a number sign, too, or by its id. */
  function findCard(name) {
    const names = [name, name.replace("#", "").toUpperCase()];
    return screen.board && [...screen.board.cards.values()].find(({ id, key }) => id === name || names.includes(key));
  }

  /** Return the card that is shown `step` places below another one in its column. */
  function findNeighbor(card, step) {
    const list = views.get(card?.columnId)?.list;
    const at = list?.indexOf(card.id); // none while the filter hides the card
    return at === undefined ? null : screen.board.cards.get(list.ids[at + step]);
  }

  /** Put a filter into the address. What is typed is one entry of its history only. */
  function applyFilter(newFilter, isTyped = false) {
    navigate(boardUrl(project, parseAddress(location.href).card, filterQuery(newFilter)), isTyped);
  }

  function filterByUser() {
    applyFilter(toggleFilter(filter, "assignedUserId", "me"));
  }

  function getUserId() {
    return organization.me?.id;
  }

  function listViews() {
    return screen.board.columns.map(({ id }) => views.get(id));
  }

  function focused() {
    return closest(document.activeElement, "li.card")?.dataset.id ?? null;
  }

  function nodeOf(id) {
    return views.get(screen.board.cards.get(id)?.columnId)?.list.nodes.get(id)?.firstChild;
  }

  function focus(id) {
    const view = views.get(screen.board.cards.get(id)?.columnId);
    if (!view?.list.reveal(id)) return;
    view.setCurrent(id);
    nodeOf(id)?.focus({ preventScroll: true });
  }

  function focusFirst() {
    const view = listViews().find((candidate) => candidate.list.ids.length && !candidate.isCollapsed);
    if (view) focus(view.current ?? view.list.ids[0]);
  }

  /** Make the focused card the one that Tab returns to. */
  function handleFocus(target) {
    const node = target.closest("li.card");
    const view = node && views.get(screen.board.cards.get(node.dataset.id)?.columnId);
    if (!view || view.current === node.dataset.id) return;
    view.setCurrent(node.dataset.id);
  }

  function add(columnId = screen.board?.columns[0]?.id) {
    views.get(columnId)?.add();
  }

  async function decide(event) {
    const button = event.target.closest("[data-do]");
    const card = button && screen.board.cards.get(button.closest("li").dataset.id);
    if (card && button.dataset.do === "actions") return (await import("./card-actions.js")).openCardActions(screen, card, button);
    if (!card?.request) return;
    const names = boardNames(screen.board);
    if (button.dataset.do === "approve") await approveMove(card.request.id, card.title, names);
    else await rejectMove({ ...card.request, cardId: card.id }, card.title, names.actor(card.request.requestedBy), names);
    screen.board.refresh();
  }

  function leave() {
    isLeft = true;
    clearInterval(claimTimer);
    clearInterval(summaryTimer);
    unbind();
    header.leave();
    organization.removeEventListener("change", drawOrganization);
    removeEventListener("beforeprint", print);
    removeEventListener("afterprint", print);
    dialog?.close();
    screen.board?.removeEventListener("change", change);
  }

  return screen;
}
