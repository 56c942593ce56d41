// The data of a board, kept current by events, and what other features may do with it.

import { get, post } from "../core/api.js";
import { serverNow, syncClock } from "../core/clock.js";
import { live } from "../core/live.js";
import { orgPath, setFreeze } from "../core/organization.js";
import { cardAbove, mergeOrder, placeCard } from "./card-order.js";

// Other features act on cards through this module only.
export { archiveCard, BATCH_CARDS_MAX, undoHistoryEntry } from "./batch.js";
export { restoreCard } from "./card-writes.js";
export { showBoardError } from "./move-errors.js";
export { openMoveMenu } from "./move-menu.js";
export { moveCard } from "./moves.js";
export { boardErrorText, boardNames } from "./names.js";

const CLAIM_LOOK = 5000; // milliseconds before a lease runs out when it is looked at, since a renewal writes no event
const LOOKS_APART = 250; // milliseconds between two looks, so that a burst costs few
const FIRST_PAUSE = 1000; // milliseconds until a look that failed is tried again, doubled each time
const LONGEST_PAUSE = 30_000;
const PLACES_AROUND = ["column", "transition", "cardType", "field", "project", "member", "permission", "organization"];

const boards = new Map();

/** Give the board of a project, the same to all who ask; it is kept up until the page shows another one. */
export function getBoard(projectId) {
  for (const [id, board] of boards) if (id !== projectId) board.close();
  if (!boards.has(projectId)) boards.set(projectId, new Board(projectId));
  return boards.get(projectId);
}

/** Take the marks of what is new off all boards, since all is seen. */
export function markAllSeen() {
  for (const board of boards.values())
    board.cards.forEach((card) => card.unread && board.put({ ...card, unread: undefined }));
}

/** A board; tells `change` with `columns` and `cards` (sets of ids) and `frame` (all around the cards). */
class Board extends EventTarget {
  constructor(projectId) {
    super();
    Object.assign(this, { id: projectId, at: null, project: null, freeze: null, can: {} });
    Object.assign(this, { columns: [], cardTypes: [], transitions: [], people: [], agents: [] });
    Object.assign(this, { cards: new Map(), selected: new Set() }); // the latter are changed together
    this.order = new Map(); // column -> ids
    this.claims = new Map(); // card -> claim
    this.writing = new Map(); // card -> how many writes are under way
    this.reading = null; // the look that is under way: {touched}
    this.pause = FIRST_PAUSE;
    this.heard = 0; // the last event that was told of
    this.hear = ({ events }) => this.refresh(events);
    for (const told of ["news", "begun"]) live.addEventListener(told, this.hear);
    this.ready = this.load();
  }

  /** Forget the board; whoever wants it again reads it anew. */
  close() {
    for (const told of ["news", "begun"]) live.removeEventListener(told, this.hear);
    clearTimeout(this.looking);
    clearTimeout(this.trying);
    boards.delete(this.id);
    this.isClosed = true;
  }

  /** Read the whole board. */
  async load() {
    try {
      this.take(await this.read(""));
    } catch (error) {
      if (!this.at) this.close();
      throw error;
    }
    if (this.heard > this.at) this.refresh(); // what happened while it was read
    return this;
  }

  async read(since) {
    this.reading = { touched: new Set(this.writing.keys()) };
    const mine = this.reading;
    try {
      const answer = await get(orgPath(`/board?projectId=${encodeURIComponent(this.id)}${since}`));
      return { ...answer, touched: mine.touched };
    } finally {
      this.reading = null;
    }
  }

  /** Read what changed; who asks meanwhile gets one more look afterwards. */
  async refresh(events = []) {
    this.heard = Math.max(this.heard, ...events.map(({ id }) => Number(id)));
    if (this.isClosed || !this.at || (events.length && this.heard <= this.at)) return; // it has them already
    this.wanted = true;
    if (events.some(({ type }) => type.startsWith("agent."))) this.wantsAgents = true;
    if (this.refreshing) return;
    this.refreshing = true;
    while (this.wanted && !this.isClosed) {
      this.wanted = false;
      try {
        await this.look();
        await new Promise((resolve) => setTimeout(resolve, LOOKS_APART));
        this.pause = FIRST_PAUSE;
      } catch (error) {
        if ([403, 404].includes(error.status)) this.fail(error);
        else if (error.status !== 401) this.tryAgain();
        break;
      }
    }
    this.refreshing = false;
  }

  /** Look again after a while; whatever happens before brings a look at once. */
  tryAgain() {
    clearTimeout(this.trying);
    this.trying = setTimeout(() => this.refresh(), this.pause);
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE);
  }

  async look() {
    const answer = await this.read(`&since=${this.at}`);
    const isWhole = answer.columns || answer.nouns.some((noun) => PLACES_AROUND.includes(noun));
    this.take(answer.columns || !isWhole ? answer : await this.read(""));
    if (this.wantsAgents) {
      this.wantsAgents = false;
      this.agents = await get(orgPath("/agents"));
      this.tell({ frame: true, cards: new Set(this.claims.keys()) });
    }
  }

  fail(error) {
    this.dispatchEvent(Object.assign(new Event("gone"), { error }));
  }

  tell({ columns = new Set(), cards = new Set(), frame = false }) {
    this.dispatchEvent(Object.assign(new Event("change"), { columns, cards, frame }));
  }

  take(answer) {
    syncClock(answer.now);
    if (answer.columns) this.takeWhole(answer);
    else this.takeNews(answer);
    setFreeze(answer.freeze);
  }

  takeWhole({ cards, claims, touched, ...frame }) {
    const { at, project, columns, cardTypes, transitions, people, agents, can, freeze } = frame;
    const kept = [...touched].map((id) => this.cards.get(id)).filter(Boolean);
    Object.assign(this, { at, project, columns, cardTypes, transitions, people, agents, can, freeze });
    this.cards = new Map(cards.map((card) => [card.id, card]));
    const order = new Map(columns.map(({ id }) => [id, []]));
    for (const card of cards) order.get(card.columnId)?.push(card.id);
    this.order = order;
    for (const card of kept) if (this.writing.has(card.id)) this.put(card);
    if (kept.length) this.at = "0"; // what was passed over is asked for again, with all the rest
    this.takeClaims(claims);
    this.tell({ columns: new Set(order.keys()), cards: new Set(this.cards.keys()), frame: true });
  }

  takeNews({ at, cards, changed, claims, freeze, touched }) {
    const mine = changed.filter((id) => !touched.has(id));
    const columns = new Set();
    const out = new Set(mine);
    for (const id of mine) if (this.cards.has(id)) columns.add(this.cards.get(id).columnId);
    const below = new Map();
    for (const { afterCardId, ...card } of cards) {
      if (!out.has(card.id) || !this.order.has(card.columnId)) continue;
      columns.add(card.columnId);
      if (!below.has(card.columnId)) below.set(card.columnId, new Map());
      below.get(card.columnId).set(afterCardId ?? null, card.id);
      this.cards.set(card.id, card);
    }
    const here = new Set(cards.map(({ id }) => id));
    for (const id of mine) if (!here.has(id)) this.cards.delete(id);
    for (const id of columns) this.arrange(id, out, below.get(id) ?? new Map());
    const claimed = this.takeClaims(claims);
    this.freeze = freeze;
    if (mine.length === changed.length) this.at = at;
    else this.wanted ||= this.writing.size === 0;
    if (out.size + claimed.size) this.tell({ columns, cards: new Set([...out, ...claimed]) });
  }

  arrange(columnId, out, below) {
    const order = this.order.get(columnId);
    if (order) this.order.set(columnId, mergeOrder(out.size ? order.filter((id) => !out.has(id)) : order, below));
  }

  /** Take who works on what; a lease that ran out while somebody looked stays to be seen until something happens. */
  takeClaims(claims) {
    const before = this.claims;
    this.claims = new Map(claims.map((claim) => [claim.cardId, claim]));
    for (const [id, claim] of before)
      if (!this.claims.has(id) && this.cards.has(id) && Date.parse(claim.expiresAt) <= serverNow())
        this.claims.set(id, claim);
    const differs = (id) => this.claims.get(id)?.expiresAt !== before.get(id)?.expiresAt;
    this.lookAtClaims();
    return new Set([...before.keys(), ...this.claims.keys()].filter(differs));
  }

  lookAtClaims() {
    clearTimeout(this.looking);
    const ends = [...this.claims.values()]
      .map(({ expiresAt }) => Date.parse(expiresAt) - serverNow())
      .filter((left) => left > 0);
    if (!ends.length) return;
    const next = Math.min(...ends);
    this.looking = setTimeout(() => this.refresh(), next > CLAIM_LOOK ? next - CLAIM_LOOK : next + 100);
  }

  /** Put a card where it says it is, behind another one of that column, here and nowhere else. */
  put(card, behind) {
    const before = this.cards.get(card.id);
    if (before && before.columnId !== card.columnId) {
      this.order.set(before.columnId, this.order.get(before.columnId)?.filter((id) => id !== card.id) ?? []);
    }
    const order = this.order.get(card.columnId) ?? [];
    if (!order.includes(card.id) || behind !== undefined)
      this.order.set(card.columnId, placeCard(order, card.id, behind));
    this.cards.set(card.id, card);
    this.tell({ columns: new Set([before?.columnId, card.columnId].filter(Boolean)), cards: new Set([card.id]) });
  }

  /** Give the card right above another in its column, or null. */
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

  /** Give the key of a card: that of the project and its number. */
  key(card) {
    return `${this.project.key}-${card.number}`;
  }

  /** Tell whether the caller may do something with a resource. */
  isAllowed(action, resource = "Card") {
    return this.can[resource]?.includes(action) ?? false;
  }

  /** Give the columns to which cards can go from another one. */
  transitionsFrom(columnId) {
    const edges = this.transitions.filter((edge) => edge.fromColumnId === columnId);
    return this.columns.filter(({ id }) => edges.some((edge) => edge.toColumnId === id));
  }

  /** Make a card at the end of a column. */
  async add(columnId, title, cardTypeId, retry) {
    const card = await post(orgPath("/cards"), { projectId: this.id, columnId, title, cardTypeId }, { retry });
    this.refresh();
    return card;
  }
}
