// A page that reads data, renders it, and renders it again when it changes.

import { h, replaceChildren } from "../core/dom.js";
import { errorText } from "../core/error-text.js";
import { drawPart } from "../core/guard.js";
import { organization } from "../core/organization.js";
import { Resource } from "../core/resource.js";
import { isTextField } from "../core/shortcuts.js";
import { smallButton } from "./controls.js";
import { preserveFocus, trackFocus } from "./focus.js";

/** @import { Child } from "../core/dom.js" */

const LOADING_DELAY_MILLISECONDS = 150; // until "Loading…" is shown

/**
 * Create a page that shows the result of `read()` as `draw(value, done)` renders it, below a title, buttons (`tools`) and
 * perhaps a navigation. It is read again after events about `resources`, and when `done` is called.
 * @template T
 * @param {HTMLElement} host
 * @param {{title: string, navigation?: {element: HTMLElement, draw: () => void} | null, read: () => Promise<T>,
 *   resources?: string[], tools?: (value: T, done: () => Promise<void>) => Child,
 *   draw: (value: T, done: () => Promise<void>) => Child, kind?: string}} options
 */
export function createPage(host, { title, navigation = null, read, resources, tools = () => null, draw, kind = "" }) {
  const resource = new Resource(read, resources);
  const done = () => resource.load();
  const buttons = h("div.row.page-actions");
  const body = h("div", { class: `page-body data-page ${kind}`, tabindex: "-1" });
  const head = h("header.head", h("h1", title), h("span.spacer"), buttons);
  replaceChildren(host, head, navigation?.element, body);
  const loadingTimer = setTimeout(() => showLoading(body), LOADING_DELAY_MILLISECONDS);
  resource.addEventListener("change", redraw);
  organization.addEventListener("change", redraw);
  const forgetFocus = trackFocus(host);
  let isStale = false; // something has changed, but is not rendered yet
  body.addEventListener("focusout", () => setTimeout(() => isStale && redraw()));

  function redraw() {
    if (!organization.me || (resource.value === undefined && !resource.error)) return;
    clearTimeout(loadingTimer);
    isStale = hasUnsavedInput(body);
    if (isStale) return; // do not disturb unsaved input; it is rendered when the focus leaves
    navigation?.draw();
    const hasValue = resource.value !== undefined && !isForbidden(resource.error);
    preserveFocus(host, () => {
      replaceChildren(buttons, hasValue && drawPart("Buttons", () => tools(resource.value, done)));
      replaceChildren(body, resource.error && renderError(resource), hasValue && drawContent());
    });
  }

  const drawContent = () => drawPart(title, () => draw(resource.value, done));

  function leave() {
    clearTimeout(loadingTimer);
    forgetFocus();
    organization.removeEventListener("change", redraw);
    resource.close();
  }

  redraw();
  return { title, refresh: done, leave };
}

function showLoading(body) {
  replaceChildren(body, h("p.muted", { role: "status" }, "Loading…"));
}

function hasUnsavedInput(body) {
  const field = document.activeElement;
  if (!body.contains(field) || !isTextField(field) || field instanceof HTMLSelectElement) return false;
  return field.value !== field.defaultValue;
}

/** Return whether the user has lost access; then the old data is hidden too. */
function isForbidden(error) {
  return [401, 403, 404].includes(error?.status);
}

function renderError(resource) {
  const { error } = resource;
  const again = smallButton("Try again", () => resource.load());
  const requestNote = error.requestId && h("span.small.muted", `Request ${error.requestId}`);
  const isHidden = isForbidden(error);
  return h("div.page-error", { role: "alert" }, h("p", pageErrorText(error)), !isHidden && again, !isHidden && requestNote);
}

function pageErrorText(error) {
  if (error.code === "sa_required") return "Only Solution Architects can see this.";
  if (error.code === "permission_denied") return "You don't have permission to see this.";
  if (error.status === 404) return "It was deleted, or you no longer belong to this organization.";
  return errorText(error);
}

/** Return a note for users who may not change anything, or null. */
export function architectsOnlyNote() {
  return organization.isArchitect ? null : h("p.small.muted", "Only Solution Architects can change this.");
}
