// Comments with replies, and the field for a new one, whose draft is kept until it is sent.

import { now, retryKey, signedIn } from "../core/api.js";
import { fill, h, say } from "../core/dom.js";
import { bindingsOf, isPressed, shownKey } from "../core/keys.js";
import { prose } from "../core/markdown.js";
import { age, brief, count, list, moment, quoted } from "../core/words.js";
import { agentFace, personFace } from "./face.js";
import { sentenceOf } from "./refused.js";

const COMMENT_CHARACTERS_MAX = 20_000; // characters

/** Give the comments of an open card: {element, update()}. */
export function talk(open, marks, may) {
  const list = h("ol.comments");
  const earlier = h("button.button.small", { click: () => open.readEarlier("comments") });
  const placeholder = "Say something. Markdown works" + bindingsOf("comment.post").map((key) => `; ${shownKey(key)} sends`);
  const composer = may ? compose(open, { label: "Comment", placeholder }) : null;
  const element = h("section", h("h3", "Comments"), earlier, list, composer?.element);
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
      const node = h("li", one(comment), replies(comment));
      known.set(comment.id, { node, replies: comment.replies.length });
      return node;
    });
    if (nodes.some((node, at) => list.children[at] !== node) || list.children.length !== nodes.length) fill(list, nodes);
  }

  function one(comment) {
    const name = actorName(comment.actor, open.board);
    const isAgent = comment.actor.type === "Agent";
    const face = isAgent ? agentFace(marks.get(comment.actor.id), name, true) : personFace(name, true);
    const when = h("time.muted.small", { title: moment(comment.createdAt) }, age(comment.createdAt, now()));
    const head = h("div.by", h("strong", name), " ", when);
    return h("article.comment", face, h("div", head, prose(comment.content)));
  }

  function replies(comment) {
    const answer = h("button.plain.reply", "Reply");
    const place = h("div.replies", comment.replies.map(one), may && answer);
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
  const field = h("textarea.input", { placeholder, "aria-label": label, maxlength: COMMENT_CHARACTERS_MAX });
  const problem = h("p.problem.small", { role: "alert" });
  const button = h("button.button.small", { type: "submit" }, label);
  const element = h("form.compose", field, problem, button);
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
      say(problem, sentenceOf(open.board, error));
    } finally {
      button.disabled = false;
    }
  });
  return { element, focus: () => field.focus() };
}

// What happened to a card, as sentences for people.
const PLAIN = {
  created: "made the card",
  ranked: "moved it within its column",
  archived: "archived it",
  restored: "took it back from the archive",
  commented: "commented",
  replied: "replied to a comment",
  fileAdded: "added a file",
  fileRemoved: "removed a file",
  released: "stopped working on it",
  related: "related it to another card",
  unrelated: "removed a relation"
};
const PROPERTIES = {
  title: "the title",
  priority: "the priority",
  dueDate: "the due date",
  assignedAgentId: "the agent",
  assignedUserId: "the person"
};
const SHORT = 60; // characters of a value that a sentence quotes

/** Say who it was: the name that they had, or the id of an agent that is gone. */
export function actorName(actor, board) {
  if (!actor) return "Somebody";
  return actor.label ?? board?.agent(actor.id)?.title ?? (actor.type === "System" ? "Tandem" : actor.id);
}

/** Say what a row of history tells, without its actor. */
export function happened({ action, changes }, board) {
  const moved = changes.columnId;
  const column = (id) => board.column(id)?.title ?? "a column that is gone";
  if (action === "moved" && moved) return `moved it ${way(column, moved)}${asked(changes, board)}`;
  if (action === "claimed") return "began to work on it";
  if (action === "undone") return `took a change back: ${undone(changes, board)}`;
  if (action === "updated") return updated(changes, board);
  return PLAIN[action] ?? action.replace(/([A-Z])/g, " $1").toLowerCase();
}

function way(column, { from, to }) {
  return from ? `from ${column(from)} to ${column(to)}` : `to ${column(to)}`;
}

/** A move that an agent had asked for names it. */
function asked({ requestedBy }, board) {
  const id = requestedBy?.to;
  return id ? `, as ${board.agent(id)?.title ?? id} had asked` : "";
}

function undone({ columnId, archivedAt, claim, ...others }, board) {
  const put = archivedAt && (archivedAt.to ? "it is in the archive" : "it is out of the archive");
  const place = columnId && `it is in ${board.column(columnId.to)?.title ?? "a column that is gone"}`;
  const names = Object.keys(others).map((name) => named(name, board));
  return list([put, place, names.length && `${list(names)} as before`].filter(Boolean));
}

function updated(changes, board) {
  const names = Object.keys(changes);
  if (names.length !== 1) return `changed ${list(names.map((name) => named(name, board)))}`;
  const [name] = names;
  const { to } = changes[name];
  const value = shown(name, to, board);
  return value === null ? `cleared ${named(name, board)}` : `changed ${named(name, board)} to ${value}`;
}

function named(name, board) {
  if (!name.startsWith("fieldValues.")) return PROPERTIES[name] ?? name;
  const own = name.slice("fieldValues.".length);
  const fields = board.cardTypes.flatMap(({ fields }) => fields);
  return quoted(fields.find((field) => field.name === own)?.label ?? own);
}

function shown(name, value, board) {
  if (value === null || value === undefined || value === "none") return null;
  if (name === "assignedUserId") return board.person(value)?.name ?? "somebody who left";
  if (name === "assignedAgentId") return board.agent(value)?.title ?? value;
  if (name === "dueDate") return String(value).slice(0, 10);
  const text = Array.isArray(value) ? value.join(", ") : String(value);
  return name === "priority" ? text : quoted(brief(text, SHORT));
}
