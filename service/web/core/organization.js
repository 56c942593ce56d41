// The current organization: the signed-in user, its boards, the freeze, the number of items that wait for the user.

import { get, patch, post } from "./api.js";
import { compareNames } from "./format.js";
import { followEvents, live } from "./live.js";
import { currentSession, sessionEvents } from "./session.js";
import { storeValue } from "./storage.js";

/** @import { NewsEvent, ServiceEvent } from "./live.js" */

/**
 * The roles: their ids and names.
 * @type {[id: string, name: string][]}
 */
export const ROLES = [
  ["Member", "Member"],
  ["SolutionArchitect", "Solution Architect"]
];
export const ROLE_NAMES = new Map(ROLES);

const RECOUNT_MILLISECONDS = 1500; // between two requests for the number of waiting items

/** Dispatches `change` when the organization changes, `attention` when the number of waiting items does. */
export const organization = Object.assign(new EventTarget(), {
  id: null,
  me: null, // GET /auth/me
  title: "",
  isArchitect: false,
  isMember: true, // until the service says otherwise
  projects: [],
  attentionCount: null, // the number of move requests and questions that the user may decide or answer
  freeze: null
});

let countTimer = null;
let isCountStale = false; // something has happened since the count was asked for

/** Load the signed-in user and the boards, and follow the events. */
export async function loadOrganization() {
  organization.id = currentSession().orgId;
  followEvents(organization.id);
  await Promise.all([loadMe(), loadBoards()]);
}

async function loadMe() {
  organization.me = await get("/auth/me");
  const membership = organization.me.organizations.find(({ id }) => id === organization.id);
  organization.title = membership?.title ?? "";
  organization.isMember = Boolean(membership);
  organization.isArchitect = membership?.role === "SolutionArchitect";
  applyTheme(organization.me.theme);
  emitChange();
}

async function loadBoards() {
  try {
    organization.projects = await get(orgPath("/projects"));
  } catch (error) {
    if (error.status !== 403) throw error; // a role without access to boards sees none
    organization.projects = [];
  }
  emitChange();
}

/** Return the title of a board. */
export function getBoardTitle(projectId) {
  return organization.projects.find(({ id }) => id === projectId)?.title ?? "Another board";
}

/** Return an API path inside the organization. */
export function orgPath(rest) {
  return `/organizations/${encodeURIComponent(organization.id)}${rest}`;
}

function emitChange() {
  organization.dispatchEvent(new Event("change"));
}

/** Set the freeze, as an answer contained it: {reason, until, frozenAt, frozenBy}, or null. */
export function setFreeze(freeze) {
  if (JSON.stringify(freeze) === JSON.stringify(organization.freeze)) return;
  organization.freeze = freeze;
  emitChange();
}

/** Return whether the user may decide or answer attention items of a kind: move requests or questions. */
export function isWaiting({ waiting }, kind) {
  return kind !== "pending_agent" && Object.hasOwn(waiting, kind);
}

/** Return how many move requests and questions the user may decide or answer. */
export function countWaiting({ waiting }) {
  return (waiting.move_request ?? 0) + (waiting.question ?? 0);
}

/** Set the number of attention items that the user may decide or answer. */
export function setAttentionCount(number) {
  if (number === organization.attentionCount) return;
  organization.attentionCount = number;
  organization.dispatchEvent(new Event("attention"));
}

/** Schedule an update of the number of waiting items. */
export function refreshAttentionCount() {
  isCountStale = true;
  countTimer ??= setTimeout(loadAttentionCount, organization.attentionCount === null ? 0 : RECOUNT_MILLISECONDS);
}

async function loadAttentionCount() {
  isCountStale = false;
  try {
    setAttentionCount(countWaiting(await get(orgPath("/attention?counts=true"))));
  } catch {
    // The number stays as it was until the next event.
  }
  countTimer = null;
  if (isCountStale) refreshAttentionCount();
}

/** Find which other organization of the user has a board; return null if none has. */
export async function findOrganizationOfBoard(projectId) {
  try {
    const { organizations } = organization.me ?? (await get("/auth/me"));
    for (const { id } of organizations.filter((other) => other.id !== organization.id)) {
      const projects = await get(`/organizations/${encodeURIComponent(id)}/projects`);
      if (projects.some((project) => project.id === projectId)) return id;
    }
  } catch {
    // Then the user has no access.
  }
  return null;
}

/** Create a board, by default with the usual columns, and return it. */
export async function createBoard(title, template) {
  const project = await post(orgPath("/projects"), { title, template });
  await loadBoards();
  return project;
}

/** Set the user's theme, in all browsers. */
export async function setTheme(theme) {
  applyTheme(theme);
  organization.me.theme = theme;
  await patch("/settings/theme", { theme });
}

function applyTheme(theme) {
  storeValue("tandem.theme", theme);
  document.documentElement.dataset.theme = theme;
}

live.addEventListener("state", () => {
  if (live.state === "gone" && currentSession()) loadMe().catch(() => {}); // a removed member is told so
});

live.addEventListener("news", (/** @type {NewsEvent} */ { events }) => {
  const resources = new Set(events.map(({ type }) => type.split(".")[0]));
  const isAnything = events.length === 0; // events may have been missed
  if (isAnything || events.some(affectsBoards)) loadBoards().catch(() => {});
  if (isAnything || resources.has("member") || resources.has("permission")) loadMe().catch(() => {});
  if (isAnything || resources.has("organization")) loadFreeze();
  refreshAttentionCount();
});

/** @param {ServiceEvent} event */
function affectsBoards({ type, projectId }) {
  if (type === "project.created") return !organization.projects.some(({ id }) => id === projectId);
  return /^(project|organization|import)\./.test(type);
}

/** Load the freeze, for pages whose own data does not contain it. */
export async function loadFreeze() {
  try {
    const freeze = await get(orgPath("/freeze"));
    setFreeze(freeze.frozen ? freeze : null);
  } catch {
    // The banner stays as it was.
  }
}

sessionEvents.addEventListener("ended", () => {
  clearTimeout(countTimer);
  [countTimer, isCountStale] = [null, false];
});

export const THEMES = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"]
];

/** Return people, each {id, name}, in the order of lists: the user first, the others by name. */
export function sortPeople(people) {
  const isMe = ({ id }) => id === currentSession()?.userId;
  return people.toSorted((one, other) => Number(isMe(other)) - Number(isMe(one)) || compareNames(one.name, other.name));
}
