// The data of a board, kept current by events, and the actions that other features may use.

import { setTimeZone } from "../core/format.js";
import { get, post } from "../core/api.js";
import { serverNow, syncClock } from "../core/clock.js";
import { live } from "../core/live.js";
import { orgPath, setFreeze, sortPeople } from "../core/organization.js";
import { suspendShortcuts } from "../core/shortcuts.js";
import { cardAbove, mergeOrder, placeCard } from "./card-order.js";

/** @import { NewsEvent, ServiceEvent } from "../core/live.js" */
/**
 * What has changed: ids of columns and cards; see Board.
 * @typedef {{columns: Set<string>, cards: Set<string>, frame: boolean, changed: Set<string>, updated: Iterable<string>}} Changes
 */

// Other features import these actions from here only.
export { archiveCard, reportBatch, undoHistoryEntry } from "./batch.js";
export { restoreCard, trackEdit } from "./card-writes.js";
export { showBoardError } from "./move-errors.js";
export { openMoveMenu } from "./move-menu.js";
export { moveCard } from "./moves.js";
export { boardErrorText, boardNames } from "./names.js";

const CLAIM_CHECK_MILLISECONDS = 5000; // before a claim expires, it is read again, since a renewal causes no event
const EDITED_PROPERTIES = ["title", "priority", "dueDate", "dueAllDay", "assignedUserId", "assignedAgentId"];
const REFRESH_INTERVAL_MILLISECONDS = 250; // minimum between two refreshes, so that a burst of events causes few
const RETRY_MILLISECONDS = 1000; // before a failed refresh is repeated, doubled each time
const RETRY_MILLISECONDS_MAX = 30_000;
const PLACES_AROUND = ["column", "transition", "cardType", "field", "project", "member", "permission", "organization"];

const boards = new Map();

let openLoadedLabelsMenu = null; // once it is loaded, the menu takes the next key

/** Open the menu of labels, which is loaded on demand; see labels-menu.js. */
export async function openLabelsMenu(...options) {
  openLoadedLabelsMenu ??= (await suspendShortcuts(import("./labels-menu.js"))).openLabelsMenu;
  openLoadedLabelsMenu(...options);
}

/** Open the menu of people and agents, which is loaded on demand; see assignees.js. */
export async function openAssigneeMenu(...options) {
  (await suspendShortcuts(import("./assignees.js"))).openAssigneeMenu(...options);
}

/** Return the board of a project, always the same object. It is kept current until another board is shown. */
export function getBoard(projectId) {
  for (const [id, board] of boards) if (id !== projectId) board.close();
  if (!boards.has(projectId)) boards.set(projectId, new Board(projectId));
  return boards.get(projectId);
}

/** Remove the markers of unread changes from all boards. */
export function markAllSeen() {
  for (const board of boards.values()) board.cards.forEach((card) => card.unread && board.put({ ...card, unread: undefined }));
}

/**
 * A board. Dispatches `change` with `columns` and `cards` to draw, `changed` (those of the cards that have changed), `updated`
 * (those that others have changed) and `frame` (columns or settings changed).
 */
class Board extends EventTarget {
  at = null; // the id of the last event that it includes, once it is read
  project = null;
  freeze = null;
  /** @type {Record<string, string[]>} */
  can = {}; // resource -> the actions that the user may perform
  columns = [];
  cardTypes = [];
  transitions = [];
  people = [];
  agents = [];
  /** @type {Map<string, any>} */
  cards = new Map(); // by id
  /** @type {Set<string>} */
  selected = new Set(); // ids of the selected cards
  /** @type {Map<string, string[]>} */
  order = new Map(); // column -> ids
  /** @type {Map<string, any>} */
  claims = new Map(); // card -> claim
  /** @type {Map<string, number>} */
  writing = new Map(); // card -> number of pending writes
  /** @type {Map<string, number>} */
  own = new Map(); // card -> the version that the last change of the user has answered
  /** @type {{touched: Set<string>} | null} */
  reading = null; // the running read: the cards written meanwhile
  pause = RETRY_MILLISECONDS;
  lastEventId = 0; // the id of the last event received
  isClosed = false;
  refreshing = false; // whether changes are being read
  needsRefresh = false; // whether there are more
  needsAgents = false; // whether the agents have changed
  claimTimer = null;
  retryTimer = null;

  /** @param {string} projectId */
  constructor(projectId) {
    super();
    this.id = projectId;
    /** @param {NewsEvent} event */
    this.onNews = ({ events }) => this.refresh(events);
    for (const event of ["news", "begun"]) live.addEventListener(event, this.onNews);
    this.ready = this.load();
  }

  /** Stop following events and discard the board. */
  close() {
    for (const event of ["news", "begun"]) live.removeEventListener(event, this.onNews);
    clearTimeout(this.claimTimer);
    clearTimeout(this.retryTimer);
    boards.delete(this.id);
    this.isClosed = true;
  }

  /** Read the whole board. */
  async load() {
    try {
      this.applyResponse(await this.read(""));
    } catch (error) {
      if (!this.at) this.close();
      throw error;
    }
    if (this.lastEventId > this.at) this.refresh(); // events that arrived during the read
    return this;
  }

  async read(since) {
    this.reading = { touched: new Set(this.writing.keys()) };
    const request = this.reading;
    try {
      const answer = await get(orgPath(`/board?projectId=${encodeURIComponent(this.id)}${since}`));
      return { ...answer, touched: request.touched };
    } finally {
      this.reading = null;
    }
  }

  /**
   * Read the changes; calls during a read cause one more read after it.
   * @param {ServiceEvent[]} [events]
   */
  async refresh(events = []) {
    this.lastEventId = Math.max(this.lastEventId, ...events.map(({ id }) => Number(id)));
    if (this.isClosed || !this.at || (events.length && this.lastEventId <= this.at)) return; // these events are included already
    this.needsRefresh = true;
    if (events.some(({ type }) => type.startsWith("agent."))) this.needsAgents = true;
    if (this.refreshing) return;
    this.refreshing = true;
    while (this.needsRefresh && !this.isClosed) {
      this.needsRefresh = false;
      try {
        await this.readChanges();
        await new Promise((resolve) => setTimeout(resolve, REFRESH_INTERVAL_MILLISECONDS));
        this.pause = RETRY_MILLISECONDS;
      } catch (error) {
        if ([403, 404].includes(error.status)) this.emitGone(error);
        else if (error.status !== 401) this.retryLater();
        break;
      }
    }
    this.refreshing = false;
  }

  /** Refresh again after a pause; an event before that causes a refresh at once. */
  retryLater() {
    clearTimeout(this.retryTimer);
    this.retryTimer = setTimeout(() => this.refresh(), this.pause);
    this.pause = Math.min(this.pause * 2, RETRY_MILLISECONDS_MAX);
  }

  async readChanges() {
    const answer = await this.read(`&since=${this.at}`);
    const isWhole = answer.columns || answer.nouns.some((resource) => PLACES_AROUND.includes(resource));
    this.needsAgents ||= answer.nouns?.includes("agent") ?? false; // its event may come later, and is then included already
    this.applyResponse(answer.columns || !isWhole ? answer : await this.read(""));
    if (this.needsAgents) {
      this.needsAgents = false;
      this.agents = await get(orgPath("/agents"));
      this.emitChange({ frame: true, cards: new Set(this.claims.keys()) });
    }
  }

  emitGone(error) {
    this.dispatchEvent(Object.assign(new Event("gone"), { error }));
  }

  /** @param {Partial<Changes>} changes */
  emitChange({ columns = new Set(), cards = new Set(), frame = false, changed = cards, updated = [] }) {
    this.dispatchEvent(Object.assign(new Event("change"), { columns, cards, frame, changed, updated }));
  }

  applyResponse(answer) {
    syncClock(answer.now);
    if (answer.columns) this.applySnapshot(answer);
    else this.applyChanges(answer);
    setFreeze(answer.freeze);
  }

  applySnapshot({ cards, claims, touched, ...settings }) {
    setTimeZone(settings.timezone);
    const { at, project, columns, cardTypes, transitions, agents, can, freeze } = settings;
    const people = sortPeople(settings.people);
    const local = [...touched].map((id) => this.cards.get(id)).filter(Boolean);
    Object.assign(this, { at, project, columns, cardTypes, transitions, people, agents, can, freeze });
    const isChanged = ({ id, version }) => this.cards.get(id)?.version !== version;
    const changed = new Set(cards.filter(isChanged).map(({ id }) => id));
    this.cards = new Map(cards.map((card) => [card.id, card]));
    const order = new Map(columns.map(({ id }) => [id, []]));
    for (const card of cards) order.get(card.columnId)?.push(card.id);
    this.order = order;
    for (const card of local) if (this.writing.has(card.id)) this.put(card);
    if (local.length) this.at = "0"; // the server versions of the skipped cards are read again with the next refresh
    this.applyClaims(claims);
    const all = { columns: new Set(order.keys()), cards: new Set(this.cards.keys()) };
    this.emitChange({ ...all, changed, updated: changed, frame: true });
  }

  applyChanges({ at, cards, changed, claims, freeze, touched }) {
    const changedIds = changed.filter((id) => !touched.has(id));
    const columns = new Set();
    const out = new Set(changedIds);
    const versions = new Map(cards.map(({ id, version }) => [id, version]));
    const isUpdated = (id) => this.cards.get(id)?.version !== versions.get(id) && !this.isOwn(id, versions.get(id));
    const updated = changedIds.filter(isUpdated);
    for (const id of changedIds) if (this.cards.has(id)) columns.add(this.cards.get(id).columnId);
    const below = new Map();
    for (const { afterCardId, ...card } of cards) {
      if (!out.has(card.id) || !this.order.has(card.columnId)) continue;
      columns.add(card.columnId);
      if (!below.has(card.columnId)) below.set(card.columnId, new Map());
      below.get(card.columnId).set(afterCardId ?? null, card.id);
      this.cards.set(card.id, card);
    }
    const here = new Set(cards.map(({ id }) => id));
    for (const id of changedIds) if (!here.has(id)) this.cards.delete(id);
    for (const id of columns) this.reorderColumn(id, out, below.get(id) ?? new Map());
    const claimed = this.applyClaims(claims);
    this.freeze = freeze;
    if (changedIds.length === changed.length) this.at = at;
    else this.needsRefresh ||= this.writing.size === 0;
    if (out.size + claimed.size)
      this.emitChange({ columns, cards: new Set([...out, ...claimed]), updated: [...updated, ...claimed] });
  }

  reorderColumn(columnId, out, below) {
    const order = this.order.get(columnId);
    if (order) this.order.set(columnId, mergeOrder(out.size ? order.filter((id) => !out.has(id)) : order, below));
  }

  /** Store the claims; return the ids of cards whose claim changed. An expired claim stays until the card is claimed again. */
  applyClaims(claims) {
    const before = this.claims;
    this.claims = new Map(claims.map((claim) => [claim.cardId, claim]));
    for (const [id, claim] of before)
      if (!this.claims.has(id) && this.cards.has(id) && Date.parse(claim.expiresAt) <= serverNow()) this.claims.set(id, claim);
    const differs = (id) => this.claims.get(id)?.expiresAt !== before.get(id)?.expiresAt;
    this.scheduleClaimCheck();
    return new Set([...before.keys(), ...this.claims.keys()].filter(differs));
  }

  scheduleClaimCheck() {
    clearTimeout(this.claimTimer);
    const ends = [...this.claims.values()].map(({ expiresAt }) => Date.parse(expiresAt) - serverNow()).filter((left) => left > 0);
    if (!ends.length) return;
    const next = Math.min(...ends);
    const early = next - CLAIM_CHECK_MILLISECONDS;
    this.claimTimer = setTimeout(() => this.refresh(), early > 0 ? early : next + 100);
  }

  /** Remember cards as changes of the user have answered them, which are no changes by others. */
  setOwn(cards) {
    for (const { id, version } of cards) this.own.set(id, version);
  }

  /** Return whether the last change of the user has answered this version of a card, or the card is gone since. */
  isOwn(id, version) {
    return this.own.has(id) && (version === undefined || version === this.own.get(id));
  }

  /** Take over the version of a card that a write has answered, so that the next write is no conflict. */
  setVersion({ id, version, updatedAt }) {
    const known = this.cards.get(id);
    if (known?.version < version) this.cards.set(id, { ...known, version, updatedAt });
  }

  /** Show what an edit of the open card has answered, unless writes of the board are pending. */
  putEdited(card) {
    this.setVersion(card);
    const known = this.cards.get(card.id);
    if (known?.version !== card.version || this.writing.has(card.id)) return;
    this.put({ ...known, ...Object.fromEntries(EDITED_PROPERTIES.map((name) => [name, card[name]])) });
  }

  /** Store a card locally, in its column, below the card `behind` (null: the top, undefined: its place or the end). */
  put(card, behind) {
    const before = this.cards.get(card.id);
    if (before && before.columnId !== card.columnId) {
      this.order.set(before.columnId, this.order.get(before.columnId)?.filter((id) => id !== card.id) ?? []);
    }
    const order = this.order.get(card.columnId) ?? [];
    if (!order.includes(card.id) || behind !== undefined) this.order.set(card.columnId, placeCard(order, card.id, behind));
    this.cards.set(card.id, card);
    this.emitChange({ columns: new Set([before?.columnId, card.columnId].filter(Boolean)), cards: new Set([card.id]) });
  }

  /** Return the id of the card above another in its column, or null. */
  above(id) {
    return cardAbove(this.order.get(this.cards.get(id).columnId), id);
  }

  column(id) {
    return this.columns.find((column) => column.id === id);
  }

  agent(id) {
    return this.agents.find((agent) => agent.id === id);
  }

  person(id) {
    return this.people.find((person) => person.id === id);
  }

  type(id) {
    return this.cardTypes.find((type) => type.id === id);
  }

  /** Return whether the user may perform an action on a resource. */
  isAllowed(action, resource = "Card") {
    return this.can[resource]?.includes(action) ?? false;
  }

  /** Return whether a card is done or marked as complete, so that it cannot be late. */
  isComplete(id) {
    const { columnId, dueComplete } = this.cards.get(id) ?? {};
    return dueComplete || this.column(columnId)?.columnType === "done";
  }

  /** Return whether the user may create cards, and the board has a column and a card type for them. */
  canHaveNewCards() {
    return this.isAllowed("create") && this.columns.length > 0 && this.cardTypes.length > 0;
  }

  /** Return the columns that cards can move to from a column. */
  transitionsFrom(columnId) {
    const edges = this.transitions.filter((edge) => edge.fromColumnId === columnId);
    return this.columns.filter(({ id }) => edges.some((edge) => edge.toColumnId === id));
  }

  /** Create a card at the end of a column: {title, cardTypeId, …} as the API takes it. */
  async add(columnId, values, retry) {
    const card = await post(orgPath("/cards"), { projectId: this.id, columnId, ...values }, { retry });
    this.setOwn([card]);
    this.refresh();
    return card;
  }
}
