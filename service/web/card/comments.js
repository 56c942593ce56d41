// The comments of a card, and the composer.

import { newIdempotencyKey } from "../core/api.js";
import { serverNow } from "../core/clock.js";
import { h, query, reconcile, setText } from "../core/dom.js";
import { formatAge, formatCount, formatDateTime } from "../core/format.js";
import { boardUrl } from "../core/router.js";
import { formatBinding, getBindings, matchesShortcut, SAVE_KEYS, suspendShortcuts } from "../core/shortcuts.js";
import { agentAvatar, userAvatar } from "../ui/avatar.js";
import { hasDraft, keepDraft, listDrafts } from "../ui/text/drafts.js";
import { loadTextTools } from "../ui/text/tools.js";
import { boardErrorText } from "../board/store.js";
import { actorName, importedMark } from "./actor.js";
import { renderText, textTools } from "./text.js";

/** @import { CardView } from "./view.js" */

const COMMENT_CHARACTERS_MAX = 20_000;

/**
 * Create the comments of an open card; nothing for a type without comments.
 * @param {CardView} view
 */
export function createComments({ open, board, badges }) {
  if (board.type(open.card.cardTypeId)?.commentsEnabled === false) return { element: null, update: () => {} };
  const canComment = board.isAllowed("comment");
  const list = h("ol.comments");
  const earlier = h("button.button.small", { click: () => open.readEarlier("comments") });
  const composer = canComment ? createComposer(open, { label: "Comment", placeholder: "Write a comment …" }) : null;
  const element = h("section", h("h3", "Comments"), earlier, list, composer?.element);
  let linkedId = /^#(comment-.+)/.exec(location.hash)?.[1]; // of the comment that the address names
  const rendered = new Map(); // rendered comments by id; only the number of replies can change
  const expanded = new Set(); // ids of comments with all replies

  function update() {
    const { items, total } = open.comments;
    earlier.hidden = items.length >= total;
    const isHidden = (name) => name.startsWith("cmt_") && !items.some(({ id }) => id === name);
    const hint = listDrafts(open.id).some(isHidden) ? " and your draft" : "";
    setText(earlier, `Show ${formatCount(total - items.length, "earlier comment")}${hint}`);
    const nodes = items.map((comment) => {
      const existing = rendered.get(comment.id);
      if (existing?.replies === comment.repliesTotal) return existing.node;
      if (existing?.node.querySelector("textarea")?.value) return existing.node; // keep a reply that is being written
      const node = h("li", renderComment(comment), replies(comment));
      rendered.set(comment.id, { node, replies: comment.repliesTotal });
      return node;
    });
    reconcile(list, nodes);
    showLinked();
  }

  /** Show the comment that the address names, once; earlier ones are loaded until it is there. */
  function showLinked() {
    const { items, total } = open.comments;
    if (!linkedId) return;
    const node = query(element, `[id="${CSS.escape(linkedId)}"]`);
    const handleRead = (isLoaded) => isLoaded || (linkedId = null);
    if (!node && items.length < total) return void open.readEarlier("comments").then(handleRead);
    linkedId = null;
    node?.scrollIntoView({ block: "center" });
    node?.focus({ preventScroll: true });
  }

  function renderComment(comment) {
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

  function replies(comment) {
    const answer = h("button.plain-button.reply", "Reply");
    const left = comment.repliesTotal - comment.replies.length;
    const more = h("button.button.small", { click: showMore }, `Show ${formatCount(left, "later reply", "later replies")}`);
    const element = h("div.replies", comment.replies.map(renderComment), left > 0 && more, canComment && answer);
    if (left > 0 && expanded.has(comment.id)) showMore();
    const write = () => {
      const done = () => (rendered.delete(comment.id), expanded.add(comment.id));
      const { element: form, focus } = createComposer(open, { label: "Reply", parent: comment.id, done });
      answer.replaceWith(form);
      return focus;
    };
    answer.addEventListener("click", () => write()());
    if (canComment && hasDraft(open.id, comment.id)) write();
    return element;

    async function showMore() {
      expanded.add(comment.id);
      const { readLaterReplies } = await suspendShortcuts(import("./later-replies.js"));
      more.replaceWith(...((await readLaterReplies(open, comment))?.map(renderComment) ?? [more]));
    }
  }

  return { element, update };
}

function createComposer(open, { label, placeholder = "", parent = null, done = () => {} }) {
  const field = h("textarea.input", { placeholder, "aria-label": label, maxlength: COMMENT_CHARACTERS_MAX });
  const draft = keepDraft(field, { item: open.id, name: parent ?? "" });
  const problem = h("p.problem.small", { role: "alert" });
  const button = h("button.button.small", { type: "submit" }, label);
  const toolbar = h("div.text-tools");
  const keys = getBindings("comment.post").map((key) => `${key === "ctrl+enter" ? SAVE_KEYS : formatBinding(key)} sends`);
  const row = h("div.row.wrap", button, h("span.small.muted.save-keys", keys), toolbar);
  const element = h("form.compose", field, problem, row, draft.note);
  let settle = null; // resolves when all pictures are uploaded
  field.addEventListener("focus", () => {
    settle ??= loadTextTools(field, toolbar, textTools(open));
    element.scrollIntoView({ block: "nearest" }); // with the buttons below the field
  });
  let retry = newIdempotencyKey();
  field.addEventListener("input", () => (retry = newIdempotencyKey()));
  element.addEventListener("keydown", (event) => {
    const isTyping = event.ctrlKey || event.metaKey || event.target === field;
    if (isTyping && matchesShortcut(event, "comment.post")) (event.preventDefault(), element.requestSubmit());
  });
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!field.value.trim() || button.disabled) return;
    button.disabled = true;
    setText(problem, "");
    try {
      await settle?.();
      const text = field.value;
      await open.comment(text, parent, retry, () => clear(text));
    } catch (error) {
      setText(problem, boardErrorText(open.board, error));
    } finally {
      button.disabled = false;
    }
  });
  return { element, focus: () => field.focus() };

  /** Remove a text that is a comment now; what was typed behind it meanwhile stays. */
  function clear(text) {
    draft.forget();
    field.value = field.value.replace(text, "").trimStart();
    if (field.value) field.dispatchEvent(new Event("input"));
    else done();
    retry = newIdempotencyKey();
  }
}
