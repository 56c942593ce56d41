// Elects one of the open tabs, by a Web Lock, or by a lease in localStorage where locks are missing.

import { storeValue } from "./storage.js";

const LEASE_MILLISECONDS = 8000; // until a lease that is not renewed expires
const CHECK_MILLISECONDS = 2500;

/** Run `work(signal)` while this tab is the leader; the signal is aborted when another takes over. Return {stop, takeOver}. */
export function electLeader(name, work) {
  return navigator.locks ? leadByLock(name, work) : leadByLease(name, work);
}

function leadByLock(name, work) {
  const request = new AbortController();
  let held = null;
  const acquire = async (options) => {
    try {
      await navigator.locks.request(name, options, () => {
        held = new AbortController();
        work(held.signal);
        return new Promise((release) => held.signal.addEventListener("abort", release));
      });
    } catch {
      held?.abort(); // another tab took over, because this one was frozen
      // Delayed, since a browser that rejects every lock would cause an endless loop.
      if (!request.signal.aborted) setTimeout(acquire, CHECK_MILLISECONDS, { signal: request.signal });
    }
  };
  acquire({ signal: request.signal });
  return {
    stop() {
      request.abort();
      held?.abort();
    },
    takeOver() {
      if (!held || held.signal.aborted) acquire({ steal: true });
    }
  };
}

function leadByLease(name, work) {
  const tabId = String(Math.random());
  let current = null;
  const read = () => JSON.parse(localStorage.getItem(name) || "null");
  const check = (force) => {
    const lease = read();
    if (force || !lease || lease.by === tabId || lease.until < Date.now()) {
      storeValue(name, JSON.stringify({ by: tabId, until: Date.now() + LEASE_MILLISECONDS }));
      if (!current) work((current = new AbortController()).signal);
    } else if (current) {
      current.abort();
      current = null;
    }
  };
  const release = () => read()?.by === tabId && localStorage.removeItem(name);
  const timer = setInterval(check, CHECK_MILLISECONDS);
  addEventListener("pagehide", release);
  check();
  return {
    stop() {
      clearInterval(timer);
      removeEventListener("pagehide", release);
      release();
      current?.abort();
    },
    takeOver: () => check(true)
  };
}
