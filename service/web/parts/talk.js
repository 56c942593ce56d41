// Comments with replies, and the field for a new one, whose draft is kept until it is sent.

import { now, retryKey, signedIn } from "../core/api.js";
import { fill, h, say } from "../core/dom.js";
import { actorName } from "../core/historywords.js";
import { bindingsOf, isPressed, shownKey } from "../core/keys.js";
import { reasons } from "../core/refusals.js";
import { age, count, moment } from "../core/words.js";
import { agentFace, personFace } from "./face.js";
import { prose } from "./prose.js";
import { namesOf } from "./refused.js";

const COMMENT_CHARACTERS_MAX = 20_000; // characters

/** Give the comments of an open card: {element, update()}. */
export function talk(open, marks, may) {
  const list = h("ol", { class: "comments" });
  const earlier = h("button", { class: "button small", type: "button", on: { click: () => open.readEarlier("comments") } });
  const placeholder = "Say something. Markdown works" + bindingsOf("comment.post").map((key) => `; ${shownKey(key)} sends`);
  const composer = may ? compose(open, { label: "Comment", placeholder }) : null;
  const element = h("section", null, h("h3", null, "Comments"), earlier, list, composer?.element);
  const known = new Map(); // drawn by id: comments never change, but replies come

  function update() {
    const { items, total } = open.comments;
    earlier.hidden = items.length >= total;
    say(earlier, `Show ${count(total - items.length, "earlier comment")}`);
    const nodes = items.map((comment) => {
      const drawn = known.get(comment.id);
      if (drawn?.replies === comment.replies.length) return drawn.node;
      const replying = drawn?.node.querySelector("textarea")?.value;
      if (drawn && replying) return drawn.node; // somebody is writing there
      const node = h("li", null, one(comment), replies(comment));
      known.set(comment.id, { node, replies: comment.replies.length });
      return node;
    });
    if (nodes.some((node, at) => list.children[at] !== node) || list.children.length !== nodes.length) fill(list, nodes);
  }

  function one(comment) {
    const name = actorName(comment.actor, open.board);
    const isAgent = comment.actor.type === "Agent";
    const face = isAgent ? agentFace(marks.get(comment.actor.id), name, true) : personFace(name, true);
    const when = h("time", { class: "muted small", title: moment(comment.createdAt) }, age(comment.createdAt, now()));
    const head = h("div", { class: "by" }, h("strong", null, name), " ", when);
    return h("article", { class: "comment" }, face, h("div", null, head, prose(comment.content)));
  }

  function replies(comment) {
    const answer = h("button", { class: "plain reply", type: "button" }, "Reply");
    const place = h("div", { class: "replies" }, comment.replies.map(one), may && answer);
    answer.addEventListener("click", () => {
      const done = () => known.delete(comment.id);
      const { element: form, focus } = compose(open, { label: "Reply", parent: comment.id, done });
      answer.replaceWith(form);
      focus();
    });
    return place;
  }

  return { element, update };
}

function compose(open, { label, placeholder = "", parent = null, done = () => {} }) {
  const draft = `tandem.draft.${signedIn().userId}.${open.id}.${parent ?? ""}`;
  const field = h("textarea", { class: "input", placeholder, "aria-label": label, maxlength: COMMENT_CHARACTERS_MAX });
  const problem = h("p", { class: "problem small", role: "alert" });
  const button = h("button", { class: "button small", type: "submit" }, label);
  const element = h("form", { class: "compose" }, field, problem, button);
  let retry = retryKey();
  field.value = localStorage.getItem(draft) ?? "";
  field.addEventListener("input", () => {
    if (field.value) localStorage.setItem(draft, field.value);
    else localStorage.removeItem(draft);
    retry = retryKey();
  });
  field.addEventListener("keydown", (event) => {
    if (isPressed(event, "comment.post")) (event.preventDefault(), element.requestSubmit());
  });
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!field.value.trim() || button.disabled) return;
    button.disabled = true;
    say(problem, "");
    try {
      const content = field.value;
      localStorage.removeItem(draft);
      field.value = "";
      try {
        done();
        await open.comment(content, parent, retry);
        retry = retryKey();
      } catch (error) {
        field.value = content;
        localStorage.setItem(draft, content);
        throw error;
      }
    } catch (error) {
      say(problem, reasons(error, namesOf(open.board)).join(" "));
    } finally {
      button.disabled = false;
    }
  });
  return { element, focus: () => field.focus() };
}
