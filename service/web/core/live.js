// The event stream: one tab reads it and passes the events on to the others.

import { fetchResponse } from "./api.js";
import { currentSession, sessionEvents } from "./session.js";
import { electLeader } from "./tab-leader.js";

const SILENCE = 40_000; // milliseconds without data until a stream, or the tab that reads it, is considered dead
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;
const GATHERED = 120; // milliseconds for which events are collected before listeners are called
const GATHERED_HIDDEN = 2000;

/**
 * Dispatches `news` with the collected events (an empty list: some may have been missed), `begun` with the last event
 * before the stream, and `state` when the connection changes.
 */
export const live = new EventTarget();

let hasFollowed = false; // after a sign-in, events may have been missed in between
let following = null; // {orgId, channel, leader, timer} of the current organization

/** The state of the stream: "live", "connecting", or "gone" without access. */
live.state = "connecting";
/** When data last arrived, in milliseconds. */
live.heardAt = Date.now();

/** Follow the events of an organization, and stop following any other. */
export function followEvents(orgId) {
  if (following?.orgId === orgId) return;
  unfollow();
  const name = `tandem.events.${orgId}.${currentSession().userId}`;
  const channel = new BroadcastChannel(name);
  following = { orgId, channel, lastId: null, gathered: [], gathering: null, wasLive: hasFollowed };
  hasFollowed = true;
  live.heardAt = Date.now();
  const mine = following;
  channel.onmessage = ({ data }) => hear(mine, data);
  mine.leader = electLeader(name, (signal) => read(mine, signal));
  mine.timer = setInterval(() => watch(mine), 5000);
  channel.postMessage({ kind: "hello" });
}

/** Stop following. */
function unfollow() {
  if (!following) return;
  clearInterval(following.timer);
  clearTimeout(following.gathering);
  following.leader.stop();
  following.channel.close();
  following = null;
  become("connecting");
}

function watch(mine) {
  if (!document.hidden && !mine.reads && Date.now() - live.heardAt > SILENCE) mine.leader.take();
}

/** Handle a message of the tab that reads the stream, which may be this one. */
function hear(mine, message) {
  if (mine !== following) return;
  if (message.kind === "hello") {
    if (mine.reads) mine.channel.postMessage({ kind: "state", state: live.state, lastId: mine.lastId });
    return;
  }
  live.heardAt = Date.now();
  if (message.kind === "state") {
    // While another tab took over, events may have been missed.
    if (message.state === "live" && live.state !== "live" && mine.wasLive) gather(mine, null);
    mine.wasLive ||= message.state === "live";
    mine.lastId ??= message.lastId;
    become(message.state);
  }
  if (message.kind === "news") gather(mine, message.event);
}

function tell(mine, message) {
  if (mine !== following) return;
  hear(mine, message);
  mine.channel.postMessage(message);
}

function become(state) {
  if (state === live.state) return;
  live.state = state;
  live.dispatchEvent(new Event("state"));
}

function gather(mine, event) {
  const id = event ? Number(event.id) : null;
  if (event && id <= mine.lastId) return; // delivered twice while another tab took over
  if (event) {
    mine.lastId = id;
    mine.gathered.push(event);
  }
  mine.gathering ??= setTimeout(spread, document.hidden ? GATHERED_HIDDEN : GATHERED, mine);
}

function spread(mine) {
  const events = mine.gathered;
  mine.gathered = [];
  mine.gathering = null;
  live.dispatchEvent(Object.assign(new Event("news"), { events }));
}

async function read(mine, signal) {
  mine.reads = true;
  let pause = FIRST_PAUSE;
  while (!signal.aborted) {
    try {
      await readOnce(mine, signal, () => (pause = FIRST_PAUSE));
    } catch (error) {
      if ([401, 403, 404].includes(error.status)) {
        tell(mine, { kind: "state", state: "gone" });
        break; // after the next sign-in, the page follows events again
      }
    }
    if (signal.aborted) break;
    tell(mine, { kind: "state", state: "connecting" });
    await until(pause * (0.75 + Math.random() / 2), signal);
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
  mine.reads = false;
}

/** Read one stream until it ends or is silent for too long. */
async function readOnce(mine, signal, begun) {
  const quiet = new AbortController();
  const stop = () => quiet.abort();
  signal.addEventListener("abort", stop);
  addEventListener("offline", stop);
  let patience = setTimeout(stop, SILENCE);
  try {
    const headers = mine.lastId === null ? {} : { "Last-Event-ID": String(mine.lastId) };
    const path = `/organizations/${encodeURIComponent(mine.orgId)}/events`;
    const response = await fetchResponse(path, { method: "GET", headers, signal: quiet.signal });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ;) {
      const { value, done } = await reader.read();
      if (done) return;
      clearTimeout(patience);
      patience = setTimeout(stop, SILENCE);
      begun();
      tell(mine, { kind: "state", state: "live" });
      const frames = (rest + value).split("\n\n");
      rest = frames.pop();
      for (const frame of frames) take(mine, frame);
    }
  } finally {
    clearTimeout(patience);
    signal.removeEventListener("abort", stop);
    removeEventListener("offline", stop);
  }
}

function take(mine, frame) {
  const lines = frame.split("\n");
  const value = (name) => lines.find((line) => line.startsWith(name))?.slice(name.length);
  const data = value("data: ");
  if (data === undefined) return; // a heartbeat
  const name = value("event: ");
  if (name === undefined) return tell(mine, { kind: "news", event: JSON.parse(data) });
  mine.lastId = Number(value("id: "));
  if (name === "ready")
    live.dispatchEvent(Object.assign(new Event("begun"), { events: [{ id: mine.lastId, type: "" }] }));
  if (name === "reset") tell(mine, { kind: "news", event: null });
}

/** Wait, but less when the network is back or the tab becomes visible. */
function until(milliseconds, stop) {
  const over = new AbortController();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    over.signal.addEventListener("abort", () => clearTimeout(timer));
    stop.addEventListener("abort", resolve, { signal: over.signal });
    addEventListener("online", resolve, { signal: over.signal });
    document.addEventListener("visibilitychange", resolve, { signal: over.signal });
  }).finally(() => over.abort());
}

// The browser may have frozen a hidden tab, which then missed messages.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && following) gather(following, null);
});
sessionEvents.addEventListener("ended", unfollow);
