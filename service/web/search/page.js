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
  return new SearchPage(host, address);
}

class SearchPage {
  title = "Search";
  typingTimer = null;
  lastSearch = 0; // the number of the newest search; only its results are shown
  page = 1; // of the results
  choices = null; // of filters, loaded when they are needed
  filters = { get: getFilter, apply: (filter) => navigate(this.getAddress(filter)) };
  field = h("input.input", {
    type: "search",
    maxlength: QUERY_CHARACTERS_MAX,
    placeholder: "Words or a card key",
    "aria-label": "Search all boards"
  });
  menuButton = h("button.plain-button", {
    "aria-haspopup": "dialog",
    "aria-label": "More filters",
    title: "More filters",
    click: () => this.openMenu()
  });
  chips = h("div.filter-chips", { role: "group", "aria-label": "Filters", hidden: true });
  state = h("p.small.muted", { role: "status" });
  list = h("ul.panel", { hidden: true });
  more = h("button.button.small", { hidden: true, click: () => this.search(this.page + 1) }, "Show more");

  constructor(host, { query }) {
    const { field, menuButton, chips, state, list, more } = this;
    replaceChildren(menuButton, icon("filter"));
    const body = h("div.page-body.search", h("div.search-bar", field, menuButton), chips, state, list, more);
    replaceChildren(host, h("header.head", h("h1", "Search")), body);
    field.value = limitMarks(query.get("q") ?? "");
    field.addEventListener("input", () => this.searchLater());
    field.focus();
    this.drawChips();
    this.search(1);
  }

  update({ query }) {
    const q = query.get("q") ?? "";
    if (document.activeElement !== this.field) this.field.value = limitMarks(q);
    this.drawChips();
    this.search(1);
    return true;
  }

  leave() {
    clearTimeout(this.typingTimer);
  }

  // Filter

  /** Return the address of the search for what is typed, with a filter. */
  getAddress(filter) {
    return searchUrl({ q: this.field.value, ...filter });
  }

  /** Put what is typed into the address, shortly after the last key. */
  searchLater() {
    clearTimeout(this.typingTimer);
    this.typingTimer = setTimeout(() => navigate(this.getAddress(getFilter()), true), TYPING_MILLISECONDS);
  }

  openMenu() {
    return this.withChoices((choices) => openFilterMenu(this.menuButton, choices, this.filters));
  }

  drawChips() {
    this.chips.hidden = !getFilter();
    if (this.chips.hidden) return;
    const focus = () => this.field.focus();
    this.withChoices((choices) => renderFilterChips(this.chips, choices, this.filters, focus));
  }

  async withChoices(use) {
    try {
      this.choices ??= loadFilterChoices();
      use(await this.choices);
    } catch (error) {
      this.choices = null;
      replaceChildren(this.state, errorText(error));
    }
  }

  // Results

  async search(page) {
    const searchNumber = ++this.lastSearch;
    const q = this.field.value.trim();
    this.page = page;
    if (!q) return this.showMessage(getFilter() ? "Type words from the card." : "Type words from the card, or its key.");
    try {
      const found = await findCards(q, page, PAGE_SIZE, getFilter());
      if (searchNumber === this.lastSearch) this.showResults(found);
    } catch (error) {
      if (searchNumber === this.lastSearch) this.showMessage(errorText(error));
    }
  }

  showResults({ items, total, ignored }) {
    const { list, more, state, page } = this;
    if (page === 1) replaceChildren(list);
    appendChildren(list, drawRows(items, renderResult, { open: ({ projectId, cardKey }) => boardUrl(projectId, cardKey) }));
    list.hidden = list.children.length === 0;
    more.hidden = page * PAGE_SIZE >= total;
    const count = formatCount(Math.max(total, list.children.length), "card");
    replaceChildren(state, list.hidden ? renderNoResults() : count, ignored && renderIgnored(ignored));
  }

  /** Show a message instead of results. */
  showMessage(message) {
    this.list.hidden = this.more.hidden = true;
    replaceChildren(this.state, message);
  }
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
