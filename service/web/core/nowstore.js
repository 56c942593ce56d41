// What Now shows: what waits for a person, which agents work, what they were refused, what happened since the last look.

import { get, signedIn } from "./api.js";
import { live } from "./live.js";
import { noteWaiting, path } from "./organization.js";

const SHOWN = 50; // things of each kind
const REFUSED = 12; // rows of what agents were refused
const CAUGHT_UP = 1000; // events that one look takes; older ones are not told one by one
const RENEWED = 20_000; // milliseconds after which leases are looked at again, since a renewal writes no event
const GATHERING_MILLISECONDS = 300; // milliseconds for which news gather

/** Tells `change` when what it shows has changed; `error` is what the last look met. */
export class NowStore extends EventTarget {
  constructor() {
    super();
    Object.assign(this, { items: [], counts: {}, agents: [], refusals: [], caught: [], seen: null, error: null });
    this.hear = () => (this.waiting ??= setTimeout(() => this.load(), GATHERING_MILLISECONDS));
    live.addEventListener("news", this.hear);
    this.timer = setInterval(() => document.hidden || this.load(), RENEWED);
    this.ready = this.load();
  }

  close() {
    live.removeEventListener("news", this.hear);
    clearInterval(this.timer);
    clearTimeout(this.waiting);
    this.isClosed = true;
  }

  async load() {
    clearTimeout(this.waiting);
    this.waiting = null;
    try {
      await Promise.all([this.readAttention(), this.readAgents(), this.readRefusals(), this.readCaught()]);
      this.error = null;
    } catch (error) {
      this.error = error;
    }
    if (!this.isClosed) this.dispatchEvent(new Event("change"));
  }

  async readAttention() {
    const { items, counts } = await get(path(`/attention?limit=${SHOWN}`));
    Object.assign(this, { items, counts });
    const { overdue_card: _, ...waiting } = counts;
    noteWaiting(Object.values(waiting).reduce((sum, number) => sum + number, 0));
  }

  async readAgents() {
    this.agents = await get(path("/agents?include=work"));
  }

  async readRefusals() {
    this.refusals = (await get(path(`/refusals?pageSize=${REFUSED}`))).items;
  }

  /** Read what others did since the mark, which is kept in this browser; the first look sets it. */
  async readCaught() {
    const { orgId, userId } = signedIn();
    const key = `tandem.seen.${orgId}.${userId}`;
    const mark = localStorage.getItem(key);
    if (mark === null) {
      localStorage.setItem(key, (await get(path("/changes"))).next);
      return;
    }
    const { items, next } = await get(path(`/changes?since=${encodeURIComponent(mark)}&limit=${CAUGHT_UP}`));
    this.seen = { key, next };
    this.caught = gathered(items.filter(({ cardId, actor }) => cardId && actor?.id !== userId));
    const isUnknown = ({ cardId }) => !this.titles?.has(cardId);
    if (this.caught.some(isUnknown)) await this.readTitles();
  }

  async readTitles() {
    const { items } = await get(path("/cards?sort=-updatedAt&pageSize=100"));
    this.titles = new Map(items.map((card) => [card.id, card]));
  }

  /** Set the mark to now. */
  async markSeen() {
    if (this.seen) localStorage.setItem(this.seen.key, this.seen.next);
    this.caught = [];
    this.dispatchEvent(new Event("change"));
  }
}

const VERBS = {
  "card.created": "created",
  "card.moved": "moved",
  "comment.created": "commented",
  "comment.replied": "commented",
};

/** Put events into one entry a card, the latest first: {cardId, cardKey, projectId, what: {verb: count}, by, at}. */
export function gathered(events) {
  const cards = new Map();
  for (const { cardId, cardKey, projectId, type, actor, at } of events) {
    const entry = cards.get(cardId) ?? { cardId, cardKey, projectId, what: {}, by: new Map(), at };
    const verb = VERBS[type] ?? "updated";
    entry.what[verb] = (entry.what[verb] ?? 0) + 1;
    entry.by.set(actor?.id, actor);
    entry.at = at;
    cards.delete(cardId);
    cards.set(cardId, entry);
  }
  return [...cards.values()].reverse().map((entry) => ({ ...entry, by: [...entry.by.values()] }));
}
