// Data of the service that is read again whenever events concern it.

import { live } from "./live.js";

const GATHERING_MILLISECONDS = 150; // between an event and the next read
const ACCESS_RESOURCES = ["member", "permission"]; // events that can change what the user may see

/** Dispatches `change` when `value` or `error` has changed. Events about `resources` concern it (`agent`, `team`). */
export class Resource extends EventTarget {
  constructor(read, resources = []) {
    super();
    Object.assign(this, {
      read,
      resources: new Set([...ACCESS_RESOURCES, ...resources]),
      value: undefined,
      error: null,
      lastRead: 0,
      reading: null, // resolves when the last read has ended
      waiting: null
    });
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
    this.waiting ??= setTimeout(() => void this.reading.then(() => this.isClosed || this.load()), GATHERING_MILLISECONDS);
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
