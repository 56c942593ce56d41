// The frame: banner above, rail at the left, screen in the middle, on a phone tabs at the bottom.

import { arrange, attribute, fill, h, icon, say, swatch } from "../core/dom.js";
import { live } from "../core/live.js";
import { makeBoard, organization } from "../core/organization.js";
import { boardAddress, go, parse } from "../core/route.js";
import { refusal } from "../core/words.js";
import { frozenBanner } from "./deciding.js";
import { ask, openMenu, refuse } from "./float.js";

const OFFLINE_AFTER = 5000; // milliseconds without a connection until a banner says so
const NARROW = "tandem.rail";

const screen = h("main.screen", { id: "screen", tabindex: "-1" });
const banners = h("div.banners");
const boards = h("ul");
const nowBadge = h("span.badge", { hidden: true });
const tabBadge = nowBadge.cloneNode();
const nowEntry = entry("/", icon("bell"), "Now", nowBadge);
const me = h("button.entry", { "aria-haspopup": "menu" });
const newEntry = h("button.entry.muted", { hidden: true }, icon("plus"), name("New board"));
const places = h("div"); // the screens of the organization
const narrow = h("button.plain", { "aria-label": "Collapse the rail" }, icon("rail"));
const rail = h(
  "nav.rail",
  { "aria-label": "Main" },
  h("div.brand", h("img", { src: "/icon.svg", alt: "" }), h("span", "Tandem"), narrow),
  nowEntry,
  entry("/search", icon("search"), "Search"),
  entry("/agents", icon("agent"), "Agents"),
  h("h2", "Boards"),
  boards,
  newEntry,
  places,
  h("div.gap"),
  me
);
const boardsTab = h("button.tab", { "aria-haspopup": "menu" }, icon("board"), "Boards");
const meTab = h("button.tab", { "aria-haspopup": "menu" }, icon("person"), "Me");
const tabs = h(
  "nav.tabs",
  { "aria-label": "Main" },
  h("a.tab", { href: "/" }, icon("bell"), "Now", tabBadge),
  boardsTab,
  h("a.tab", { href: "/search" }, icon("search"), "Search"),
  h("a.tab", { href: "/agents" }, icon("agent"), "Agents"),
  meTab
);
const app = h("div.app", banners, rail, screen, tabs);
let offline = null;

function name(text) {
  return h("span.name", text);
}

function entry(href, mark, text, badge = null) {
  return h("a.entry", { href, title: text }, mark, name(text), badge);
}

/** Put the frame into the page, and give the place for screens. */
export function placeFrame() {
  const skip = h("a.skip.button", { href: "#screen" }, "Skip to the content");
  skip.addEventListener("click", (event) => (event.preventDefault(), screen.focus()));
  document.body.prepend(skip, app);
  for (const mine of [me, meTab]) {
    mine.addEventListener("click", () => import("./me.js").then(({ openMe }) => openMe(mine)));
  }
  newEntry.addEventListener("click", newBoard);
  boardsTab.addEventListener("click", () => openMenu(boardsTab, { label: "Boards", items: boardItems() }));
  narrow.addEventListener("click", () => collapse(!app.classList.contains("narrow")));
  collapse(localStorage.getItem(NARROW) === "narrow");
  organization.addEventListener("change", draw);
  organization.addEventListener("waiting", drawWaiting);
  live.addEventListener("state", watchLine);
  setInterval(drawBanners, 30_000); // a freeze ends by the clock
  return screen;
}

function collapse(isNarrow) {
  app.classList.toggle("narrow", isNarrow);
  attribute(narrow, "aria-pressed", String(isNarrow));
  localStorage.setItem(NARROW, isNarrow ? "narrow" : "wide");
}

function boardItems() {
  const items = organization.projects.map(({ id, title, color }) => ({
    label: title,
    mark: swatch(color),
    run: () => go(boardAddress(id))
  }));
  if (organization.isArchitect) items.push({ label: "New board", mark: icon("plus"), run: newBoard });
  return items.length ? items : [{ label: "No boards yet", disabled: true }];
}

/** Mark where the page is: in the rail and in the tabs. */
export function markPlace() {
  const { name: screenName, project } = parse(location.href);
  for (const link of app.querySelectorAll("a.entry, a.tab")) {
    const to = parse(link.href);
    const isSettings = [to.pathname, location.pathname].every((one) => one.startsWith("/settings/"));
    const isHere = isSettings || (to.name === screenName && to.project === project);
    attribute(link, "aria-current", isHere && "page");
  }
  attribute(boardsTab, "aria-current", screenName === "board" && "page");
}

function draw() {
  const known = new Map([...boards.children].map((item) => [item.key, item]));
  arrange(
    boards,
    organization.projects.map(({ id, title, color }) => {
      const item = known.get(id) ?? Object.assign(h("li"), { key: id });
      const drawn = `${color} ${title}`;
      if (item.drawn !== drawn) fill(item, entry(boardAddress(id), swatch(color), title));
      item.drawn = drawn;
      return item;
    })
  );
  newEntry.hidden = !organization.isArchitect;
  drawPlaces();
  const fullName = organization.me?.fullName ?? "";
  fill(me, icon("person"), name(fullName));
  attribute(me, "title", `${fullName}, ${organization.title}`);
  drawBanners();
  markPlace();
}

function drawWaiting() {
  const waiting = organization.waiting ?? 0;
  for (const badge of [nowBadge, tabBadge]) {
    badge.hidden = !waiting;
    say(badge, waiting > 99 ? "99+" : String(waiting));
    attribute(badge, "aria-label", `${waiting} waiting for you`);
    badge.setAttribute("role", "img");
  }
  document.querySelector("link[rel=icon]").href = waiting ? "/icon-waiting.svg" : "/icon.svg";
  retitle();
}

let titled = "";

/** Name the page after its screen, and say before it how much waits. */
export function retitle(title = titled) {
  titled = title;
  const waiting = organization.waiting ? `(${organization.waiting}) ` : "";
  document.title = `${waiting}${title ? title + " · " : ""}Tandem`;
}

function watchLine() {
  clearTimeout(offline);
  if (live.state === "connecting") offline = setTimeout(() => drawBanners(true), OFFLINE_AFTER);
  drawBanners(false);
}

let isOffline = false;

function drawBanners(offlineNow = isOffline) {
  isOffline = offlineNow && live.state === "connecting";
  const frozen = organization.freeze && frozenBanner(organization.freeze);
  const lost = isOffline && h("div.banner", { role: "status" }, icon("clock"), OFFLINE);
  const shown = [...banners.children];
  const same = (banner) => shown.find(({ textContent }) => textContent === banner.textContent) ?? banner;
  arrange(banners, [frozen, lost].filter(Boolean).map(same)); // what stays keeps its focus, and is not said again
}

const OFFLINE = "No connection to the service. What you see may be old; what you do is tried and told.";

// The screens of the organization: those that there are for whoever looks, in the rail and behind the menu of a phone.
const CHART = "M2.5 13.5h11M4 11V7.5M7 11V4M10 11V6M13 11V3";
const GEAR =
  "M8 5.7a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6zM8 2v1.6M8 12.4V14M2 8h1.6M12.4 8H14" +
  "M3.8 3.8l1.1 1.1M11.1 11.1l1.1 1.1M12.2 3.8l-1.1 1.1M4.9 11.1l-1.1 1.1";

/** The screens: address, icon, words, whether there is one for the caller. */
const PLACES = [
  [design, "board", "Board design", () => organization.projects.length > 0],
  [() => "/figures", CHART, "Figures", () => true],
  [() => "/archive", "archive", "Archive", () => true],
  [() => "/settings/members", GEAR, "Settings", () => true]
];

/** Give the address of the design of the board that is looked at, else of the first. */
function design() {
  const { project } = parse(location.href);
  const { id } = organization.projects.find((one) => one.id === project) ?? organization.projects[0];
  return `${boardAddress(id)}/design`;
}

function openPlaces() {
  if (!organization.me) return [];
  return PLACES.filter(([, , , may]) => may()).map(([address, ...rest]) => [address(), ...rest]);
}

/** Draw the ways to the screens of the organization into the rail. */
function drawPlaces() {
  const known = new Map([...places.querySelectorAll("a")].map((link) => [link.getAttribute("href"), link]));
  const links = openPlaces().map(([href, mark, words]) => known.get(href) ?? entry(href, icon(mark), words));
  arrange(places, links.length ? [h("h2", organization.title), ...links] : []);
}

/** Give the screens of the organization as items of a menu. */
export function placeItems() {
  return openPlaces().map(([href, mark, label]) => ({ label, mark: icon(mark), run: () => go(href) }));
}

// A new board: only its title is asked, and it comes with the usual columns.
/** Ask for a title, make the board and go there. */
async function newBoard() {
  const title = await ask({
    title: "New board",
    text: "It begins with Backlog, Todo, In Progress, Review and Done; the last step asks a person.",
    label: "Title",
    type: "text",
    button: "Make the board",
    required: true,
    most: 500
  });
  if (!title) return;
  try {
    go(boardAddress((await makeBoard(title)).id));
  } catch (error) {
    refuse("The board was not made", refusal(error), "board");
  }
}
