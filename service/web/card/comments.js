// The comments of a card, and the composer.

import { newIdempotencyKey } from "../core/api.js";
import { serverNow } from "../core/clock.js";
import { h, query, reconcile, setText } from "../core/dom.js";
import { formatAge, formatCount, formatDateTime } from "../core/format.js";
import { drawPart } from "../core/guard.js";
import { getFieldText, setFieldText } from "../core/marks.js";
import { boardUrl } from "../core/router.js";
import { formatBinding, getBindings, matchesShortcut, SAVE_KEYS, suspendShortcuts } from "../core/shortcuts.js";
import { agentAvatar, userAvatar } from "../ui/avatar.js";
import { hasDraft, keepDraft, listDrafts } from "../ui/text/drafts.js";
import { loadTextTools } from "../ui/text/tools.js";
import { actorName, importedMark } from "./actor.js";
import { renderText, textTools } from "./text.js";

/** @import { OpenCard } from "./store.js" */
/** @import { CardView } from "./view.js" */

const COMMENT_CHARACTERS_MAX = 20_000;

/**
 * Create the comments of an open card; nothing for a type without comments.
 * @param {CardView} view
 */
export function createComments(view) {
  const type = view.board.type(view.open.card.cardTypeId);
  return type?.commentsEnabled === false ? { element: null, update: () => {} } : new Comments(view);
}

/** The comments of an open card with their replies, and the composer. */
class Comments {
  /** @type {Map<string, {node: HTMLElement, replies: number}>} */
  rendered = new Map(); // by id; only the number of replies of a comment can change
  /** @type {Set<string>} */
  expanded = new Set(); // ids of comments with all replies
  linkedId = /^#(comment-.+)/.exec(location.hash)?.[1]; // of the comment that the address names, until it is shown
  list = h("ol.comments");

  /** @param {CardView} view */
  constructor({ open, board, badges }) {
    this.open = open;
    this.badges = badges;
    this.canComment = board.isAllowed("comment");
    this.earlierButton = h("button.button.small", { click: () => open.readEarlier("comments") });
    const composer = this.canComment ? new Composer(open, { label: "Comment", placeholder: "Write a comment …" }) : null;
    this.element = h("section", h("h3", "Comments"), this.earlierButton, this.list, composer?.element);
  }

  update() {
    const { items, total } = this.open.comments;
    const isHidden = (name) => name.startsWith("cmt_") && !items.some(({ id }) => id === name);
    const hint = listDrafts(this.open.id).some(isHidden) ? " and your draft" : "";
    this.earlierButton.hidden = items.length >= total;
    setText(this.earlierButton, `Show ${formatCount(total - items.length, "earlier comment")}${hint}`);
    const nodes = items.map((comment) => this.renderThread(comment));
    reconcile(this.list, nodes);
    this.showLinked();
  }

  /** Show the comment that the address names, once; earlier ones are loaded until it is there. */
  async showLinked() {
    if (!this.linkedId) return;
    const { items, total } = this.open.comments;
    const node = query(this.element, `[id="${CSS.escape(this.linkedId)}"]`);
    if (!node && items.length < total) {
      if (!(await this.open.readEarlier("comments"))) this.linkedId = null;
      return;
    }
    this.linkedId = null;
    node?.scrollIntoView({ block: "center" });
    node?.focus({ preventScroll: true });
  }

  /** Return a comment with its replies; the same element while its replies, or the one that is being written, are the same. */
  renderThread(comment) {
    const existing = this.rendered.get(comment.id);
    if (existing?.replies === comment.repliesTotal) return existing.node;
    if (existing && query(existing.node, "textarea")?.value) return existing.node; // a reply is being written
    const replies = drawPart("Its replies", () => this.renderReplies(comment));
    const node = h("li", this.drawComment(comment), replies);
    this.rendered.set(comment.id, { node, replies: comment.repliesTotal });
    return node;
  }

  drawComment(comment) {
    return drawPart("This comment", () => this.renderComment(comment));
  }

  renderComment(comment) {
    const { open, badges } = this;
    const name = actorName(comment.actor, open.board);
    const isAgent = comment.actor.type === "Agent";
    const avatar = isAgent ? agentAvatar(badges.get(comment.actor.id), name, true) : userAvatar(name, true);
    const when = h(
      "a.muted.small",
      { href: `${boardUrl(open.board.id, open.card.key)}#comment-${comment.id}`, title: formatDateTime(comment.createdAt) },
      h("time", formatAge(comment.createdAt, serverNow()))
    );
    const head = h("div.by", h("strong", name), " ", when, importedMark(comment));
    const attributes = { id: `comment-${comment.id}`, tabindex: "-1" };
    const text = renderText(open, comment.content, comment.mentions);
    return h("article.comment", attributes, avatar, h("div", head, text));
  }

  renderReplies(comment) {
    const left = comment.repliesTotal - comment.replies.length;
    const moreButton = h("button.button.small", `Show ${formatCount(left, "later reply", "later replies")}`);
    const replyButton = h("button.plain-button.reply", "Reply");
    moreButton.addEventListener("click", () => this.showLaterReplies(comment, moreButton));
    replyButton.addEventListener("click", () => this.writeReply(comment, replyButton).focus());
    const replies = comment.replies.map((reply) => this.drawComment(reply));
    const element = h("div.replies", replies, left > 0 && moreButton, this.canComment && replyButton);
    if (left > 0 && this.expanded.has(comment.id)) this.showLaterReplies(comment, moreButton);
    if (this.canComment && hasDraft(this.open.id, comment.id)) this.writeReply(comment, replyButton);
    return element;
  }

  /** Replace the button of a reply by its composer, and return this. */
  writeReply({ id }, replyButton) {
    const done = () => (this.rendered.delete(id), this.expanded.add(id));
    const composer = new Composer(this.open, { label: "Reply", parent: id, done });
    replyButton.replaceWith(composer.element);
    return composer;
  }

  async showLaterReplies(comment, moreButton) {
    this.expanded.add(comment.id);
    const { readLaterReplies } = await suspendShortcuts(import("./later-replies.js"));
    const replies = await readLaterReplies(this.open, comment);
    if (replies) moreButton.replaceWith(...replies.map((reply) => this.drawComment(reply)));
  }
}

/** A form that writes a comment, or a reply to the comment `parent`; `done()` is called when it is sent. */
class Composer {
  retry = newIdempotencyKey(); // a comment that is sent again after an error is created once
  /** @type {(() => Promise<unknown>) | null} */
  settle = null; // resolves when all pictures are uploaded
  problem = h("p.problem.small", { role: "alert" });
  toolbar = h("div.text-tools");

  /**
   * @param {OpenCard} open
   * @param {{label: string, placeholder?: string, parent?: string | null, done?: () => unknown}} options
   */
  constructor(open, { label, placeholder = "", parent = null, done = () => {} }) {
    this.open = open;
    this.parent = parent;
    this.done = done;
    this.field = h("textarea.input", { placeholder, "aria-label": label, maxlength: COMMENT_CHARACTERS_MAX });
    this.draft = keepDraft(this.field, { item: open.id, name: parent ?? "" });
    this.button = h("button.button.small", { type: "submit" }, label);
    const keys = getBindings("comment.post").map((key) => `${key === "ctrl+enter" ? SAVE_KEYS : formatBinding(key)} sends`);
    const row = h("div.row.wrap", this.button, h("span.small.muted.save-keys", keys), this.toolbar);
    this.element = h("form.compose", this.field, this.problem, row, this.draft.note);
    this.field.addEventListener("focus", () => this.showTools());
    this.field.addEventListener("input", () => (this.retry = newIdempotencyKey())); // another text is another comment
    this.element.addEventListener("keydown", (event) => this.handleKey(event));
    this.element.addEventListener("submit", (event) => (event.preventDefault(), this.send()));
  }

  focus() {
    this.field.focus();
  }

  showTools() {
    this.settle ??= loadTextTools(this.field, this.toolbar, textTools(this.open));
    this.element.scrollIntoView({ block: "nearest" }); // with the buttons below the field
  }

  handleKey(event) {
    const isTyping = event.ctrlKey || event.metaKey || event.target === this.field;
    if (isTyping && matchesShortcut(event, "comment.post")) (event.preventDefault(), this.element.requestSubmit());
  }

  async send() {
    if (!this.field.value.trim() || this.button.disabled) return;
    this.button.disabled = true;
    setText(this.problem, "");
    try {
      await this.settle?.();
      const text = getFieldText(this.field);
      await this.open.comment(text, this.parent, this.retry, () => this.clear(text));
    } catch (error) {
      setText(this.problem, this.open.errorText(error));
    } finally {
      this.button.disabled = false;
    }
  }

  /** Remove a text that is a comment now; what was typed behind it meanwhile stays. */
  clear(text) {
    this.draft.forget();
    setFieldText(this.field, getFieldText(this.field).replace(text, "").trimStart());
    if (this.field.value) this.field.dispatchEvent(new Event("input"));
    else this.done();
    this.retry = newIdempotencyKey();
  }
}
