// Elects one of the open tabs, by a Web Lock, or by a lease in localStorage where locks are missing.

const LEASE_MILLISECONDS = 8000; // until a lease that is not renewed expires
const CHECK_MILLISECONDS = 2500;

/** Run `work(signal)` while this tab is the leader; the signal is aborted when another takes over. Return {stop, take}. */
export function electLeader(name, work) {
  return navigator.locks ? leadByLock(name, work) : leadByLease(name, work);
}

function leadByLock(name, work) {
  const asking = new AbortController();
  let held = null;
  const hold = async (options) => {
    try {
      await navigator.locks.request(name, options, () => {
        held = new AbortController();
        work(held.signal);
        return new Promise((release) => held.signal.addEventListener("abort", release));
      });
    } catch {
      held?.abort(); // another tab took over, because this one was frozen
      // Delayed, since a browser that rejects every lock would cause an endless loop.
      if (!asking.signal.aborted) setTimeout(hold, CHECK_MILLISECONDS, { signal: asking.signal });
    }
  };
  hold({ signal: asking.signal });
  return {
    stop() {
      asking.abort();
      held?.abort();
    },
    take() {
      if (!held || held.signal.aborted) hold({ steal: true });
    }
  };
}

function leadByLease(name, work) {
  const me = String(Math.random());
  let end = null;
  const read = () => JSON.parse(localStorage.getItem(name) || "null");
  const look = (force) => {
    const lease = read();
    if (force || !lease || lease.by === me || lease.until < Date.now()) {
      localStorage.setItem(name, JSON.stringify({ by: me, until: Date.now() + LEASE_MILLISECONDS }));
      if (!end) work((end = new AbortController()).signal);
    } else if (end) {
      end.abort();
      end = null;
    }
  };
  const leave = () => read()?.by === me && localStorage.removeItem(name);
  const timer = setInterval(look, CHECK_MILLISECONDS);
  addEventListener("pagehide", leave);
  look();
  return {
    stop() {
      clearInterval(timer);
      removeEventListener("pagehide", leave);
      leave();
      end?.abort();
    },
    take: () => look(true)
  };
}
