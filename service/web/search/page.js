// The search over all boards.

import { h, replaceChildren } from "../core/dom.js";
import { errorText } from "../core/error-text.js";
import { formatCount } from "../core/format.js";
import { getBoardTitle } from "../core/organization.js";
import { navigate, searchUrl } from "../core/router.js";
import { cardLink } from "../ui/card-link.js";
import { findCards, QUERY_CHARACTERS_MAX } from "./store.js";

const TYPING_MILLISECONDS = 200; // between the last key and the search
const PAGE_SIZE = 20;

export function show(host, address) {
  const attributes = { placeholder: "Words or a card key", "aria-label": "Search all boards" };
  const field = h("input.input", { type: "search", maxlength: QUERY_CHARACTERS_MAX, ...attributes });
  const state = h("p.small.muted", { role: "status" });
  const list = h("ul.panel", { hidden: true });
  const more = h("button.button.small", { hidden: true }, "Show more");
  const body = h("div.page-body.search", field, state, list, more);
  let typingTimer = null;
  let lastSearch = 0;
  let page = 1;

  replaceChildren(host, h("header.head", h("h1", "Search")), body);
  field.value = address.query.get("q") ?? "";
  field.addEventListener("input", () => {
    clearTimeout(typingTimer);
    typingTimer = setTimeout(() => navigate(searchUrl(field.value), true), TYPING_MILLISECONDS);
  });
  more.addEventListener("click", () => search(page + 1));
  field.focus();
  search(1);

  async function search(newPage) {
    const searchNumber = ++lastSearch;
    const q = field.value.trim();
    page = newPage;
    if (!q) return replaceChildren(state, "Type words from the card, or its key.");
    try {
      const { items, total } = await findCards(q, newPage, PAGE_SIZE);
      if (searchNumber !== lastSearch) return;
      if (newPage === 1) replaceChildren(list);
      list.append(...items.map(renderResult));
      list.hidden = list.children.length === 0;
      more.hidden = page * PAGE_SIZE >= total;
      replaceChildren(
        state,
        list.hidden ? "No results." : formatCount(Math.max(total, list.children.length), "card")
      );
    } catch (error) {
      if (searchNumber === lastSearch) replaceChildren(state, errorText(error));
    }
  }

  return {
    title: "Search",
    update({ query }) {
      const q = query.get("q") ?? "";
      if (document.activeElement !== field) field.value = q;
      search(1);
      return true;
    },
    leave: () => clearTimeout(typingTimer)
  };
}

function renderResult({ cardKey, projectId, columnTitle, title, snippets }) {
  const place = [getBoardTitle(projectId), columnTitle].filter(Boolean);
  const where = h("span.muted.small", ` · ${place.join(" · ")}`);
  const head = h("div", cardLink(projectId, cardKey, title), where);
  return h("li.item", h("div.what", head, snippets.map(renderSnippet)));
}

/** Render a snippet with its matches marked, as text nodes only. */
function renderSnippet({ text, hits }) {
  const characters = [...text]; // positions of matches count Unicode characters
  const slice = (from, to) => characters.slice(from, to).join("");
  const parts = [];
  let at = 0;
  for (const [from, to] of hits) {
    parts.push(slice(at, from), h("mark", slice(from, to)));
    at = to;
  }
  return h("div.small", parts, slice(at));
}
