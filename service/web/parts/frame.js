// The frame: banner above, rail at the left, screen in the middle, on a phone tabs at the bottom.

import { arrange, attribute, fill, h, icon, say } from "../core/dom.js";
import { live } from "../core/live.js";
import { organization } from "../core/organization.js";
import { boardAddress, parse } from "../core/route.js";

const OFFLINE_AFTER = 5000; // milliseconds without a connection until a banner says so
const NARROW = "tandem.rail";

const screen = h("main", { class: "screen", id: "screen", tabindex: "-1" });
const banners = h("div", { class: "banners" });
const boards = h("ul");
const nowBadge = h("span", { class: "badge", hidden: true });
const tabBadge = nowBadge.cloneNode();
const nowEntry = entry("/", icon("bell"), "Now", nowBadge);
const me = h("button", { class: "entry", type: "button", "aria-haspopup": "menu" });
const makeBoard = h("button", { class: "entry muted", type: "button", hidden: true }, icon("plus"), name("New board"));
const places = h("div"); // the screens of the organization
const narrow = h("button", { class: "plain", type: "button", "aria-label": "Collapse the rail" }, icon("rail"));
const rail = h(
  "nav",
  { class: "rail", "aria-label": "Main" },
  h("div", { class: "brand" }, h("img", { src: "/icon.svg", alt: "" }), h("span", null, "Tandem"), narrow),
  nowEntry,
  entry("/search", icon("search"), "Search"),
  entry("/agents", icon("agent"), "Agents"),
  h("h2", null, "Boards"),
  boards,
  makeBoard,
  places,
  h("div", { class: "gap" }),
  me,
);
const boardsTab = h("button", { class: "tab", type: "button", "aria-haspopup": "menu" }, icon("board"), "Boards");
const meTab = h("button", { class: "tab", type: "button", "aria-haspopup": "menu" }, icon("person"), "Me");
const tabs = h(
  "nav",
  { class: "tabs", "aria-label": "Main" },
  h("a", { class: "tab", href: "/" }, icon("bell"), "Now", tabBadge),
  boardsTab,
  h("a", { class: "tab", href: "/search" }, icon("search"), "Search"),
  h("a", { class: "tab", href: "/agents" }, icon("agent"), "Agents"),
  meTab,
);
const app = h("div", { class: "app" }, banners, rail, screen, tabs);
let offline = null;

function name(text) {
  return h("span", { class: "name" }, text);
}

function entry(href, mark, text, badge = null) {
  return h("a", { class: "entry", href, title: text }, mark, name(text), badge);
}

/** Put the frame into the page, and give the place for screens. */
export function placeFrame() {
  const skip = h("a", { class: "skip button", href: "#screen" }, "Skip to the content");
  skip.addEventListener("click", (event) => (event.preventDefault(), screen.focus()));
  document.body.prepend(skip, app);
  for (const mine of [me, meTab]) {
    mine.addEventListener("click", () => import("./me.js").then(({ openMe }) => openMe(mine)));
  }
  makeBoard.addEventListener("click", newBoard);
  boardsTab.addEventListener("click", async () => {
    const { openMenu } = await import("./float.js");
    openMenu(boardsTab, { label: "Boards", items: boardItems() });
  });
  narrow.addEventListener("click", () => collapse(!app.classList.contains("narrow")));
  collapse(localStorage.getItem(NARROW) === "narrow");
  organization.addEventListener("change", draw);
  organization.addEventListener("waiting", drawWaiting);
  live.addEventListener("state", watchLine);
  setInterval(drawBanners, 30_000); // a freeze ends by the clock
  return screen;
}

async function newBoard() {
  (await import("./places.js")).newBoard();
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
    run: () => import("../core/route.js").then(({ go }) => go(boardAddress(id))),
  }));
  if (organization.isArchitect) items.push({ label: "New board", mark: icon("plus"), run: newBoard });
  return items.length ? items : [{ label: "No boards yet", disabled: true }];
}

function swatch(color) {
  return h("span", { class: "swatch", style: { background: color } });
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
    }),
  );
  makeBoard.hidden = !organization.isArchitect;
  import("./places.js").then(({ drawPlaces }) => (drawPlaces(places), markPlace()));
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

async function drawBanners(offlineNow = isOffline) {
  isOffline = offlineNow && live.state === "connecting";
  const frost = organization.freeze && (await import("./frost.js"));
  const frozen = frost && organization.freeze && frost.frozenBanner(organization.freeze);
  const lost = isOffline && h("div", { class: "banner", role: "status" }, icon("clock"), OFFLINE);
  const shown = [...banners.children];
  const same = (banner) => shown.find(({ textContent }) => textContent === banner.textContent) ?? banner;
  arrange(banners, [frozen, lost].filter(Boolean).map(same)); // what stays keeps its focus, and is not said again
}

const OFFLINE = "No connection to the service. What you see may be old; what you do is tried and told.";
