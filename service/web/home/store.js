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
  items = []; // what needs attention
  /** @type {Record<string, number>} */
  counts = {}; // of such items by kind
  /** @type {{move_request?: number, question?: number}} */
  waiting = {}; // of them, those that the user may decide or answer
  overdueBoards = {};
  agents = [];
  deniedRequests = { items: [], total: 0 };
  mine = { items: [], total: 0 };
  catchUp = { items: [], total: 0, next: null };
  error = null;
  isRead = false;
  isClosed = false;
  lastRead = 0;
  reading = Promise.resolve(); // resolves when the last read has ended
  reloadTimer = null;

  constructor() {
    super();
    // Not before the running read has ended: many events must not outrun slow answers.
    const loadAgain = () => (this.isClosed ? undefined : this.load());
    this.onNews = () => (this.reloadTimer ??= setTimeout(() => this.reading.then(loadAgain), GATHERING_MILLISECONDS));
    live.addEventListener("news", this.onNews);
    this.timer = setInterval(() => document.hidden || this.load(), RELOAD_MILLISECONDS);
    this.load();
  }

  close() {
    live.removeEventListener("news", this.onNews);
    clearInterval(this.timer);
    clearTimeout(this.reloadTimer);
    this.isClosed = true;
  }

  /** Read everything now. If two reads overlap, the later one wins. */
  load() {
    clearTimeout(this.reloadTimer);
    this.reloadTimer = null;
    this.reading = this.readNow();
    return this.reading;
  }

  async readNow() {
    const readNumber = ++this.lastRead;
    try {
      const found = await readHome();
      if (readNumber !== this.lastRead) return;
      Object.assign(this, found, found.attention, { error: null, isRead: true });
      setAttentionCount(countWaiting(found.attention));
    } catch (error) {
      if (readNumber !== this.lastRead) return;
      this.error = error;
    }
    if (!this.isClosed) this.dispatchEvent(new Event("change"));
  }

  /** Mark the loaded changes as seen, in all browsers of the user. */
  async markSeen() {
    await put(orgPath("/seen"), { eventId: this.catchUp.next });
    markAllSeen();
    await this.load();
  }
}

/** Read the data of Home: the first cards of the user, what waits, agents, denied requests, and what others have changed. */
async function readHome() {
  const [mine, attention, agents, deniedRequests, catchUp] = await Promise.all([
    loadMyCards(`pageSize=${MINE_MAX}`),
    get(orgPath(`/attention?limit=${ITEMS_MAX}`)),
    get(orgPath("/agents?include=work")),
    get(orgPath(`/refusals?since=1d&pageSize=${DENIED_MAX}`)),
    get(orgPath(`/catch-up?limit=${CATCH_UP_MAX}`))
  ]);
  return { mine, attention, agents, deniedRequests, catchUp };
}

/** Return a page of the cards that are assigned to the user, whose due dates are judged in the organization's time zone. */
export async function loadMyCards(query) {
  const [cards, { timezone }] = await Promise.all([get(`/me/cards?${query}`), get(orgPath(""))]);
  setTimeZone(timezone);
  return cards;
}
