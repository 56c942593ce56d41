// The search over all boards, with the filters of boards.

import { pageUrl } from "../core/base-path.js";
import { appendChildren, h, replaceChildren } from "../core/dom.js";
import { errorText } from "../core/error-text.js";
import { formatCount, isolate, joinNames, phrase } from "../core/format.js";
import { icon } from "../core/icons.js";
import { limitMarks } from "../core/marks.js";
import { getBoardTitle } from "../core/organization.js";
import { boardUrl, navigate } from "../core/router.js";
import { cardLink } from "../ui/card-link.js";
import { renderFilterChips } from "../ui/filter/chips.js";
import { openFilterMenu } from "../ui/filter/menu.js";
import { parseFilter, searchUrl } from "../ui/filter/filter.js";
import { drawRows } from "../ui/list.js";
import { findCards, loadFilterChoices, QUERY_CHARACTERS_MAX } from "./store.js";

const TYPING_MILLISECONDS = 200; // between the last key and the search
const PAGE_SIZE = 20;

export function show(host, address) {
  const attributes = { placeholder: "Words or a card key", "aria-label": "Search all boards" };
  const field = h("input.input", { type: "search", maxlength: QUERY_CHARACTERS_MAX, ...attributes });
  const menuAttributes = { "aria-haspopup": "dialog", "aria-label": "More filters", title: "More filters" };
  const menuButton = h("button.plain-button", menuAttributes, icon("filter"));
  const chips = h("div.filter-chips", { role: "group", "aria-label": "Filters", hidden: true });
  const state = h("p.small.muted", { role: "status" });
  const list = h("ul.panel", { hidden: true });
  const more = h("button.button.small", { hidden: true }, "Show more");
  const body = h("div.page-body.search", h("div.search-bar", field, menuButton), chips, state, list, more);
  const filters = { get: getFilter, apply: (filter) => navigate(getAddress(filter)) };
  let typingTimer = null;
  let lastSearch = 0;
  let page = 1;
  let choices = null; // of filters, loaded when they are needed

  replaceChildren(host, h("header.head", h("h1", "Search")), body);
  field.value = limitMarks(address.query.get("q") ?? "");
  field.addEventListener("input", () => {
    clearTimeout(typingTimer);
    typingTimer = setTimeout(() => navigate(getAddress(getFilter()), true), TYPING_MILLISECONDS);
  });
  menuButton.addEventListener("click", () => withChoices((found) => openFilterMenu(menuButton, found, filters)));
  more.addEventListener("click", () => search(page + 1));
  field.focus();
  drawChips();
  search(1);

  /** Return the address of the search for what is typed, with a filter. */
  function getAddress(filter) {
    return searchUrl({ q: field.value, ...filter });
  }

  async function withChoices(use) {
    try {
      choices ??= loadFilterChoices();
      use(await choices);
    } catch (error) {
      choices = null;
      replaceChildren(state, errorText(error));
    }
  }

  function drawChips() {
    chips.hidden = !getFilter();
    if (!chips.hidden) withChoices((found) => renderFilterChips(chips, found, filters, () => field.focus()));
  }

  async function search(newPage) {
    const searchNumber = ++lastSearch;
    const q = field.value.trim();
    page = newPage;
    if (!q) return showMessage(getFilter() ? "Type words from the card." : "Type words from the card, or its key.");
    try {
      const { items, total, ignored } = await findCards(q, newPage, PAGE_SIZE, getFilter());
      if (searchNumber !== lastSearch) return;
      if (newPage === 1) replaceChildren(list);
      appendChildren(list, drawRows(items, renderResult, { open: ({ projectId, cardKey }) => boardUrl(projectId, cardKey) }));
      list.hidden = list.children.length === 0;
      more.hidden = page * PAGE_SIZE >= total;
      const count = formatCount(Math.max(total, list.children.length), "card");
      replaceChildren(state, list.hidden ? renderNoResults() : count, ignored && renderIgnored(ignored));
    } catch (error) {
      if (searchNumber === lastSearch) showMessage(errorText(error));
    }
  }

  /** Show a message instead of results. */
  function showMessage(message) {
    list.hidden = more.hidden = true;
    replaceChildren(state, message);
  }

  return {
    title: "Search",
    update({ query }) {
      const q = query.get("q") ?? "";
      if (document.activeElement !== field) field.value = limitMarks(q);
      drawChips();
      search(1);
      return true;
    },
    leave: () => clearTimeout(typingTimer)
  };
}

/** Return the filter in the address, without the words of the search; null if there is none. */
function getFilter() {
  const { q, ...filter } = parseFilter(new URLSearchParams(location.search), ["projectId"]) ?? {};
  return Object.keys(filter).length ? filter : null;
}

function renderResult({ cardKey, projectId, columnTitle, title, matchesFilters, snippets }) {
  const place = [getBoardTitle(projectId), columnTitle].filter(Boolean);
  const where = h("span.muted.small", ` · ${place.map(isolate).join(" · ")}`);
  const inTitle = snippets.find(({ source, text }) => source === "title" && text === title); // none if it is long
  const head = h("div", cardLink(projectId, cardKey, inTitle ? markHits(inTitle) : title), where);
  const left = !matchesFilters && h("div.small.muted", "Does not match the filter.");
  const others = snippets.filter((snippet) => snippet !== inTitle).map((snippet) => h("div.small", markHits(snippet)));
  return h("li.item", h("div.what", head, left, others));
}

function renderIgnored(words) {
  return h("div", phrase`Only the ten longest words are searched. Left out: ${joinNames(words)}.`);
}

function renderNoResults() {
  return ["No results. ", h("a.link", { href: pageUrl("/archive") }, "Archived cards"), " are not searched."];
}

/** Return a text with its matches marked, as text nodes only. */
function markHits({ text, hits }) {
  const characters = [...text]; // positions of matches count Unicode characters
  const slice = (from, to) => characters.slice(from, to).join("");
  const parts = [];
  let at = 0;
  for (const [from, to] of hits) {
    parts.push(slice(at, from), h("mark", slice(from, to)));
    at = to;
  }
  return [...parts, slice(at)];
}
