// What stands where there is no screen to show: the ways to what there is.

import { h } from "../core/dom.js";
import { organization } from "../core/organization.js";
import { boardAddress } from "../core/route.js";
import { switchTo } from "./me.js";

/** Say that there is no such page. */
export function nowhere() {
  const boards = organization.projects.map(({ id, title }) =>
    h("li", null, h("a", { class: "link", href: boardAddress(id) }, title)),
  );
  const home = h("a", { class: "button", href: "/" }, "Go to Now");
  return h("div", { class: "alone" }, h("h1", null, "There is no such page"), home, h("ul", null, boards));
}

/** Say that the person is in this organization no more, and lead to others. */
export function homeless() {
  const others = organization.me.organizations.map(({ id, title }) =>
    h("button", { class: "button", type: "button", on: { click: () => switchTo(id) } }, `Go to ${title}`),
  );
  const words = others.length ? "Others of yours are still open to you." : "An architect can invite you again.";
  const title = h("h1", null, "You are no longer a member of this organization");
  return h("div", { class: "alone" }, title, h("p", null, words), others);
}
