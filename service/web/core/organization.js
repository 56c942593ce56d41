// The organization that the page shows: who looks at it, which boards it has, how much waits for somebody.

import { get, patch, post, service, signedIn } from "./api.js";
import { follow, live } from "./live.js";

const RECOUNT = 1500; // milliseconds between two looks at how much waits

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

let counting = null;

/** Read who is signed in and which boards there are, and follow what happens. */
export async function enter() {
  organization.id = signedIn().orgId;
  follow(organization.id);
  await Promise.all([readMe(), readProjects()]);
}

async function readMe() {
  organization.me = await get("/auth/me");
  const seat = organization.me.organizations.find(({ id }) => id === organization.id);
  organization.title = seat?.title ?? "";
  organization.isMember = Boolean(seat);
  organization.isArchitect = seat?.role === "SolutionArchitect";
  keepTheme(organization.me.theme);
  changed();
}

async function readProjects() {
  try {
    organization.projects = await get(path("/projects"));
  } catch (error) {
    if (error.status !== 403) throw error; // a role that may not read boards has none
    organization.projects = [];
  }
  changed();
}

/** Give the title of a board by its id. */
export function boardTitle(projectId) {
  return organization.projects.find(({ id }) => id === projectId)?.title ?? "Another board";
}

/** Give a path inside the organization. */
export function path(rest) {
  return `/organizations/${encodeURIComponent(organization.id)}${rest}`;
}

function changed() {
  organization.dispatchEvent(new Event("change"));
}

/** Note the freeze as a screen read it: {reason, until, frozenAt, frozenBy}, or null. */
export function noteFreeze(freeze) {
  if (JSON.stringify(freeze) === JSON.stringify(organization.freeze)) return;
  organization.freeze = freeze;
  changed();
}

/** Note how many things wait for a person. */
export function noteWaiting(number) {
  if (number === organization.waiting) return;
  organization.waiting = number;
  organization.dispatchEvent(new Event("waiting"));
}

/** Count what waits for a person, soon. */
export function recount() {
  counting ??= setTimeout(count, organization.waiting === null ? 0 : RECOUNT);
}

async function count() {
  try {
    const { counts } = await get(path("/attention?counts=true"));
    const { overdue_card: _, ...waiting } = counts; // late is late, but nobody has to decide it
    noteWaiting(Object.values(waiting).reduce((sum, number) => sum + number, 0));
  } catch {
    // The number stays as it was; the next event brings another look.
  }
  counting = null;
}

/** Find the other organization of the person to which a board belongs; null if there is none. */
export async function organizationOf(projectId) {
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
export async function makeBoard(title, template) {
  const project = await post(path("/projects"), { title, template });
  await readProjects();
  return project;
}

/** Show the page in a theme, here and wherever the person signs in. */
export async function chooseTheme(theme) {
  keepTheme(theme);
  organization.me.theme = theme;
  await patch("/settings/theme", { theme });
}

function keepTheme(theme) {
  localStorage.setItem("tandem.theme", theme);
  document.documentElement.dataset.theme = theme;
}

live.addEventListener("state", () => {
  if (live.state === "gone" && signedIn()) readMe().catch(() => {}); // whoever was put out is told by this
});

live.addEventListener("news", ({ events }) => {
  const nouns = new Set(events.map(({ type }) => type.split(".")[0]));
  const isAnything = events.length === 0; // what happened is not known
  if (isAnything || events.some(changesBoards)) readProjects().catch(() => {});
  if (isAnything || nouns.has("member") || nouns.has("permission")) readMe().catch(() => {});
  if (isAnything || nouns.has("organization")) readFreeze();
  recount();
});

function changesBoards({ type, projectId }) {
  if (type === "project.created") return !organization.projects.some(({ id }) => id === projectId);
  return /^(project|organization|import)\./.test(type);
}

/** Read whether agents are frozen, for a screen whose own answer does not tell. */
export async function readFreeze() {
  try {
    const freeze = await get(path("/freeze"));
    noteFreeze(freeze.frozen ? freeze : null);
  } catch {
    // The banner stays as it was.
  }
}

service.addEventListener("ended", () => (counting = clearTimeout(counting)));

// Finding cards on all boards: by words in titles, fields and comments, or by their key.
export const QUERY_CHARACTERS_MAX = 200;
const KEY = /^[a-z][a-z0-9]{1,9}-[1-9][0-9]{0,9}$/i;

/** Find a page of cards, the one with that key first: {items: [{cardId, cardKey, projectId, title, snippets}], total}. */
export async function findCards(q, page, pageSize) {
  const query = new URLSearchParams({ q, page, pageSize });
  const [named, found] = await Promise.all([
    page === 1 && KEY.test(q) ? byKey(q) : null,
    get(path(`/search?${query}`))
  ]);
  const items = found.items.filter(({ cardId }) => cardId !== named?.id);
  if (named) items.unshift({ ...named, cardId: named.id, cardKey: named.key, snippets: [] });
  return { items, total: found.total };
}

async function byKey(key) {
  try {
    const card = await get(`/cards/${encodeURIComponent(key)}`);
    return card.archivedAt ? null : card;
  } catch {
    return null;
  }
}
