// The API reference: searches its routes, and sends requests as the signed-in user.

import { ApiError, fetchResponse } from "./core/api.js";
import { pageUrl } from "./core/base-path.js";
import { h, labelField, query, queryAll, replaceChildren } from "./core/dom.js";
import { foldText } from "./core/folding.js";
import { limitMarks } from "./core/marks.js";
import { currentSession } from "./core/session.js";

const INDEX = pageUrl("/api/docs");
const SHOWN_CHARACTERS_MAX = 100_000; // of a response
const TRIED_BODIES = ["application/json", "none"];
const TRIED_SCHEMES = ["JWT", "none"];

placeSearch(document.getElementById("search"));
document.querySelectorAll(".operation").forEach(addTryButton);

/** Add the search field. On the index it filters the routes, elsewhere it leads to the index. */
function placeSearch(host) {
  const lines = [...document.querySelectorAll(".routes li, .chapter")];
  const state = h("p.small.muted", { role: "status" });
  const attributes = { "aria-label": "Search the reference", placeholder: "Search: a path, a key, a code, a word" };
  const field = h("input.input", { type: "search", maxlength: 200, ...attributes });
  field.value = limitMarks(new URLSearchParams(location.search).get("q") ?? "");
  const openIndex = () => location.assign(`${INDEX}?${new URLSearchParams({ q: field.value })}`);
  const isIndex = lines.length > 0;
  field.addEventListener(isIndex ? "input" : "change", () => (isIndex ? filterRoutes(lines, field.value, state) : openIndex()));
  replaceChildren(host, field, state);
  if (isIndex && field.value) filterRoutes(lines, field.value, state);
}

function filterRoutes(lines, text, state) {
  const words = foldText(text).split(/\s+/).filter(Boolean);
  for (const line of lines) {
    const text = foldText(`${line.textContent} ${line.dataset.words ?? ""}`);
    line.hidden = !words.every((word) => text.includes(word));
  }
  for (const section of queryAll(document, ".routes")) section.hidden = section.querySelector("li:not([hidden])") === null;
  document.querySelector(".prose").classList.toggle("searched", words.length > 0); // then routes come first
  const found = lines.filter((line) => !line.hidden).length;
  replaceChildren(state, words.length === 0 ? "" : found === 0 ? "No results." : `${found} found`);
}

/** Add a form that sends a request, to operations that users may call and whose input fits a form. */
function addTryButton(section) {
  const { scheme, body } = section.dataset;
  if (!TRIED_SCHEMES.includes(scheme) || !TRIED_BODIES.includes(body)) return;
  const button = h("button.button.small", "Try it");
  button.addEventListener("click", () => button.replaceWith(form(section)));
  section.querySelector(".lead").after(button);
}

function form(section) {
  const inputs = [...section.querySelectorAll("[data-name]")].map(input);
  const sample = section.querySelector(".sample")?.textContent;
  const body = sample && h("textarea.input", { rows: 8, "aria-label": "Body", spellcheck: "false" });
  if (body) body.value = sample;
  const send = h("button.button.main.small", { type: "submit" }, "Send");
  const state = h("div.answered", { role: "status" });
  const fields = inputs.map(({ label }) => label);
  const attributes = { class: "try", "aria-label": `Try ${section.dataset.method} ${section.dataset.path}` };
  const element = h("form", attributes, renderSender(), fields, body, send, state);
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    send.disabled = true;
    replaceChildren(state, await sendRequest(section.dataset, inputs, body || null));
    send.disabled = false;
  });
  queueMicrotask(() => query(element, "input, textarea, button").focus());
  return element;
}

function renderSender() {
  if (currentSession()) return h("p.small", "The request is sent for real, as you.");
  const to = new URLSearchParams({ to: location.pathname + location.hash });
  const link = h("a.link", { href: pageUrl(`/sign-in?${to}`) }, "Sign in");
  return h("p.small", "You are not signed in. ", link);
}

function input(mark) {
  const { name, in: place, must: isOptional } = mark.dataset;
  const field = h("input.input", { required: isOptional !== "" });
  if (name === "orgId") field.value = currentSession()?.orgId ?? "";
  return { name, place, field, label: labelField(name, field) };
}

async function sendRequest({ method, path, scheme }, inputs, body) {
  const at = (place) => inputs.filter((input) => input.place === place && input.field.value !== "");
  const headers = Object.fromEntries(at("header").map(({ name, field }) => [name, field.value]));
  const query = new URLSearchParams(at("query").map(({ name, field }) => [name, field.value])).toString();
  const pathValues = new Map(at("path").map(({ name, field }) => [name, encodeURIComponent(field.value)]));
  const address = path.replace(/\{(\w+)\}/g, (_, name) => pathValues.get(name) ?? "") + (query && `?${query}`);
  const content = body?.value.trim() || undefined;
  if (content) headers["Content-Type"] = "application/json";
  try {
    return await renderResponse(await fetchResponse(address, { method, headers, body: content }));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401 && scheme !== "none" && !currentSession()) return [renderSender()];
    const { code, message, details, requestId } = error;
    const envelope = { error: { code, message, details, requestId } };
    return [status(error.status || "No answer"), block(JSON.stringify(envelope, null, 2))];
  }
}

async function renderResponse(response) {
  const kind = response.headers.get("Content-Type") ?? "";
  if (response.status === 204) return [status(204)];
  if (!kind.includes("json")) {
    response.body?.cancel(); // a file, or an endless event stream
    return [status(response.status), h("p.small", kind)];
  }
  const { text, isWhole } = await readStart(response);
  return [status(response.status), block(isWhole ? JSON.stringify(JSON.parse(text), null, 2) : `${text}…`)];
}

/** Read a response, or as much of it as is shown. */
async function readStart(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return { text, isWhole: true };
    text += value;
    if (text.length > SHOWN_CHARACTERS_MAX) break;
  }
  reader.cancel();
  return { text: text.slice(0, SHOWN_CHARACTERS_MAX), isWhole: false };
}

function status(code) {
  return h("p", h("strong", code));
}

function block(text) {
  return h("pre", { tabindex: 0 }, h("code", text));
}
