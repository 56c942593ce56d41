// The entry point: signs the user in, mounts the frame, and shows the page that the address names.

import { renewSession } from "./core/api.js";
import { pageUrl } from "./core/base-path.js";
import { h, replaceChildren } from "./core/dom.js";
import { errorText, isLoadError } from "./core/error-text.js";
import { formatNumber } from "./core/format.js";
import { followEvents } from "./core/live.js";
import { limitMarks } from "./core/marks.js";
import { loadFreeze, loadOrganization, organization, refreshAttentionCount } from "./core/organization.js";
import { boardUrl, navigate, parseAddress, router } from "./core/router.js";
import { currentSession, sessionEvents } from "./core/session.js";
import { loadShortcuts, registerShortcuts, suspendShortcuts, topDialog } from "./core/shortcuts.js";
import { freezeAgents } from "./ui/freeze.js";
import { mountToasts, showError } from "./ui/toast.js";
import { markCurrentPage, mountFrame } from "./sidebar.js";

const RENEWAL_MILLISECONDS = 60_000; // between two checks of the token's age

// The modules of the pages, by the names that the router gives them.
const PAGES = {
  __proto__: null,
  home: () => import("./home/page.js"),
  "my-cards": () => import("./home/my-cards.js"),
  board: () => import("./board/page.js"),
  "board-settings": () => import("./design/page.js"),
  agents: () => import("./agents/page.js"),
  agent: () => import("./agents/agent-page.js"),
  reports: () => import("./reports/page.js"),
  search: () => import("./search/page.js"),
  archive: () => import("./search/archive.js"),
  profile: () => import("./profile/page.js"),
  members: () => import("./settings/members.js"),
  permissions: () => import("./settings/permissions.js"),
  "api-keys": () => import("./settings/api-keys.js"),
  "tool-servers": () => import("./settings/tool-servers.js"),
  prompts: () => import("./settings/prompts.js"),
  webhooks: () => import("./settings/webhooks.js"),
  data: () => import("./settings/data.js")
};
// Loaded when they are needed. The card dialog and the first steps are passed to the pages, since features do not
// import each other.
const signIn = async (reason) => (await import("./sign-in.js")).signIn(reason);
const loadCardDialog = async () => (await Promise.all([import("./card/dialog.js"), loadFurtherStyles()]))[0].openCardDialog;
const loadGettingStarted = async () => (await import("./getting-started.js")).showGettingStarted;

const host = mountFrame();
let current = null; // {name, screen}: the page that is shown
let currentTitle = "";
let furtherStyles = null; // the style sheet that the first screen of a board does without, once it is asked for
let generation = 0; // increases with each navigation, so that a slow page does not replace a newer one

mountToasts();
begin();
addEventListener("load", () => (loadFurtherStyles(), loadStyles("print.css", "print")), { once: true });

async function begin() {
  if (!currentSession()) await signIn();
  const address = parseAddress(location.href);
  if (address.name === "signin" && openReturnAddress(localAddress(address.query.get("to")))) return;
  const entered = loadOrganization();
  loadShortcuts();
  router.addEventListener("change", showPage);
  showPage();
  setInterval(renewSession, RENEWAL_MILLISECONDS);
  try {
    await entered;
    refreshAttentionCount();
    if (address.name !== "board") loadFreeze(); // the data of a board contains it
  } catch (error) {
    if (error.status !== 401 && organization.isMember) showFailure(error);
  }
}

/**
 * Add a style sheet; resolve when it is there, or failed: a page without its styles is better than none.
 * @param {string} name
 * @param {string} [media]
 * @returns {Promise<void>}
 */
function loadStyles(name, media = "all") {
  return new Promise((resolve) => {
    const href = pageUrl(`/${name}`);
    document.head.append(h("link", { rel: "stylesheet", media, href, load: () => resolve(), error: () => resolve() }));
  });
}

/** Load the styles that the first screen of a board does without. */
function loadFurtherStyles() {
  return (furtherStyles ??= loadStyles("further.css"));
}

/** Go to the address requested before the sign-in; return whether the API reference is loaded instead of this page. */
function openReturnAddress(address) {
  const isReference = isReferencePath(new URL(address, location.origin).pathname);
  if (isReference) location.replace(address);
  else navigate(address, true);
  return isReference;
}

/** Return an address if it is one of a page or of the API reference; else, also for the sign-in, the start page. */
function localAddress(address) {
  if (!address?.startsWith("/") || !URL.canParse(address, location.origin)) return pageUrl("/");
  const { origin, pathname, search, hash } = new URL(address, location.origin);
  const { name } = parseAddress(origin + pathname); // null for //host, which "/.//host" means as well
  const isPage = pathname.startsWith(pageUrl("/")) && name !== null && name !== "signin";
  const isKnown = origin === location.origin && (isPage || isReferencePath(pathname));
  return isKnown ? pathname + search + hash : pageUrl("/");
}

function isReferencePath(pathname) {
  return pathname === pageUrl("/api/docs") || pathname.startsWith(pageUrl("/api/docs/"));
}

async function showPage() {
  const ownGeneration = ++generation;
  const address = parseAddress(location.href);
  if (address.pathname === "/figures") return navigate(pageUrl(`/reports${location.search}`), true);
  markCurrentPage();
  if (!organization.isMember) return showNoOrganization();
  if (current?.name === address.name && current.screen.update?.(address)) return;
  current?.screen.leave?.();
  current = null;
  const isFirst = host.childElementCount === 0;
  if (!address.name) return showNotFound();
  try {
    const [module] = await Promise.all([PAGES[address.name](), address.name !== "board" && loadFurtherStyles()]);
    if (ownGeneration !== generation) return;
    replaceChildren(host);
    current = {
      name: address.name,
      screen: module.show(host, address, { loadCardDialog, loadGettingStarted, setTitle })
    };
    setTitle(current.screen.title);
    if (!isFirst && !host.contains(document.activeElement)) host.focus();
  } catch (error) {
    if (ownGeneration === generation) showFailure(error);
  }
}

function showNotFound() {
  current = { name: null, screen: { leave: () => organization.removeEventListener("change", drawNotFound) } };
  organization.addEventListener("change", drawNotFound);
  return drawNotFound();
}

async function drawNotFound() {
  setTitle("No such page");
  replaceChildren(host, (await import("./error-pages.js")).renderNotFound());
}

/** Show that the user is no longer a member of this organization. */
async function showNoOrganization() {
  generation += 1;
  current?.screen.leave?.();
  current = null;
  setTitle("");
  replaceChildren(host, (await import("./error-pages.js")).renderNoOrganization());
}

/** Set the title of the browser tab, with the number of open attention items before it. */
function setTitle(title = currentTitle) {
  currentTitle = title;
  const waiting = organization.attentionCount ? `(${formatNumber(organization.attentionCount)}) ` : "";
  document.title = limitMarks(`${waiting}${title ? title + " · " : ""}Tandem`);
}

/** Show an error instead of a page, with a button that tries again. */
function showFailure(error) {
  setTitle("Something went wrong");
  const again = h("button.button.main", { click: () => location.reload() }, "Try again");
  const about = error.requestId && h("p.small.muted", `Request ${error.requestId}`);
  replaceChildren(host, h("div.page-message", h("h1", "This did not load"), h("p", errorText(error)), again, about));
}

organization.addEventListener("attention", () => setTitle());
organization.addEventListener("change", () => organization.isMember || showNoOrganization());

sessionEvents.addEventListener("ended", async () => {
  const before = organization.me?.id;
  await signIn("Your session has ended. Nothing you typed is lost.");
  if (before === undefined) return location.reload();
  followEvents(organization.id);
  current?.screen.refresh?.();
});

sessionEvents.addEventListener("session", () => {
  if (!organization.me) return;
  if (!currentSession())
    sessionEvents.dispatchEvent(new Event("ended")); // signed out in another tab
  else if (currentSession().userId !== organization.me.id) {
    replaceChildren(document.body); // nothing that the former user wrote stays on the screen
    location.assign(pageUrl("/"));
  }
});

// A control whose module did not load has done nothing, and says so.
addEventListener("unhandledrejection", (event) => {
  if (!isLoadError(event.reason)) return;
  event.preventDefault();
  showError("This could not be opened", errorText(event.reason));
});

// A file dropped outside of a drop target must not make the browser open it.
const refuseFiles = (/** @type {DragEvent} */ event) => event.dataTransfer.types.includes("Files") && event.preventDefault();
addEventListener("dragover", refuseFiles);
addEventListener("drop", refuseFiles);

const openPalette = () => suspendShortcuts(import("./command-palette.js").then(({ openCommandPalette }) => openCommandPalette()));
const freeze = () => organization.isArchitect && !organization.freeze && void freezeAgents();
freeze.isAvailable = () => organization.isArchitect && !organization.freeze;
const openPaletteOverCard = () => topDialog().matches(".card-dialog") && void openPalette();
const goToBoards = () => organization.projects.length > 0 && navigate(boardUrl(organization.projects[0].id));
goToBoards.isAvailable = () => organization.projects.length > 0;
openPalette.isAvailable = openPaletteOverCard.isAvailable = () => false; // it is open

const globalActions = {
  "go.now": () => navigate(pageUrl("/")),
  "go.mine": () => navigate(pageUrl("/my-cards")),
  "go.agents": () => navigate(pageUrl("/agents")),
  "go.figures": () => navigate(pageUrl("/reports")),
  "go.search": () => navigate(pageUrl("/search")),
  "go.boards": goToBoards,
  "palette.open": openPalette,
  "agents.freeze": freeze,
  help: () => void import("./shortcut-help.js").then(({ showShortcutHelp }) => showShortcutHelp())
};
registerShortcuts(globalActions, null, { isGlobal: true });
registerShortcuts({ "palette.open": openPaletteOverCard }, "any");
