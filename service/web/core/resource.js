// Data of the service that is read again whenever events concern it.

import { live } from "./live.js";

/**
 * @import { ApiError } from "./api.js"
 * @import { NewsEvent } from "./live.js"
 */

const GATHERING_MILLISECONDS = 150; // between an event and the next read
const ACCESS_RESOURCES = ["member", "permission"]; // events that can change what the user may see

/**
 * Dispatches `change` when `value` or `error` has changed. Events about `resources` concern it (`agent`, `team`).
 * @template T
 */
export class Resource extends EventTarget {
  /** @type {T | undefined} */
  value = undefined;
  /** @type {ApiError | null} */
  error = null;
  lastRead = 0;
  waiting = null; // the timer of the next read
  reading = Promise.resolve(); // resolves when the last read has ended
  isClosed = false;

  /**
   * @param {() => Promise<T>} read
   * @param {string[]} [resources]
   */
  constructor(read, resources = []) {
    super();
    this.read = read;
    this.resources = new Set([...ACCESS_RESOURCES, ...resources]);
    /** @param {NewsEvent} event */
    this.onNews = ({ events }) => {
      if (!events.length || events.some(({ type }) => this.resources.has(type.split(".")[0]))) this.soon();
    };
    this.watch = () => live.state === "gone" && this.load(); // without access to events, the data may be hidden too
    live.addEventListener("news", this.onNews);
    live.addEventListener("state", this.watch);
    this.load();
  }

  /** Read it again, but not before the running read has ended: many events must not outrun slow answers. */
  soon() {
    const loadAgain = () => (this.isClosed ? undefined : this.load());
    this.waiting ??= setTimeout(() => this.reading.then(loadAgain), GATHERING_MILLISECONDS);
  }

  /** Read it now. If two reads overlap, the later one wins. */
  load() {
    clearTimeout(this.waiting);
    this.waiting = null;
    this.reading = this.readNow();
    return this.reading;
  }

  async readNow() {
    const readNumber = ++this.lastRead;
    try {
      const value = await this.read();
      if (readNumber !== this.lastRead) return;
      Object.assign(this, { value, error: null });
    } catch (error) {
      if (readNumber !== this.lastRead) return;
      this.error = error;
    }
    this.dispatchEvent(new Event("change"));
  }

  close() {
    this.lastRead = NaN; // later answers are ignored
    this.isClosed = true;
    clearTimeout(this.waiting);
    live.removeEventListener("news", this.onNews);
    live.removeEventListener("state", this.watch);
  }
}
