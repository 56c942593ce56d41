// Requests to the API: the token, timeouts and errors. No other module fetches.

import { pageUrl } from "./base-path.js";
import { serverNow } from "./clock.js";
import { currentSession, expireSession, saveSession } from "./session.js";

const PREFIX = pageUrl("/api/v1");
const REQUEST_TIMEOUT_MILLISECONDS = 30_000; // until a request is given up
const PATIENCE_MILLISECONDS = 30_000; // until a write is given up that an overloaded service does not take
const RENEW_AT = 0.5; // share of a token's lifetime

/**
 * An error of the API: HTTP status, code, message, details, and the seconds after which to try again. Status 0: the service
 * cannot be reached.
 */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {{code: string, message: string, details?: any, requestId?: string | null}} error
   * @param {number} [retryAfter]
   */
  constructor(status, { code, message, details = {}, requestId = null }, retryAfter = 0) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/**
 * What a request can have besides its path.
 * @typedef {{body?: unknown, version?: number, retry?: string, signal?: AbortSignal}} RequestOptions
 */

/**
 * Send a GET request and return its JSON; raise ApiError.
 * @param {string} path
 * @param {RequestOptions} [options]
 */
export function get(path, options) {
  return sendJson("GET", path, options);
}

/**
 * Send a POST request. With the same idempotency key (`retry`) a repeated request is executed once.
 * @param {string} path
 * @param {unknown} [body]
 * @param {RequestOptions} [options]
 */
export function post(path, body, options) {
  return sendJson("POST", path, { body, ...options });
}

/**
 * Send a PATCH request. With `version` it fails with 412 if the resource has another version.
 * @param {string} path
 * @param {unknown} [body]
 * @param {RequestOptions} [options]
 */
export function patch(path, body, options) {
  return sendJson("PATCH", path, { body, ...options });
}

/**
 * Send a PUT request.
 * @param {string} path
 * @param {unknown} [body]
 * @param {RequestOptions} [options]
 */
export function put(path, body, options) {
  return sendJson("PUT", path, { body, ...options });
}

/**
 * Send a DELETE request.
 * @param {string} path
 * @param {RequestOptions} [options]
 */
export function remove(path, options) {
  return sendJson("DELETE", path, options);
}

/** Return a random idempotency key. */
export function newIdempotencyKey() {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("");
}

/**
 * @param {string} method
 * @param {string} path
 * @param {RequestOptions} [options]
 * @returns {Promise<any>} the JSON of the answer, null without one
 */
async function sendJson(method, path, { body, version, retry, signal } = {}) {
  /** @type {Record<string, string>} */
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (version !== undefined) headers["If-Match"] = `"${version}"`;
  if (retry !== undefined) headers["Idempotency-Key"] = retry;
  const content = body === undefined ? undefined : JSON.stringify(body);
  const send = () => {
    const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MILLISECONDS);
    const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
    return fetchResponse(path, { method, headers, body: content, signal: either });
  };
  const response = await (method === "GET" ? send() : sendPatiently(send, signal));
  if (response.status === 204) return null;
  try {
    return await response.json();
  } catch (error) {
    throw unreachableError(error);
  }
}

/**
 * Send a write. An overloaded service has changed nothing: wait as long as it says, and send the write again.
 * @template T
 * @param {() => Promise<T>} send
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
async function sendPatiently(send, signal) {
  const until = Date.now() + PATIENCE_MILLISECONDS;
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const pause = error.retryAfter * 1000;
      if (error.code !== "overloaded" || !pause || Date.now() + pause > until) throw error;
      await sleep(pause, signal);
    }
  }
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
function sleep(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/**
 * Send a request and return the response if it is a success; raise ApiError otherwise.
 * @param {string} path
 * @param {RequestInit & {headers?: Record<string, string>}} request
 */
export async function fetchResponse(path, { headers = {}, ...request }) {
  const token = currentSession()?.token;
  if (token) headers.Authorization = `Bearer ${token}`;
  let response;
  try {
    response = await fetch(PREFIX + path, { ...request, headers });
  } catch (error) {
    throw unreachableError(error);
  }
  if (response.ok) return response;
  const apiError = await parseError(response);
  if (await hasNewToken(apiError, token, path)) return fetchResponse(path, { headers, ...request });
  throw apiError;
}

/** After a 401: wait for a new token, and return whether the request can be sent again; else end the session. */
async function hasNewToken({ status, code }, token, path) {
  if (status !== 401 || !token || /^\/auth\/(login|refresh)$/.test(path)) return false;
  try {
    if (code === "token_expired" && currentSession()?.token === token) await refreshSession();
    else await pendingSession;
  } catch (error) {
    if (error.status !== 401) throw error; // the session may still be valid
  }
  expireSession(token);
  return currentSession() !== null;
}

/** Upload a form or a JSON file and report the share sent to `progress`, which fetch() cannot do. */
export function upload(path, content, progress, signal) {
  return sendPatiently(() => uploadOnce(path, content, progress, signal), signal);
}

function uploadOnce(path, content, progress, signal) {
  const token = currentSession()?.token;
  const request = new XMLHttpRequest();
  request.open("POST", PREFIX + path);
  if (token) request.setRequestHeader("Authorization", `Bearer ${token}`);
  if (content instanceof Blob) request.setRequestHeader("Content-Type", "application/json");
  request.upload.addEventListener("progress", ({ loaded, total }) => progress(loaded / total));
  return new Promise((resolve, reject) => {
    request.addEventListener("error", () => reject(unreachableError(new Error())));
    request.addEventListener("abort", () => reject(signal.reason));
    signal?.addEventListener("abort", () => request.abort());
    request.addEventListener("load", async () => {
      const headers = { "Retry-After": request.getResponseHeader("Retry-After") ?? "" };
      const response = new Response(request.response, { status: request.status, headers });
      if (response.ok) return resolve(response.json());
      const apiError = await parseError(response);
      const isRepeated = hasNewToken(apiError, token, path);
      isRepeated.then((is) => (is ? resolve(uploadOnce(path, content, progress, signal)) : reject(apiError)), reject);
    });
    request.send(content);
  });
}

function unreachableError(error) {
  if (error.name === "AbortError") return error; // the caller cancelled the request
  return new ApiError(0, { code: "unreachable", message: "The service cannot be reached." });
}

async function parseError(response) {
  try {
    return new ApiError(response.status, (await response.json()).error, Number(response.headers.get("Retry-After")));
  } catch {
    return new ApiError(response.status, { code: "unexpected", message: `The service answered ${response.status}.` });
  }
}

let pendingSession = null; // a new session or token that was requested

/** Save the session of a pending login response; requests that are refused meanwhile are sent again with its token. */
export function replaceSession(response) {
  const save = (answer) => currentSession() && saveSession(answer); // unless the user has signed out meanwhile
  pendingSession ??= response.then(save).finally(() => (pendingSession = null));
  return pendingSession;
}

async function requestRefresh() {
  const { userId } = currentSession();
  const answer = await post("/auth/refresh");
  if (answer.user.id === userId) return answer;
  throw new ApiError(401, { code: "session_ended", message: "Somebody else has signed in with this browser." });
}

function refreshSession() {
  return pendingSession ?? replaceSession(requestRefresh());
}

/** Refresh the token after half of its lifetime, while the page is visible. */
export async function renewSession() {
  if (!currentSession() || document.hidden) return;
  const { issuedAt, expiresAt } = currentSession();
  const [from, until] = [Date.parse(issuedAt), Date.parse(expiresAt)];
  if (serverNow() < from + (until - from) * RENEW_AT) return;
  try {
    await refreshSession();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error; // the old token is still valid; the next call tries again
  }
}
