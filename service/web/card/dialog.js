// The dialog of a card: its frame, its keys and its focus. What it shows of the card is in view.js.

import { h, replaceChildren } from "../core/dom.js";
import { errorText } from "../core/error-text.js";
import { icon } from "../core/icons.js";
import { boardUrl } from "../core/router.js";
import { handlerWhile, isTextField, registerShortcuts, shortcutAttributes } from "../core/shortcuts.js";
import { openDialog } from "../ui/dialog.js";
import { acceptFileDrop } from "../ui/file-drop.js";
import { loadEditForm } from "../ui/inline-edit.js";
import { announce, showToast } from "../ui/toast.js";
import { openMoveMenu } from "../board/store.js";
import { canDecide, decide } from "./requests.js";
import { assignActions, neighborActions, pressedActions } from "./shortcuts.js";
import { OpenCard } from "./store.js";
import { CardView } from "./view.js";

/** @import { GoneEvent, PartsEvent } from "./store.js" */

const TICK_MILLISECONDS = 1000; // between two updates of the time that is left of a claim

/**
 * Open a card, given by key or id, over the current page; return a function that closes it. `findNeighbor(step)`
 * returns the card that is shown before (-1) or behind it (1), if the page knows it.
 */
export function openCardDialog(board, name, closed, findNeighbor = () => null) {
  return new CardDialog(board, name, closed, findNeighbor).opened.end;
}

class CardDialog {
  breadcrumbs = h("p.breadcrumbs", h("span.muted", "Loading"));
  copyButton = h("button.plain-button", { "aria-label": "Copy the address", ...shortcutAttributes("card.copy") }, icon("link"));
  closeButton = h("button.plain-button", { "aria-label": "Close" }, icon("close"));
  main = h("div.card-main");
  side = h("aside.card-side", { "aria-label": "Properties" });
  body = h("div.card-body", { tabindex: "-1" }, this.main, this.side);
  moveButton = h("button.button.main", "Move to …"); // on small screens only

  constructor(board, name, closed, findNeighbor) {
    this.board = board;
    this.closed = closed;
    this.open = new OpenCard(board, name);
    const head = h("header.card-head", this.breadcrumbs, this.copyButton, this.closeButton);
    const content = [head, this.body, h("div.card-bar", this.moveButton)];
    this.opened = openDialog({ label: "Card", className: "card-dialog", content, closed: () => this.leave() });
    this.view = new CardView(this.open, this);
    this.unbind = registerShortcuts(this.listActions(findNeighbor), this.opened.dialog);
    this.listen();
    this.body.focus();
    this.load();
  }

  get dialog() {
    return this.opened.dialog;
  }

  // Loading

  async load() {
    try {
      await this.open.ready;
    } catch (error) {
      return error.status === 404 ? this.showGone(error) : this.showLoadError(error);
    }
    if (this.open.isClosed) return;
    this.view.draw();
    loadEditForm("text").catch(() => {}); // tried again when a value is edited
  }

  /** Follow what changes the card and the board, and take what is pressed, dropped or pasted. */
  listen() {
    const { open, board, view } = this;
    this.closeButton.addEventListener("click", this.opened.close);
    this.copyButton.addEventListener("click", () => this.copyAddress());
    this.moveButton.addEventListener("click", () => this.openMoves());
    open.addEventListener("change", (/** @type {PartsEvent} */ { parts }) => (view.refresh(parts), open.markSeen()));
    open.addEventListener("gone", (/** @type {GoneEvent} */ { error }) => this.showGone(error));
    this.handleBoardChange = (event) => view.followBoard(event);
    board.addEventListener("change", this.handleBoardChange);
    this.ticking = setInterval(() => view.tick(), TICK_MILLISECONDS);
    this.dialog.addEventListener("focusout", () => requestAnimationFrame(() => view.catchUp()));
    acceptFileDrop(this.dialog, (files) => view.addFiles(files));
    this.dialog.addEventListener("paste", ({ target, clipboardData: { files } }) => {
      if (files.length && !isTextField(target)) view.addFiles([...files]); // pasted outside of a text
    });
  }

  leave() {
    clearInterval(this.ticking);
    this.open.close();
    this.unbind();
    this.board.removeEventListener("change", this.handleBoardChange);
    this.closed();
    return false; // the opener sets the focus
  }

  // Keys

  /** Return the handlers of the shortcuts by their actions. */
  listActions(findNeighbor) {
    const { open, view, board } = this;
    const isAsked = () => view.isDrawn && canDecide(open);
    const findLabels = () => view.findLabels();
    const decision = (isApproved) => handlerWhile(isAsked, () => decide(open, isApproved));
    return {
      ...pressedActions(this.dialog),
      ...assignActions(open, this.dialog),
      ...neighborActions(board, findNeighbor),
      "card.move.menu": Object.assign(() => (view.isDrawn ? this.openMoves() : false), {
        isAvailable: () => view.isDrawn && open.moves.length > 0
      }),
      "request.approve": decision(true),
      "request.reject": decision(false),
      "card.labels": handlerWhile(findLabels, () => findLabels().openMenu())
    };
  }

  /** Open the menu of moves at its button, or at the head where that is hidden. */
  openMoves() {
    openMoveMenu(this.moveButton.checkVisibility() ? this.moveButton : this.copyButton, this.board, this.open.id);
  }

  async copyAddress() {
    const address = location.origin + boardUrl(this.board.id, this.open.card?.key ?? this.open.name);
    try {
      await navigator.clipboard.writeText(address);
      announce("The address is copied.");
      showToast({ title: "The address is copied", text: address, cause: "copy", shown: 4000 });
    } catch {
      showToast({ title: "The address of this card", text: address, cause: "copy" });
    }
  }

  // Instead of the card

  async showGone({ details }) {
    this.showMissing("Card not found");
    const { describeMissing } = await import("./missing.js");
    const restored = () => ((this.moveButton.hidden = false), this.view.draw());
    this.showMissing("Card not found", ...describeMissing(this.open, details, { close: this.opened.close, restored }));
  }

  showLoadError(error) {
    const again = h("button.button", { click: () => location.reload() }, "Try again");
    this.showMissing("This card did not load", errorText(error), again);
  }

  /** Show a message in place of the card, and in the head which card is missing. */
  showMissing(title, text = null, ...buttons) {
    this.view.clear();
    this.moveButton.hidden = true;
    replaceChildren(this.breadcrumbs, h("span.key", this.open.card?.key ?? this.open.name));
    replaceChildren(this.main, h("div.page-message", h("h2", title), text && h("p", text), buttons));
  }
}
