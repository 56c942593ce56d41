// The data of Home.

import { get, put } from "../core/api.js";
import { setTimeZone } from "../core/format.js";
import { live } from "../core/live.js";
import { countWaiting, orgPath, setAttentionCount } from "../core/organization.js";
import { markAllSeen } from "../board/store.js";

const ITEMS_MAX = 50; // of each kind
const MINE_MAX = 6; // cards assigned to the user
const DENIED_MAX = 12; // denied requests
const CATCH_UP_MAX = 50; // changed cards
const RELOAD_MILLISECONDS = 20_000; // until claims are read again, since a renewal causes no event
const GATHERING_MILLISECONDS = 300; // during which events are collected

/** The data of Home. Dispatches `change`; `error` is the error of the last read, if any. */
export class HomeStore extends EventTarget {
  constructor() {
    super();
    Object.assign(this, { items: [], counts: {}, waiting: {}, overdueBoards: {}, agents: [] });
    this.deniedRequests = { items: [], total: 0 };
    this.mine = { items: [], total: 0 };
    Object.assign(this, { catchUp: { items: [], total: 0, next: null }, error: null });
    this.onNews = () => (this.reloadTimer ??= setTimeout(() => this.load(), GATHERING_MILLISECONDS));
    live.addEventListener("news", this.onNews);
    this.timer = setInterval(() => document.hidden || this.load(), RELOAD_MILLISECONDS);
    this.ready = this.load();
  }

  close() {
    live.removeEventListener("news", this.onNews);
    clearInterval(this.timer);
    clearTimeout(this.reloadTimer);
    this.isClosed = true;
  }

  async load() {
    clearTimeout(this.reloadTimer);
    this.reloadTimer = null;
    try {
      await Promise.all([
        this.loadMine(),
        this.loadAttention(),
        this.loadAgents(),
        this.loadDeniedRequests(),
        this.loadCatchUp()
      ]);
      Object.assign(this, { error: null, isRead: true });
    } catch (error) {
      this.error = error;
    }
    if (!this.isClosed) this.dispatchEvent(new Event("change"));
  }

  /** Load the first of the open cards that are assigned to the user. */
  async loadMine() {
    this.mine = await loadMyCards(`pageSize=${MINE_MAX}`);
  }

  async loadAttention() {
    const attention = await get(orgPath(`/attention?limit=${ITEMS_MAX}`));
    Object.assign(this, attention);
    setAttentionCount(countWaiting(attention));
  }

  async loadAgents() {
    this.agents = await get(orgPath("/agents?include=work"));
  }

  async loadDeniedRequests() {
    this.deniedRequests = await get(orgPath(`/refusals?since=1d&pageSize=${DENIED_MAX}`));
  }

  /** Load the changes by others since the user last marked all as seen, one entry per card. */
  async loadCatchUp() {
    this.catchUp = await get(orgPath(`/catch-up?limit=${CATCH_UP_MAX}`));
  }

  /** Mark the loaded changes as seen, in all browsers of the user. */
  async markSeen() {
    await put(orgPath("/seen"), { eventId: this.catchUp.next });
    markAllSeen();
    await this.load();
  }
}

/** Return a page of the cards that are assigned to the user, whose due dates are judged in the organization's time zone. */
export async function loadMyCards(query) {
  const [cards, { timezone }] = await Promise.all([get(`/me/cards?${query}`), get(orgPath(""))]);
  setTimeZone(timezone);
  return cards;
}
