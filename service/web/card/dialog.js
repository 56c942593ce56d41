// The card dialog.

import { pageUrl } from "../core/base-path.js";
import { serverNow } from "../core/clock.js";
import { h, replaceChildren, setText } from "../core/dom.js";
import { errorText, problemTexts } from "../core/error-text.js";
import { formatAge, formatCount } from "../core/format.js";
import { icon } from "../core/icons.js";
import { boardUrl, navigate } from "../core/router.js";
import { isTextField, registerShortcuts, shortcutAttributes, suspendShortcuts } from "../core/shortcuts.js";
import { agentBadges } from "../ui/avatar.js";
import { openDialog } from "../ui/dialog.js";
import { acceptFileDrop } from "../ui/file-drop.js";
import { InlineEdit } from "../ui/inline-edit.js";
import { approveMove, rejectMove } from "../ui/move-request.js";
import { announce, showError, showToast } from "../ui/toast.js";
import { archiveCard, boardNames, moveCard, openMoveMenu, restoreCard, showBoardError } from "../board/store.js";
import { actorName } from "./actor.js";
import { createComments } from "./comments.js";
import { createFileField } from "./files.js";
import { renderHistory } from "./history.js";
import { createProperties } from "./properties.js";
import { renderRelations } from "./relations.js";
import { renderMoveList, renderMoveRequest, renderParentAndParts, renderQuestion } from "./requests.js";
import { assignActions, neighborActions, pressedActions } from "./shortcuts.js";
import { OpenCard } from "./store.js";
import { createEndClaimButton, drawClaimant, summaryText } from "./summary.js";

/** @import { GoneEvent, PartsEvent } from "./store.js" */

const COPY = "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z"; // an icon

/**
 * Open a card, given by key or id, over the current page; return a function that closes it. `findNeighbor(step)`
 * returns the card that is shown before (-1) or behind it (1), if the page knows it.
 */
export function openCardDialog(board, name, closed, findNeighbor = () => null) {
  const open = new OpenCard(board, name);
  const breadcrumbs = h("p.breadcrumbs", h("span.muted", "Loading"));
  const copyButton = h(
    "button.plain-button",
    { "aria-label": "Copy the address", ...shortcutAttributes("card.copy") },
    icon("link")
  );
  const closeButton = h("button.plain-button", { "aria-label": "Close" }, icon("close"));
  const main = h("div.card-main");
  const side = h("aside.card-side", { "aria-label": "Properties" });
  const moveButton = h("button.button.main", "Move to …");
  const body = h("div.card-body", { tabindex: "-1" }, main, side);
  const bar = h("div.card-bar", moveButton);
  const content = [h("header.card-head", breadcrumbs, copyButton, closeButton), body, bar];
  const opened = openDialog({ label: "Card", className: "card-dialog", content, closed: leave });
  const unbind = registerShortcuts(
    {
      ...pressedActions(opened.dialog),
      ...assignActions(open, opened.dialog),
      ...neighborActions(board, findNeighbor),
      "card.move.menu": Object.assign(openMoves, { isAvailable: () => open.moves?.length > 0 }),
      "request.approve": Object.assign(() => decide(true), { isAvailable: canDecide }),
      "request.reject": Object.assign(() => decide(false), { isAvailable: canDecide }),
      "card.labels": Object.assign(openLabels, { isAvailable: () => Boolean(findLabels()) })
    },
    opened.dialog
  );
  acceptFileDrop(opened.dialog, addFiles);
  opened.dialog.addEventListener("paste", addPasted);
  const ticking = setInterval(() => drawn && !document.hidden && drawClaimant(open, drawn.places), 1000);
  let drawn = null;
  const changed = new Set(); // the parts to draw again
  let drawnPermissions = ""; // the permissions at the last rendering; a change renders everything again

  closeButton.addEventListener("click", opened.close);
  copyButton.addEventListener("click", copyAddress);
  moveButton.addEventListener("click", openMoves);
  const handleChange = (/** @type {PartsEvent} */ { parts }) => (drawChanged(parts), open.see().catch(() => {}));
  open.addEventListener("change", handleChange);
  open.addEventListener("gone", (/** @type {GoneEvent} */ { error }) => showGone(error));
  const handleBoardChange = ({ cards, frame }) => {
    if (!drawn) return;
    const hasChanged = drawnPermissions !== JSON.stringify(board.can) && !main.querySelector(".editing");
    if (hasChanged) draw();
    else if (frame || cards.has(open.id)) drawChanged(["card", "moves"]);
  };
  board.addEventListener("change", handleBoardChange);
  body.focus();
  open.ready.then(draw, (error) => (error.status === 404 ? showGone(error) : showLoadError(error)));

  function leave() {
    clearInterval(ticking);
    open.close();
    unbind();
    board.removeEventListener("change", handleBoardChange);
    closed();
    return false; // the opener sets the focus
  }

  function draw() {
    if (isElsewhere()) return;
    drawnPermissions = JSON.stringify(board.can);
    const badges = agentBadges(board.agents);
    const canEdit = board.isAllowed("update");
    const { card } = open;
    const title = new InlineEdit({
      open,
      key: "title",
      label: "Title",
      kind: "text",
      maxLength: 500,
      isRequired: true,
      may: canEdit,
      show: (value) => value
    });
    const rows = createProperties(open, badges, canEdit);
    const type = board.type(card.cardTypeId);
    const comments = type?.commentsEnabled !== false ? createComments(open, badges, board.isAllowed("comment")) : null;
    const mayAddFiles = board.isAllowed("create", "File") && type?.filesEnabled !== false;
    const fileFields = open.fields().filter(({ kind }) => kind === "file");
    const files = fileFields.map((field) => createFileField(open, field, mayAddFiles));
    const places = { above: h("div"), works: h("div.value"), ways: h("div.transitions") };
    Object.assign(places, { relations: h("ul.relations"), history: h("ol.history") });
    places.endClaim = createEndClaimButton(open);
    places.foot = h("p.small.muted");
    const section = ({ label, field }) => h("section", h("h3", label), field.element);
    const prose = rows.filter(({ isProse }) => isProse).map(section);
    const isAtStart = [body, main.firstElementChild].includes(document.activeElement);
    const head = h("h2.card-title", { tabindex: "-1" }, title.element);
    const showProperties = () => side.scrollIntoView({ block: "start" });
    places.summary = h("button.summary-line", { click: showProperties });
    replaceChildren(
      main,
      head,
      places.summary,
      places.above,
      prose,
      files.map(({ element }) => element),
      comments?.element
    );
    title.element.dataset.action = "card.edit";
    if (isAtStart) head.focus({ preventScroll: true });
    const short = rows.filter(({ isProse }) => !isProse).map(({ label, field }) => [label, field.element]);
    const pairs = [["Claimed by", [places.works, places.endClaim]], ...short];
    const typeField = new InlineEdit({
      open,
      key: "cardTypeId",
      label: "Type",
      kind: "choice",
      choices: () => board.cardTypes.map(({ id, title: text }) => ({ value: id, label: text })),
      may: canEdit,
      show: (id) => board.type(id)?.title ?? "a type that is gone",
      change: changeType
    });
    pairs.splice(5, 0, ["Type", typeField.element]);
    const list = h(
      "dl",
      pairs.map(([label, value]) => h("div", h("dt", label), h("dd", value)))
    );
    const canMakeParts = board.isAllowed("create") && board.isAllowed("create", "Relationship");
    places.watch = actionButton("card.watch", () => open.toggleWatching());
    const actions = h(
      "div.card-actions",
      places.watch,
      board.isAllowed("create") && actionButton("card.duplicate", duplicate, icon(COPY), "Duplicate"),
      canMakeParts && actionButton("card.split", split, "Split…"),
      board.isAllowed("create") && canEdit && actionButton("card.transfer", transfer, "Move to another board…"),
      board.isAllowed("delete") && actionButton("card.archive", archive, icon("archive"), "Archive")
    );
    const relate = async () => (await suspendShortcuts(import("./add-relation.js"))).addRelation(open);
    const more = board.isAllowed("create", "Relationship") && actionButton("card.relate", relate, "Relate…");
    const addedPart = { "aria-label": "Add a part", placeholder: "Add a part…", keydown: addPart, paste: addPart };
    const partInput = canMakeParts && h("textarea.input", { rows: 1, ...addedPart });
    const relationSection = h("section", h("h3", "Relations"), places.relations, h("div.relate", partInput, more));
    places.before = h("button.button.small", { click: () => open.readEarlier("history") });
    const historySection = h("section", h("h3", "History"), places.history, places.before);
    const moves = h("section.moves", h("h3", "Move to"), places.ways);
    replaceChildren(side, list, moves, relationSection, historySection, actions, places.foot);
    drawn = { title, rows, comments, files, places, related: relationSection, mayAddFiles };
    Object.assign(drawn, { type: typeField, typeId: card.cardTypeId });
    update(new Set(["card", "comments", "history", "relations", "files", "moves"]));
    open.see().catch(() => {}); // repeated at the next change
  }

  /** Follow a card that is on another board, and return whether it is. */
  function isElsewhere() {
    const { projectId, key } = open.card;
    if (projectId === board.id) return false;
    navigate(boardUrl(projectId, key), true);
    return true;
  }

  /** Draw the fields of the type that the card has got. */
  function redraw() {
    const hadFocus = opened.dialog.contains(document.activeElement);
    draw();
    if (hadFocus && !opened.dialog.contains(document.activeElement)) drawn.type.element.querySelector("button")?.focus();
  }

  /**
   * Draw parts again, but not between pressing and releasing something, which would not be clicked then.
   * @param {Iterable<string>} [parts]
   */
  function drawChanged(parts = []) {
    for (const part of parts) changed.add(part);
    if (open.isClosed || changed.size === 0) return;
    if (opened.dialog.querySelector(":active")) return void requestAnimationFrame(() => drawChanged());
    update(changed);
    changed.clear();
  }

  function update(parts) {
    if (!drawn || isElsewhere()) return;
    if (drawn.typeId !== open.card.cardTypeId && !main.querySelector(".editing")) return redraw();
    const { title, rows, comments, files, places, related: relationSection } = drawn;
    const { card } = open;
    if (parts.has("card")) {
      title.update();
      drawn.type.update();
      for (const { field } of rows) field.update();
      const place = board.column(card.columnId)?.title ?? "";
      const home = h("a.muted", { href: boardUrl(board.id) }, board.project.title);
      replaceChildren(breadcrumbs, home, icon("chevron"), h("span", place), h("span.key", card.key));
      opened.dialog.setAttribute("aria-label", `${card.key} ${card.title}`);
      drawClaimant(open, places);
      replaceChildren(places.watch, icon("bell"), card.watching ? "Unwatch" : "Watch");
      setText(places.summary, summaryText(open));
      drawParentAndRequests(places.above);
      setText(places.foot, `Version ${card.version} · changed ${formatAge(card.updatedAt, serverNow())}`);
    }
    if (parts.has("comments")) comments?.update();
    if (parts.has("files")) for (const field of files) field.update();
    if (parts.has("relations")) replaceChildren(places.relations, renderRelations(open));
    relationSection.hidden = open.relations.length === 0 && !board.isAllowed("create", "Relationship");
    if (parts.has("history")) drawHistory(places);
    if (parts.has("moves") || parts.has("card")) drawMoves(places.ways);
  }

  function drawHistory({ history, before }) {
    const { items, total } = open.history;
    replaceChildren(history, renderHistory(open));
    before.hidden = items.length >= total;
    setText(before, `Show ${formatCount(total - items.length, "earlier change")}`);
  }

  function drawParentAndRequests(place) {
    if (place.querySelector(".answer textarea:focus")?.value) return; // keep an answer that is being written
    const answered = () => (board.refresh(), open.read());
    replaceChildren(place, renderParentAndParts(open), renderQuestion(open, answered), renderMoveRequest(open, decide));
  }

  function drawMoves(place) {
    const why = (move) => (move.allowed ? [] : problemTexts({ details: move }, boardNames(board)));
    const moves = open.moves.map((move) => ({ ...move, why: why(move) }));
    replaceChildren(
      place,
      renderMoveList(moves, (columnId) => moveCard(board, open.id, columnId), focusRequiredField)
    );
  }

  /** Focus the required field whose missing value prevents a move. */
  function focusRequiredField(columnId) {
    const { blockers } = open.moves.find(({ toColumnId }) => toColumnId === columnId);
    const missing = blockers.find(({ code }) => code === "required_fields_missing")?.details.fieldIds[0];
    const label = missing && boardNames(board).field(missing);
    const row = drawn.rows.find((candidate) => candidate.label === label);
    row?.field.element.scrollIntoView({ block: "center" });
    row?.field.element.querySelector(":scope > button")?.focus();
  }

  function canDecide() {
    return Boolean(open.request) && board.isAllowed("transition");
  }

  function decide(isApproved) {
    const { request } = open;
    if (!canDecide()) return false;
    const names = boardNames(board);
    const { title } = open.card;
    const who = actorName(request.requestedBy, board);
    const decided = isApproved ? approveMove(request.id, title, names) : rejectMove(request, title, who, names);
    decided.then(() => (board.refresh(), open.read()));
  }

  /** Open the menu of moves at its button, which only small screens have, or else at the head. */
  function openMoves() {
    openMoveMenu(moveButton.checkVisibility() ? moveButton : copyButton, board, open.id);
  }

  function findLabels() {
    return board.isAllowed("update") && drawn?.rows.find(({ field }) => field.openMenu);
  }

  function openLabels() {
    const labels = findLabels();
    return labels ? labels.field.openMenu() : false;
  }

  async function copyAddress() {
    const address = location.origin + boardUrl(board.id, open.card?.key ?? name);
    try {
      await navigator.clipboard.writeText(address);
      announce("The address is copied.");
      showToast({ title: "The address is copied", text: address, cause: "copy", shown: 4000 });
    } catch {
      showToast({ title: "The address of this card", text: address, cause: "copy" });
    }
  }

  async function duplicate({ currentTarget }) {
    (await suspendShortcuts(import("./duplicate.js"))).duplicateCard(open, currentTarget);
  }

  async function changeType(key, value, seen) {
    if (value === seen) return;
    const edit = () => open.edit(key, value, seen);
    await (await suspendShortcuts(import("./type-change.js"))).changeType(open, value, edit);
  }

  async function transfer() {
    (await suspendShortcuts(import("./transfer.js"))).transferCard(open);
  }

  async function split() {
    (await suspendShortcuts(import("./parts.js"))).splitCard(open);
  }

  /** Create a part when Enter is pressed, or several when lines are pasted into what is typed. */
  async function addPart(event) {
    const { key, shiftKey, currentTarget: field, clipboardData } = event;
    const pasted = clipboardData?.getData("text").trim();
    if ((key !== "Enter" || shiftKey) && !pasted?.includes("\n")) return;
    event.preventDefault();
    if (pasted) field.setRangeText(pasted, field.selectionStart, field.selectionEnd, "end");
    (await suspendShortcuts(import("./parts.js"))).addParts(open, field);
  }

  async function archive() {
    if (await archiveCard(board, open.card)) opened.end();
  }

  /** Add files that were dropped outside of a file field. */
  async function addFiles(list) {
    const { findFileField } = await import("../ui/file-transfer.js");
    if (!drawn) return;
    const { field, problem } = findFileField(board.type(open.card.cardTypeId), open.files.length > 0);
    if (!field) return showError("No file was added", problem, "files");
    if (drawn.mayAddFiles) drawn.files.find(({ id }) => id === field.id).take(list);
    else showError("No file was added", "You don't have permission to add files.", "files");
  }

  /** Add files that were pasted outside of a text. */
  function addPasted({ target, clipboardData: { files } }) {
    if (files.length && !isTextField(target)) addFiles([...files]);
  }

  function showGone({ details }) {
    drawn = null;
    replaceChildren(side);
    showPlaceOfMissing();
    if (details?.archived) {
      const archived = h("p", "This card is on an archived board. Restore the board to open the card.");
      const link = h("a.button", { href: pageUrl("/archive") }, "Go to Archive");
      return replaceChildren(main, h("div.page-message", h("h2", "Card not found"), archived, link));
    }
    const restore = async () => {
      try {
        await restoreCard(board, open.id ?? name);
        await open.load();
        moveButton.hidden = false;
        draw();
      } catch (error) {
        showBoardError(board, "It could not be restored", error);
      }
    };
    const button = details?.isRestorable && h("button.button", { click: restore }, "Restore it from the archive");
    const text = button ? "This card was archived." : "This card was archived or deleted, or the link is wrong.";
    const back = h("button.button", { click: opened.close }, "Close");
    replaceChildren(main, h("div.page-message", h("h2", "Card not found"), h("p", text), button, back));
  }

  /** Show in the head which card is missing. */
  function showPlaceOfMissing() {
    moveButton.hidden = true;
    replaceChildren(breadcrumbs, h("span.key", open.card?.key ?? name));
  }

  function showLoadError(error) {
    showPlaceOfMissing();
    const again = h("button.button", { click: () => location.reload() }, "Try again");
    replaceChildren(main, h("div.page-message", h("h2", "This card did not load"), h("p", errorText(error)), again));
  }

  return opened.end;
}

function actionButton(action, click, ...content) {
  return h("button.button.small", { click, ...shortcutAttributes(action) }, content);
}
