// The event stream: one tab reads it and passes the events on to the others.

import { fetchResponse } from "./api.js";
import { currentSession, sessionEvents } from "./session.js";
import { electLeader } from "./tab-leader.js";

const SILENCE_MILLISECONDS_MAX = 40_000; // time without data after which the stream or the leading tab counts as dead
const RETRY_MILLISECONDS = 500;
const RETRY_MILLISECONDS_MAX = 30_000;
const COLLECT_MILLISECONDS = 120; // time for which events are collected before listeners are called
const COLLECT_MILLISECONDS_HIDDEN = 2000;

/**
 * What the service tells of a change.
 * @typedef {{id: string | number, type: string, projectId?: string, cardId?: string, cardIds?: string[]}} ServiceEvent
 */
/** @typedef {Event & {events: ServiceEvent[]}} NewsEvent */

/**
 * Dispatches `news` with the collected events (an empty list: some may have been missed), `begun` when a stream begins,
 * with the id of the last event before it (both NewsEvent), and `state` when the connection changes.
 */
export const live = Object.assign(new EventTarget(), {
  /** The state of the stream: "live", "connecting", or "gone" without access. */
  state: "connecting",
  /** Time at which data last arrived, in milliseconds since 1970. */
  lastDataAt: Date.now()
});

let hasFollowed = false; // whether the page has followed events before, so that it may have missed some since
let following = null; // state of the stream of the current organization

/** Follow the events of an organization, and stop following any other. */
export function followEvents(orgId) {
  if (following?.orgId === orgId) return;
  unfollow();
  const name = `tandem.events.${orgId}.${currentSession().userId}`;
  const channel = new BroadcastChannel(name);
  following = { orgId, channel, lastId: null, pendingEvents: [], dispatchTimer: null, hadConnection: hasFollowed };
  hasFollowed = true;
  live.lastDataAt = Date.now();
  const stream = following;
  channel.onmessage = ({ data }) => handleMessage(stream, data);
  stream.leader = electLeader(name, (signal) => readStream(stream, signal));
  stream.timer = setInterval(() => checkLeader(stream), 5000);
  channel.postMessage({ kind: "hello" });
}

/** Stop following events. */
function unfollow() {
  if (!following) return;
  clearInterval(following.timer);
  clearTimeout(following.dispatchTimer);
  following.leader.stop();
  following.channel.close();
  following = null;
  setState("connecting");
}

function checkLeader(stream) {
  if (!document.hidden && !stream.isLeader && Date.now() - live.lastDataAt > SILENCE_MILLISECONDS_MAX) stream.leader.takeOver();
}

/** Handle a message of the tab that reads the stream, which may be this one. */
function handleMessage(stream, message) {
  if (stream !== following) return;
  if (message.kind === "hello") {
    if (stream.isLeader) stream.channel.postMessage({ kind: "state", state: live.state, lastId: stream.lastId });
    return;
  }
  live.lastDataAt = Date.now();
  if (message.kind === "state") {
    // While another tab took over, events may have been missed.
    if (message.state === "live" && live.state !== "live" && stream.hadConnection) collectEvent(stream, null);
    stream.hadConnection ||= message.state === "live";
    stream.lastId ??= message.lastId;
    setState(message.state);
  }
  if (message.kind === "news") {
    if (message.event === null) stream.lastId = message.lastId; // ids may have gone back
    collectEvent(stream, message.event);
  }
}

function broadcast(stream, message) {
  if (stream !== following) return;
  handleMessage(stream, message);
  stream.channel.postMessage(message);
}

function setState(state) {
  if (state === live.state) return;
  live.state = state;
  live.dispatchEvent(new Event("state"));
}

function collectEvent(stream, event) {
  const id = event?.id ? Number(event.id) : null; // an event for this user alone has none
  if (id !== null && id <= stream.lastId) return; // delivered twice while another tab took over
  stream.lastId = id ?? stream.lastId;
  if (event) stream.pendingEvents.push(event);
  const pause = document.hidden ? COLLECT_MILLISECONDS_HIDDEN : COLLECT_MILLISECONDS;
  stream.dispatchTimer ??= setTimeout(dispatchEvents, pause, stream);
}

function dispatchEvents(stream) {
  const events = stream.pendingEvents;
  stream.pendingEvents = [];
  stream.dispatchTimer = null;
  live.dispatchEvent(Object.assign(new Event("news"), { events }));
}

async function readStream(stream, signal) {
  stream.isLeader = true;
  let pause = RETRY_MILLISECONDS;
  while (!signal.aborted) {
    try {
      await readOnce(stream, signal, () => (pause = RETRY_MILLISECONDS));
    } catch (error) {
      if ([401, 403, 404].includes(error.status)) {
        broadcast(stream, { kind: "state", state: "gone" });
        break; // after the next sign-in, the page follows events again
      }
    }
    if (signal.aborted) break;
    broadcast(stream, { kind: "state", state: "connecting" });
    await waitFor(pause * (0.75 + Math.random() / 2), signal);
    pause = Math.min(pause * 2, RETRY_MILLISECONDS_MAX);
  }
  stream.isLeader = false;
}

/** Read one stream until it ends or is silent for too long. */
async function readOnce(stream, signal, onData) {
  const abort = new AbortController();
  const stop = () => abort.abort();
  signal.addEventListener("abort", stop);
  addEventListener("offline", stop);
  let silenceTimer = setTimeout(stop, SILENCE_MILLISECONDS_MAX);
  try {
    const headers = stream.lastId === null ? {} : { "Last-Event-ID": String(stream.lastId) };
    const path = `/organizations/${encodeURIComponent(stream.orgId)}/events`;
    const response = await fetchResponse(path, { method: "GET", headers, signal: abort.signal });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ;) {
      const { value, done } = await reader.read();
      if (done) return;
      clearTimeout(silenceTimer);
      silenceTimer = setTimeout(stop, SILENCE_MILLISECONDS_MAX);
      onData();
      broadcast(stream, { kind: "state", state: "live" });
      const frames = (rest + value).split("\n\n");
      rest = frames.pop();
      for (const frame of frames) handleFrame(stream, frame);
    }
  } finally {
    clearTimeout(silenceTimer);
    signal.removeEventListener("abort", stop);
    removeEventListener("offline", stop);
  }
}

function handleFrame(stream, frame) {
  const lines = frame.split("\n");
  const value = (name) => lines.find((line) => line.startsWith(name))?.slice(name.length);
  const data = value("data: ");
  if (data === undefined) return; // a heartbeat
  const name = value("event: ");
  if (name === undefined) return broadcast(stream, { kind: "news", event: JSON.parse(data) });
  stream.lastId = Number(value("id: "));
  if (name === "ready") live.dispatchEvent(Object.assign(new Event("begun"), { events: [{ id: stream.lastId, type: "" }] }));
  if (name === "reset") broadcast(stream, { kind: "news", event: null, lastId: stream.lastId });
}

/** Wait, but end the wait early when the network is back or the tab becomes visible. */
function waitFor(milliseconds, stop) {
  const cleanup = new AbortController();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    cleanup.signal.addEventListener("abort", () => clearTimeout(timer));
    stop.addEventListener("abort", resolve, { signal: cleanup.signal });
    addEventListener("online", resolve, { signal: cleanup.signal });
    document.addEventListener("visibilitychange", resolve, { signal: cleanup.signal });
  }).finally(() => cleanup.abort());
}

// The browser may have frozen a hidden tab, which then missed messages.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && following) collectEvent(following, null);
});
sessionEvents.addEventListener("ended", unfollow);
