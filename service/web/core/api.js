// The only place that fetches: the token, the envelope of errors, the service's clock.

const PREFIX = "/api/v1";
const SESSION_KEY = "tandem.session";
const REQUEST_TIMEOUT_MILLISECONDS = 30_000; // milliseconds until a request counts as lost
const RENEW_AT = 0.5; // share of a token's life after which a visible page renews it

/** What the service did not do, as its envelope says it; status 0: it could not be asked. */
export class Refused extends Error {
  constructor(status, { code, message, details = {}, requestId = null }) {
    super(message);
    Object.assign(this, { status, code, details, requestId });
  }
}

/** Tells `session` when somebody signs in, or out in another tab, and `ended` when the token no longer holds. */
export const service = new EventTarget();

let session = JSON.parse(localStorage.getItem(SESSION_KEY) || "null"); // {token, issuedAt, expiresAt, orgId, userId}
let skew = 0;

/** Give who is signed in: {orgId, userId}, or null. */
export function signedIn() {
  return session;
}

/** Give the service's time in milliseconds, as well as it is known here. */
export function now() {
  return Date.now() + skew;
}

/** Note the service's time as an answer told it. */
export function noteTime(text) {
  const told = Date.parse(text) - Date.now();
  if (Math.abs(told - skew) > 400) skew = told;
}

/** Keep a login answer for this and all other tabs. */
export function keep({ token, expiresAt, user }) {
  session = { token, issuedAt: new Date(now()).toISOString(), expiresAt, orgId: user.orgId, userId: user.id };
  localStorage.setItem(SESSION_KEY, JSON.stringify(session));
  service.dispatchEvent(new Event("session"));
}

/** Forget the token, in all tabs. */
export function forget() {
  session = null;
  localStorage.removeItem(SESSION_KEY);
}

addEventListener("storage", ({ key, newValue }) => {
  if (key !== SESSION_KEY && key !== null) return;
  session = JSON.parse(newValue || "null");
  service.dispatchEvent(new Event("session"));
});

/** Read something; raise Refused. */
export function get(path, options) {
  return send("GET", path, options);
}

/** Make something; an attempt that got lost may be repeated with the same `retry` key and is done once. */
export function post(path, body, options) {
  return send("POST", path, { body, ...options });
}

/** Change something; `version` refuses the change if it is for another version. */
export function patch(path, body, options) {
  return send("PATCH", path, { body, ...options });
}

/** Put something where it is known to belong. */
export function put(path, body, options) {
  return send("PUT", path, { body, ...options });
}

/** Remove something. */
export function remove(path, options) {
  return send("DELETE", path, options);
}

/** Give a key for a POST that may have to be sent again. */
export function retryKey() {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("");
}

async function send(method, path, { body, version, retry, signal } = {}) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (version !== undefined) headers["If-Match"] = `"${version}"`;
  if (retry !== undefined) headers["Idempotency-Key"] = retry;
  const content = body === undefined ? undefined : JSON.stringify(body);
  const patience = AbortSignal.timeout(REQUEST_TIMEOUT_MILLISECONDS);
  const response = await ask(path, {
    method,
    headers,
    body: content,
    signal: signal ? AbortSignal.any([signal, patience]) : patience
  });
  if (response.status === 204) return null;
  try {
    return await response.json();
  } catch (error) {
    throw unreachable(error);
  }
}

/** Send a request and give the response of a success; raise Refused for anything else. */
export async function ask(path, { headers = {}, ...request }) {
  const sent = session?.token;
  if (sent) headers.Authorization = `Bearer ${sent}`;
  let response;
  try {
    response = await fetch(PREFIX + path, { ...request, headers, credentials: "omit" });
  } catch (error) {
    throw unreachable(error);
  }
  if (response.ok) return response;
  const refused = await envelope(response);
  if (response.status === 401 && sent && path !== "/auth/login") ended(sent);
  throw refused;
}

/** Send a form, or a file of JSON, and tell `progress` the share that is out; fetch tells nothing before its end. */
export function upload(path, content, progress, signal) {
  const sent = session?.token;
  const request = new XMLHttpRequest();
  request.open("POST", PREFIX + path);
  if (sent) request.setRequestHeader("Authorization", `Bearer ${sent}`);
  if (content instanceof Blob) request.setRequestHeader("Content-Type", "application/json");
  request.upload.addEventListener("progress", ({ loaded, total }) => progress(loaded / total));
  return new Promise((resolve, reject) => {
    request.addEventListener("error", () => reject(unreachable(new Error())));
    request.addEventListener("abort", () => reject(signal.reason));
    signal?.addEventListener("abort", () => request.abort());
    request.addEventListener("load", async () => {
      const response = new Response(request.response, { status: request.status });
      if (response.ok) return resolve(response.json());
      const refused = await envelope(response);
      if (response.status === 401 && sent) ended(sent);
      reject(refused);
    });
    request.send(content);
  });
}

function unreachable(error) {
  if (error.name === "AbortError") return error; // whoever gave up knows
  return new Refused(0, { code: "unreachable", message: "The service cannot be reached." });
}

async function envelope(response) {
  try {
    return new Refused(response.status, (await response.json()).error);
  } catch {
    return new Refused(response.status, { code: "unexpected", message: `The service answered ${response.status}.` });
  }
}

function ended(token) {
  if (session?.token !== token) return; // somebody has signed in anew meanwhile
  forget();
  service.dispatchEvent(new Event("ended"));
}

/** Get a new token for the same organization once half of the old one's life is over, while somebody looks. */
export async function renew() {
  if (!session || document.hidden) return;
  const { issuedAt, expiresAt, orgId } = session;
  const [from, until] = [Date.parse(issuedAt), Date.parse(expiresAt)];
  if (now() < from + (until - from) * RENEW_AT) return;
  try {
    keep(await post("/auth/switch", { orgId }));
  } catch (error) {
    if (!(error instanceof Refused)) throw error; // the old token still holds; the next look tries again
  }
}
