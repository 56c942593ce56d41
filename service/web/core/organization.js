// The current organization: the signed-in user, its boards, the freeze, the number of open attention items.

import { get, patch, post } from "./api.js";
import { followEvents, live } from "./live.js";
import { currentSession, sessionEvents } from "./session.js";

/** The roles: their ids and names. */
export const ROLES = [
  ["Member", "Member"],
  ["SolutionArchitect", "Solution Architect"]
];
export const ROLE_NAMES = Object.fromEntries(ROLES);

const RECOUNT_MILLISECONDS = 1500; // milliseconds between two looks at how much waits

/** Tells `change` when what is known of the organization changes, `waiting` when the number does. */
export const organization = Object.assign(new EventTarget(), {
  id: null,
  me: null, // GET /auth/me
  title: "",
  isArchitect: false,
  isMember: true, // until it is known that the person is not
  projects: [],
  waiting: null, // how many things wait for a person
  freeze: null
});

let countTimer = null;

/** Read who is signed in and which boards there are, and follow what happens. */
export async function loadOrganization() {
  organization.id = currentSession().orgId;
  followEvents(organization.id);
  await Promise.all([loadMe(), loadBoards()]);
}

async function loadMe() {
  organization.me = await get("/auth/me");
  const seat = organization.me.organizations.find(({ id }) => id === organization.id);
  organization.title = seat?.title ?? "";
  organization.isMember = Boolean(seat);
  organization.isArchitect = seat?.role === "SolutionArchitect";
  applyTheme(organization.me.theme);
  emitChange();
}

async function loadBoards() {
  try {
    organization.projects = await get(orgPath("/projects"));
  } catch (error) {
    if (error.status !== 403) throw error; // a role that may not read boards has none
    organization.projects = [];
  }
  emitChange();
}

/** Give the title of a board by its id. */
export function getBoardTitle(projectId) {
  return organization.projects.find(({ id }) => id === projectId)?.title ?? "Another board";
}

/** Give a path inside the organization. */
export function orgPath(rest) {
  return `/organizations/${encodeURIComponent(organization.id)}${rest}`;
}

function emitChange() {
  organization.dispatchEvent(new Event("change"));
}

/** Note the freeze as a screen read it: {reason, until, frozenAt, frozenBy}, or null. */
export function setFreeze(freeze) {
  if (JSON.stringify(freeze) === JSON.stringify(organization.freeze)) return;
  organization.freeze = freeze;
  emitChange();
}

/** Note how many things wait for a person. */
export function setAttentionCount(number) {
  if (number === organization.waiting) return;
  organization.waiting = number;
  organization.dispatchEvent(new Event("waiting"));
}

/** Count what waits for a person, soon. */
export function refreshAttentionCount() {
  countTimer ??= setTimeout(loadAttentionCount, organization.waiting === null ? 0 : RECOUNT_MILLISECONDS);
}

async function loadAttentionCount() {
  try {
    const { counts } = await get(orgPath("/attention?counts=true"));
    const { overdue_card: _, ...waiting } = counts; // late is late, but nobody has to decide it
    setAttentionCount(Object.values(waiting).reduce((sum, number) => sum + number, 0));
  } catch {
    // The number stays as it was; the next event brings another look.
  }
  countTimer = null;
}

/** Find the other organization of the person to which a board belongs; null if there is none. */
export async function findOrganizationOfBoard(projectId) {
  try {
    const { organizations } = organization.me ?? (await get("/auth/me"));
    for (const { id } of organizations.filter((other) => other.id !== organization.id)) {
      const projects = await get(`/organizations/${encodeURIComponent(id)}/projects`);
      if (projects.some((project) => project.id === projectId)) return id;
    }
  } catch {
    // Then it is not there for this person.
  }
  return null;
}

/** Make a board with the usual columns, or as a template has it, and give it. */
export async function createBoard(title, template) {
  const project = await post(orgPath("/projects"), { title, template });
  await loadBoards();
  return project;
}

/** Show the page in a theme, here and wherever the person signs in. */
export async function setTheme(theme) {
  applyTheme(theme);
  organization.me.theme = theme;
  await patch("/settings/theme", { theme });
}

function applyTheme(theme) {
  localStorage.setItem("tandem.theme", theme);
  document.documentElement.dataset.theme = theme;
}

live.addEventListener("state", () => {
  if (live.state === "gone" && currentSession()) loadMe().catch(() => {}); // whoever was put out is told by this
});

live.addEventListener("news", ({ events }) => {
  const nouns = new Set(events.map(({ type }) => type.split(".")[0]));
  const isAnything = events.length === 0; // what happened is not known
  if (isAnything || events.some(affectsBoards)) loadBoards().catch(() => {});
  if (isAnything || nouns.has("member") || nouns.has("permission")) loadMe().catch(() => {});
  if (isAnything || nouns.has("organization")) loadFreeze();
  refreshAttentionCount();
});

function affectsBoards({ type, projectId }) {
  if (type === "project.created") return !organization.projects.some(({ id }) => id === projectId);
  return /^(project|organization|import)\./.test(type);
}

/** Read whether agents are frozen, for a screen whose own answer does not tell. */
export async function loadFreeze() {
  try {
    const freeze = await get(orgPath("/freeze"));
    setFreeze(freeze.frozen ? freeze : null);
  } catch {
    // The banner stays as it was.
  }
}

sessionEvents.addEventListener("ended", () => (countTimer = clearTimeout(countTimer)));

export const THEMES = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"]
];

// Adding people: a new account with a password, or an invitation with a code, each shown once.
