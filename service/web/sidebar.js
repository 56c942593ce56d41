// The frame around every page: banners, sidebar, main area, and tabs on a phone.

import { pageUrl } from "./core/base-path.js";
import { colorSwatch, h, query, queryAll, reconcile, replaceChildren, setAttribute, setText } from "./core/dom.js";
import { errorText } from "./core/error-text.js";
import { formatNumber } from "./core/format.js";
import { icon } from "./core/icons.js";
import { live } from "./core/live.js";
import { createBoard, organization } from "./core/organization.js";
import { boardUrl, navigate, parseAddress } from "./core/router.js";
import { registerShortcuts, shortcutAttributes } from "./core/shortcuts.js";
import { storeValue } from "./core/storage.js";
import { openChoiceMenu } from "./ui/listbox/menu.js";
import { promptDialog } from "./ui/dialog.js";
import { renderFreezeBanner } from "./ui/freeze.js";
import { showError } from "./ui/toast.js";
import { listDestinations } from "./navigation.js";

/** @import { MenuItem } from "./ui/listbox/menu.js" */

const OFFLINE_MILLISECONDS = 5000; // without a connection until the banner is shown
const COLLAPSED_KEY = "tandem.rail";

const main = h("main.page", { id: "screen", tabindex: "-1" });
const banners = h("div.banners");
const boards = h("ul");
const homeBadge = h("span.badge", { hidden: true });
const tabBadge = h("span.badge", { hidden: true });
const homeEntry = entry(pageUrl("/"), icon("bell"), "Home", homeBadge);
const me = h("button.entry", { "aria-haspopup": "menu" }, icon("person"), name("You"));
const newEntry = h(
  "button.entry.muted",
  { hidden: true, ...shortcutAttributes("board.create") },
  icon("plus"),
  name("New board")
);
const destinations = h("div"); // the pages of the organization
const collapseButton = h("button.plain-button", { "aria-label": "Collapse the sidebar" }, icon("rail"));
const sidebar = h(
  "nav.sidebar",
  { "aria-label": "Main" },
  h("div.brand", h("img", { src: pageUrl("/icon.svg"), alt: "" }), h("span", "Tandem"), collapseButton),
  homeEntry,
  entry(pageUrl("/search"), icon("search"), "Search"),
  entry(pageUrl("/agents"), icon("agent"), "Agents"),
  h("h2", "Boards"),
  boards,
  newEntry,
  destinations,
  h("div.spacer"),
  me
);
const boardsTab = h("button.tab", { "aria-haspopup": "menu" }, icon("board"), "Boards");
const meTab = h("button.tab", { "aria-haspopup": "menu" }, icon("person"), "Me");
const tabs = h(
  "nav.tabs",
  { "aria-label": "Main" },
  h("a.tab", { href: pageUrl("/") }, icon("bell"), "Home", tabBadge),
  boardsTab,
  h("a.tab", { href: pageUrl("/search") }, icon("search"), "Search"),
  h("a.tab", { href: pageUrl("/agents") }, icon("agent"), "Agents"),
  meTab
);
const app = h("div.app", banners, sidebar, main, tabs);
let offline = null;

function name(text) {
  return h("span.name", text);
}

function entry(href, mark, text, badge = null) {
  return h("a.entry", { href, title: text }, mark, name(text), badge);
}

/** Add the frame to the document, and return the element for pages. */
export function mountFrame() {
  const skip = h("a.skip.button", { href: "#screen" }, "Skip to the content");
  skip.addEventListener("click", (event) => (event.preventDefault(), main.focus()));
  document.body.prepend(skip, app);
  for (const button of [me, meTab]) {
    button.addEventListener("click", () => import("./user-menu.js").then(({ openUserMenu }) => openUserMenu(button)));
  }
  newEntry.addEventListener("click", openNewBoard);
  const create = () => organization.isArchitect && void openNewBoard();
  create.isAvailable = () => organization.isArchitect;
  registerShortcuts({ "board.create": create }, null, { isGlobal: true });
  boardsTab.addEventListener("click", () => openChoiceMenu(boardsTab, { label: "Boards", items: boardItems() }));
  collapseButton.addEventListener("click", () => collapse(!app.classList.contains("narrow")));
  collapse(localStorage.getItem(COLLAPSED_KEY) === "narrow");
  organization.addEventListener("change", draw);
  organization.addEventListener("attention", drawAttentionCount);
  live.addEventListener("state", watchConnection);
  setInterval(drawBanners, 30_000); // a freeze can expire
  return main;
}

function collapse(isNarrow) {
  app.classList.toggle("narrow", isNarrow);
  setAttribute(collapseButton, "aria-pressed", String(isNarrow));
  storeValue(COLLAPSED_KEY, isNarrow ? "narrow" : "wide");
}

function boardItems() {
  /** @type {MenuItem[]} */
  const items = organization.projects.map(({ id, title, color }) => ({
    label: title,
    mark: colorSwatch(color),
    run: () => navigate(boardUrl(id))
  }));
  if (organization.isArchitect) items.push({ label: "New board", mark: icon("plus"), run: openNewBoard });
  return [{ head: "Boards" }, ...(items.length ? items : [{ label: "No boards yet", disabled: true }])];
}

/** Mark the current page in the sidebar and in the tabs. */
export function markCurrentPage() {
  const { name: screenName, project, pathname } = parseAddress(location.href);
  for (const link of [...queryAll(app, "a.entry"), ...queryAll(app, "a.tab")]) {
    const to = parseAddress(link.href);
    const isSettings = [to.pathname, pathname].every((path) => path.startsWith("/settings/"));
    const isHere = isSettings || (to.name === screenName && to.project === project);
    setAttribute(link, "aria-current", isHere && "page");
  }
  setAttribute(boardsTab, "aria-current", screenName === "board" && "page");
}

function draw() {
  reconcile(boards, organization.projects.map(boardItem));
  newEntry.hidden = !organization.isArchitect;
  drawDestinations();
  const fullName = organization.me?.fullName ?? "You";
  replaceChildren(me, icon("person"), name(fullName));
  setAttribute(me, "title", [fullName, organization.title].filter(Boolean).join(", "));
  drawBanners();
  markCurrentPage();
}

const shownBoards = new Map(); // id -> its item of the list, and what that shows

function boardItem({ id, title, color }) {
  const { item, text } = shownBoards.get(id) ?? { item: h("li"), text: null };
  if (text !== `${color} ${title}`) replaceChildren(item, entry(boardUrl(id), colorSwatch(color), title));
  shownBoards.set(id, { item, text: `${color} ${title}` });
  return item;
}

function drawAttentionCount() {
  const count = organization.attentionCount ?? 0;
  for (const badge of [homeBadge, tabBadge]) {
    badge.hidden = !count;
    setText(badge, count > 99 ? `${formatNumber(99)}+` : formatNumber(count));
    setAttribute(badge, "aria-label", `${formatNumber(count)} waiting for you`);
    badge.setAttribute("role", "img");
  }
  query(document, "link[rel=icon]").href = pageUrl(count ? "/icon-waiting.svg" : "/icon.svg");
}

function watchConnection() {
  clearTimeout(offline);
  if (live.state === "connecting") offline = setTimeout(() => drawBanners(true), OFFLINE_MILLISECONDS);
  drawBanners(false);
}

let isOffline = false;

function drawBanners(offlineNow = isOffline) {
  isOffline = offlineNow && live.state === "connecting";
  const frozen = organization.freeze && renderFreezeBanner(organization.freeze);
  const lost = isOffline && h("div.banner", { role: "status" }, icon("clock"), h("span", OFFLINE_TEXT));
  const existing = [...banners.children];
  const reuse = (banner) => existing.find(({ textContent }) => textContent === banner.textContent) ?? banner;
  reconcile(banners, [frozen, lost].filter(Boolean).map(reuse)); // an unchanged banner keeps its focus and is not announced again
}

const OFFLINE_TEXT = "You are offline. Data may be out of date; changes will fail until you reconnect.";

/** Render the links to the pages of the organization. */
function drawDestinations() {
  const existing = new Map(queryAll(destinations, "a").map((link) => [link.getAttribute("href"), link]));
  const links = listDestinations().map(({ href, mark, label }) => existing.get(href) ?? entry(href, icon(mark), label));
  reconcile(destinations, links.length ? [h("h2", organization.title), ...links] : []);
}

/** Ask for a title, create a board with the usual columns, and open it. */
async function openNewBoard() {
  const title = await promptDialog({
    title: "New board",
    text: "Columns: Backlog, Todo, In Progress, Review, Done. Moving to Done needs approval.",
    label: "Title",
    type: "text",
    button: "Create board",
    required: true,
    maxLength: 500
  });
  if (!title) return;
  try {
    navigate(boardUrl((await createBoard(title)).id));
  } catch (error) {
    showError("The board was not created", errorText(error), "board");
  }
}
