// What Now shows: what waits for a person, which agents work, what they were refused, what happened since the last look.

import { get, put } from "./api.js";
import { live } from "./live.js";
import { noteWaiting, path } from "./organization.js";
import { seeAll } from "./store.js";

const SHOWN = 50; // things of each kind
const REFUSED = 12; // rows of what agents were refused
const CAUGHT_UP = 50; // cards that others did something to
const RENEWED = 20_000; // milliseconds after which leases are looked at again, since a renewal writes no event
const GATHERING_MILLISECONDS = 300; // milliseconds for which news gather

/** Tells `change` when what it shows has changed; `error` is what the last look met. */
export class NowStore extends EventTarget {
  constructor() {
    super();
    Object.assign(this, { items: [], counts: {}, agents: [], refusals: [] });
    Object.assign(this, { caught: { items: [], total: 0, next: null }, error: null });
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
      Object.assign(this, { error: null, isRead: true });
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

  /** Read what others did since the person last said that all is seen, one entry a card. */
  async readCaught() {
    this.caught = await get(path(`/catch-up?limit=${CAUGHT_UP}`));
  }

  /** Set the mark to what the last look brought, in all browsers of the person. */
  async markSeen() {
    await put(path("/seen"), { eventId: this.caught.next });
    seeAll();
    await this.load();
  }
}
