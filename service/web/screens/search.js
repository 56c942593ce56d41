// Search: cards of all boards, by words in titles, fields and comments, or by their key.

import { fill, h } from "../core/dom.js";
import { findCards, organization, QUERY_CHARACTERS_MAX } from "../core/organization.js";
import { boardAddress, go, searchAddress } from "../core/route.js";
import { count, refusal } from "../core/words.js";

const TYPING = 200; // milliseconds after the last letter until something is asked for
const PAGE = 20;

export const SHEETS = ["/css/screens.css"];

export function show(host, address) {
  const named = { placeholder: "Words, or the key of a card", "aria-label": "Search all boards" };
  const field = h("input", { class: "input", type: "search", maxlength: QUERY_CHARACTERS_MAX, ...named });
  const state = h("p", { class: "small muted", role: "status" });
  const list = h("ul", { class: "panel", hidden: true });
  const more = h("button", { class: "button small", type: "button", hidden: true }, "Show more");
  const body = h("div", { class: "now search" }, field, state, list, more);
  let typing = null;
  let turn = 0;
  let page = 1;

  fill(host, h("header", { class: "head" }, h("h1", null, "Search")), body);
  field.value = address.query.get("q") ?? "";
  field.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => go(searchAddress(field.value), true), TYPING);
  });
  more.addEventListener("click", () => look(page + 1));
  field.focus();
  look(1);

  async function look(wanted) {
    const mine = ++turn;
    const q = field.value.trim();
    page = wanted;
    if (!q) return fill(state, "Type what the card is about.");
    try {
      const { items, total } = await findCards(q, wanted, PAGE);
      if (mine !== turn) return;
      if (wanted === 1) fill(list);
      list.append(...items.map(row));
      list.hidden = list.children.length === 0;
      more.hidden = page * PAGE >= total;
      fill(state, list.hidden ? "Nothing was found." : count(Math.max(total, list.children.length), "card"));
    } catch (error) {
      if (mine === turn) fill(state, refusal(error));
    }
  }

  return {
    title: "Search",
    update({ query }) {
      const q = query.get("q") ?? "";
      if (document.activeElement !== field) field.value = q;
      look(1);
      return true;
    },
    leave: () => clearTimeout(typing),
  };
}

function row({ cardKey, projectId, title, snippets }) {
  const board = organization.projects.find(({ id }) => id === projectId)?.title ?? "Another board";
  const link = h("a", { class: "title", href: boardAddress(projectId, cardKey) }, title);
  const where = h("span", { class: "muted small" }, ` · ${board}`);
  const head = h("div", null, link, " ", h("span", { class: "key" }, cardKey), where);
  return h("li", { class: "item" }, h("div", { class: "what" }, head, snippets.map(passage)));
}

/** Draw a passage with what was found in it marked; texts stay texts. */
function passage({ text, hits }) {
  const letters = [...text]; // hits count characters of Unicode
  const stretch = (from, to) => letters.slice(from, to).join("");
  const parts = [];
  let at = 0;
  for (const [from, to] of hits) {
    parts.push(stretch(at, from), h("mark", null, stretch(from, to)));
    at = to;
  }
  return h("div", { class: "small" }, parts, stretch(at));
}
